"""Self-review from end to end: known errors, with roles that are perfect, blind or contrary."""

import json
from collections.abc import Callable

import pytest
from support.roles_api import RolesApi, right_answers
from support.suite import Suite

from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.runs.record import Record, record_from

SAMPLE = 4
RIGHT = {question.reference_cypher for question in load_questions().questions}
MODELS = ("--model=oracle", "--model=mutant", "--loop-model=gpt-4.1-mini")
STANCES: dict[str, Callable[[bool], bool]] = {
    "perfect": lambda right: right,
    "blind": lambda right: True,
    "contrary": lambda right: not right,
}


def shown(text: str) -> str:
    """The query that a role reads."""
    return text.partition("The query:\n\n```\n")[2].partition("\n```")[0]


def spoiled(text: str) -> str:
    """A correction that makes any query wrong: it skips all rows."""
    return f"```\n{shown(text)} SKIP 100000\n```"


def cast(api: RolesApi, accepts: Callable[[bool], bool], corrector: Callable[[str], object]) -> None:
    """Have the roles judge a query by whether it is a reference query."""

    def reviewer(text: str) -> str:
        return json.dumps({"accepted": accepts(shown(text) in RIGHT), "issues": ["as I see it"]})

    def result_analyst(text: str) -> str:
        return f"Matches intent: {'yes' if accepts(shown(text) in RIGHT) else 'no'}"

    api.roles |= {"reviewer": reviewer, "result_analyst": result_analyst, "corrector": corrector}  # type: ignore[dict-item]


@pytest.mark.parametrize("stance", STANCES)
def test_the_ledger_is_as_computed_by_hand(scripted: Suite, api: RolesApi, stance: str) -> None:
    cast(api, STANCES[stance], spoiled if stance == "contrary" else right_answers())

    ran = scripted("-n0", *MODELS, "--prompt=P5", "--shot=ZS", "--loop=self-review", f"--sample={SAMPLE}")

    assert api.count("analyst") == 1
    records: list[Record] = [record_from(record) for record in ran.records.values()]
    wrong = sum(not _first(record) for record in records if record.model == "mutant")
    assert wrong > 1
    entries = {entry["model"]: entry for entry in ran.summary["ledger"]}
    fates = ("repaired", "broken", "unchanged_right", "unchanged_wrong")
    found = {model: [entry[name] for name in fates] for model, entry in entries.items()}
    calls = {model: entry["calls"] for model, entry in entries.items()}
    rates = {
        model: [
            entry["validators"]["reviewer"][f"{rate}_rate"]["value"]
            for rate in ("false_alarm", "non_detected_error")
        ]
        for model, entry in entries.items()
    }
    right = SAMPLE - wrong
    # Reviewer and result analyst of each case; a corrector where something was rejected.
    if stance == "perfect":
        assert found == {"oracle": [0, 0, SAMPLE, 0], "mutant": [wrong, 0, right, 0]}
        assert calls == {"oracle": 2 * SAMPLE, "mutant": 3 * SAMPLE}
        assert rates["oracle"] == [0.0, None]
        assert rates["mutant"][1] in (0.0, None)
    elif stance == "blind":
        assert found == {"oracle": [0, 0, SAMPLE, 0], "mutant": [0, 0, right, wrong]}
        assert calls == {"oracle": 2 * SAMPLE, "mutant": 2 * SAMPLE}
        assert rates["mutant"][1] in (1.0, None)
    else:
        assert found == {"oracle": [0, SAMPLE, 0, 0], "mutant": [0, 0, right, wrong]}
        assert calls == {"oracle": 3 * SAMPLE, "mutant": 2 * SAMPLE}
        assert rates["oracle"] == [1.0, None]
    for record in records:
        assert [turn.role for turn in record.rounds][:3] == ["analyst", "generator", "reviewer"]


def _first(record: Record) -> bool:
    """Whether the query of the first completion is right."""
    turn = next(turn for turn in record.rounds if turn.role == "generator")
    return turn.result is not None and turn.result.passed


def test_the_control_arm_differs_by_the_review_alone(scripted: Suite, api: RolesApi) -> None:
    api.roles["generator"] = right_answers()
    loops = ("--loop=none,self-review,self-review-control", "--prompt=P5", "--shot=1S-S", "--sample=2")
    ran = scripted("-n0", "--model=gpt-4.1-mini", *loops)
    assert ran.status == 0, ran.output
    assert (api.count("analyst"), api.count("reviewer"), api.count("result_analyst")) == (1, 2, 2)
    asked = {
        record["loop"]: {turn["messages_sha256"] for turn in record["rounds"] if turn["role"] == "generator"}
        for record in ran.records.values()
        if record["question_id"] == next(iter(ran.records.values()))["question_id"]
    }
    assert asked["self-review"] == asked["self-review-control"] != asked["none"]
    text = next(text for role, text in api.asked if role == "reviewer")
    assert "Labels: Molecule, Reaction\n" in text
    assert "Relationship types: PRODUCES, REACTS_IN, USES_AGENT, USES_SOLVENT\n" in text
    assert "in the graph" in text
    assert "not known" not in text


def test_former_name_of_the_loop(scripted: Suite, api: RolesApi) -> None:
    ran = scripted("-n0", "--model=gpt-4.1-mini", "--prompt=P5", "--shot=ZS", "--loop=review", "--sample=1")
    assert ran.output.count("--loop review is now called self-review") == 1
    assert {record["loop"] for record in ran.records.values()} == {"self-review"}
