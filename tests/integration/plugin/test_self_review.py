"""Self-review from end to end: known errors, with roles that are perfect, blind or contrary."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.roles_api import RolesApi, right_answers
from support.suite import Suite

from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.cli.main import cli
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


def test_guidelines_are_learned_on_one_part_and_read_on_the_other(
    scripted: Suite, api: RolesApi, tmp_path: Path
) -> None:
    api.roles |= {"generator": right_answers(), "distiller": lambda _: "1. Turn arrows by the schema."}
    asked = ("-n0", "--prompt=P5", "--shot=ZS")
    run = scripted(*asked, "--model=mutant:reverse_arrow", "--split=train:0.5:1", "--sample=2").run
    file = tmp_path / "guidelines.md"
    built = ("guidelines", "build", str(run), "--split", "0.5:1", "--model", "gpt-4.1-mini")
    made = CliRunner().invoke(cli, [*built, "--out", str(file), "--cache", "none"])
    assert made.exit_code == 0, made.output
    # A person may edit the text.
    file.write_text(file.read_text() + "2. Count the steps.\n")
    guided = (*asked, "--model=gpt-4.1-mini", "--loop=self-review-control", f"--guidelines={file}")

    before = len(api.asked)
    refused = scripted(*guided, "--sample=4")
    assert refused.status == 4, refused.output
    assert "Add --split test:0.5:1" in refused.output
    assert len(api.asked) == before

    ran = scripted(*guided, "--split=test:0.5:1", "--sample=2")
    assert ran.status == 0, ran.output
    entry = ran.manifest["loops"]["guidelines"]
    assert (entry["run"], entry["split"], entry["model"]) == (str(run), "0.5:1", "gpt-4.1-mini")
    texts = [text for role, text in api.asked[before:] if role == "generator"]
    assert len(texts) == 2
    assert all("1. Turn arrows by the schema.\n2. Count the steps." in text for text in texts)
