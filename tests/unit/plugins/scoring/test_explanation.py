"""Why a case failed, in words."""

from typing import Any

from support.records import record_of

from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.runs.record import Record, Round
from retrocypher.plugins.scoring.explanation import explain

QUESTION = next(each for each in load_questions().questions if each.task == "precursors")


def failed(**fields: Any) -> Record:
    told = {
        "cypher": QUESTION.reference_cypher,
        "execution": {"status": "ok"},
        "scores": {"f1": 0.5, "focus_f1": 0.5},
    }
    return record_of(of=QUESTION, **{**told, **fields})


def why_of(record: Record, finding: str | None = None) -> dict[str, str]:
    found = explain(record, QUESTION, finding, None)
    assert found
    return found.why.texts


def test_what_the_query_shows_is_told() -> None:
    finding = "there is no label Reactoin"
    assert why_of(failed(), finding) == {"finding": finding}
    assert why_of(failed()) == {}


def test_that_the_key_asked_for_is_right_is_told() -> None:
    told = why_of(failed(scores={"f1": 0.9, "focus_f1": 1.0}))
    assert told["focus"].startswith("the key asked for (reactants) is right; F1 is of the whole reaction")
    for scores in ({"f1": 0.9, "focus_f1": None}, {"f1": 1.0, "focus_f1": 1.0}, {"f1": 0.0}):
        assert "focus" not in why_of(failed(scores=scores))


def turn(role: str, verdict: str | None, *labels: str) -> Round:
    findings: list[Any] = [{"label": label, "message": "m"} for label in labels]
    return Round(role, None, "", "RETURN 1", verdict, [*findings, {"note": "n"}, "of another loop"])


def looped(*turns: Round, loop: str = "cove") -> str:
    return why_of(failed(loop=loop, rounds=[turn("generator", None), *turns]))["loop"]


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
    scores = {"precision": 0.1, "recall": 1.0, "f1": 0.25, "row_f1": None, "focus_f1": None}
    fallback = {"reason": "timeout", "status": "ok", "row_count": 1, "scores": scores}
    execution = {"status": "timeout", "fallback": fallback}
    verdicts = {"generator": None, "guard": "ok", "executor": "timeout", "fallback": "ok"}
    rounds = [turn(role, verdict) for role, verdict in verdicts.items()]
    record = failed(loop="guarded", rounds=rounds, execution=execution, errors=["timeout"])
    assert why_of(record) == {
        "loop": "guarded: executor: timeout; "
        "fallback (timeout): 1 row, recall 1.000, F1 0.250, not counted for the case"
    }
