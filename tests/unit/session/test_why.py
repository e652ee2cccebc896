"""Why a case failed, in words."""

from typing import Any

import pytest
from support.records import record_of

from kg.questions import Question, load_questions
from kg.schema import default_schema
from plugins.records import Record, Round
from plugins.session._why import why

SCHEMA = default_schema()
QUESTION = next(each for each in load_questions().questions if each.task == "precursors")


def failed(cypher: str | None = None, question: Question = QUESTION, **fields: Any) -> Record:
    told: dict[str, Any] = {
        "cypher": cypher or question.reference_cypher,
        "execution": {"status": "ok"},
        "scores": {"f1": 0.5, "focus_f1": 0.5},
    }
    return record_of(of=question, **{**told, **fields})


def test_what_the_query_shows_of_the_primary_label_is_told() -> None:
    cypher = QUESTION.reference_cypher.replace(":Reaction", ":Reactoin")
    told = why(failed(cypher, errors=["schema_violation:label", "empty_result"]), QUESTION, SCHEMA)
    assert set(told) == {"finding"}
    assert "Reactoin" in told["finding"]


@pytest.mark.parametrize("errors", [["empty_result"], ["wrong_entity"], []])
def test_what_the_query_does_not_show_is_not_told(errors: list[str]) -> None:
    assert why(failed(errors=errors), QUESTION, SCHEMA) == {}


def test_of_a_query_that_did_not_run_the_server_says_why() -> None:
    broken = failed("MATCH (r:Reaction RETURN r", errors=["syntax_error"])
    broken.execution = {"status": "syntax_error"}
    assert why(broken, QUESTION, SCHEMA) == {}


def test_that_the_key_asked_for_is_right_is_told() -> None:
    told = why(failed(scores={"f1": 0.9, "focus_f1": 1.0}), QUESTION, SCHEMA)
    assert told["focus"].startswith("the key asked for (reactants) is right; F1 is of the whole reaction")
    for scores in ({"f1": 0.9, "focus_f1": None}, {"f1": 1.0, "focus_f1": 1.0}, {"f1": 0.0}):
        assert "focus" not in why(failed(scores=scores), QUESTION, SCHEMA)


def turn(role: str, verdict: str | None, *labels: str) -> Round:
    findings: list[Any] = [{"label": label, "message": "m"} for label in labels]
    return Round(role, None, "", "RETURN 1", verdict, [*findings, {"note": "n"}, "of another loop"])


def looped(*turns: Round, loop: str = "cove") -> str:
    return why(failed(loop=loop, rounds=[turn("generator", None), *turns]), QUESTION, SCHEMA)["loop"]


def test_what_a_loop_did_is_told_in_one_line() -> None:
    assert looped(
        turn("explain", "ok"),
        turn("direction", "turned"),
        turn("validator:schema", "invalid", "wrong_entity", "limit", "wrong_entity"),
        turn("validator:checklist", "malformed"),
        turn("corrector", "no_query"),
        turn("corrector", "unchanged"),
        turn("corrector", "taken"),
        turn("explain", "ok"),
        turn("validator:schema", "valid"),
    ) == (
        "cove: direction: turned; schema found wrong_entity, limit; checklist malformed; "
        "corrector: no_query, unchanged, taken; schema found nothing"
    )
    assert looped(turn("analyst", "made"), turn("executor", "ok"), loop="mine") == "mine: changed nothing"


def test_what_a_fallback_brought_is_told() -> None:
    scores = {"recall": 1.0, "f1": 0.25}
    execution = {"status": "timeout"}
    execution |= {"fallback": {"reason": "timeout", "row_count": 1, "scores": scores}}  # type: ignore[dict-item]
    rounds = [
        turn("generator", None),
        turn("guard", "ok"),
        turn("executor", "timeout"),
        turn("fallback", "ok"),
    ]
    record = failed(loop="guarded", rounds=rounds, execution=execution, errors=["timeout"])
    assert why(record, QUESTION, SCHEMA) == {
        "loop": "guarded: executor: timeout; "
        "fallback (timeout): 1 row, recall 1.000, F1 0.250, not counted for the case"
    }
