"""Loops from end to end: real questions on a real graph, with models that play a script."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import pytest
from support.allure_results import shown
from support.roles_api import RolesApi, Said, always, right_answers, scripted_api
from support.suite import Ran, Session, Suite

from retrocypher.kg.graph.molecules import find_molecules
from retrocypher.kg.server.endpoint import Endpoint

WRONG = '{"valid": false, "errors": [{"item": 1, "problem": "not what was asked"}]}'
ONE_STEP = ("--prompt=P5", "--shot=ZS")
PAUSE_S = 0.1


def verdicts(ran: Ran, role: str) -> list[str]:
    return [turn["verdict"] for turn in ran.rounds if turn["role"] == role]


def before(record: dict[str, Any]) -> dict[str, Any]:
    """What the first answer of a case is worth."""
    found: dict[str, Any] = next(
        finding["result"] for finding in record["rounds"][0]["findings"] if "result" in finding
    )
    return found


def never_worse(ran: Ran) -> None:
    """No query that ran was given up for one that does not."""
    for record in ran.records.values():
        if record["loop"] != "none" and before(record)["status"] == "ok":
            assert record["execution"]["status"] == "ok", record["case_id"]


@pytest.fixture(scope="module")
def repairing(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Ran, RolesApi]]:
    """A run of wrong queries with a corrector that is right and takes its time."""
    with pytest.MonkeyPatch.context() as patch, scripted_api() as api:
        api.roles["corrector"] = lambda text: Said(str(right_answers()(text)), PAUSE_S)
        patch.setenv("OPENAI_API_KEY", "any")
        patch.setenv("OPENAI_BASE_URL", api.address)
        loops = ("--loop=none,cove", "--validator=schema", "--ledger", "--cache=none")
        asked = ("-n1", f"--graph={endpoint.uri}", "--model=mutant", *loops, "--sample=6")
        yield Session(asked, tmp_path_factory.mktemp("repairing") / "run").whole(), api


def test_a_corrector_that_is_right_repairs_known_errors(repairing: tuple[Ran, RolesApi]) -> None:
    ran, api = repairing
    assert ran.status == 1, ran.output
    assert "loops: none, cove, validator schema, their roles played by gpt-4.1-mini" in ran.output
    records = ran.records
    pairs = [
        (record, records[case.replace("-cove-", "-none-")])
        for case, record in records.items()
        if record["loop"] == "cove"
    ]
    assert len(pairs) == 6
    for record, alone in pairs:
        # What the first answer is worth is what it scores without a loop.
        assert before(record)["f1"] == alone["scores"]["f1"]
        assert before(record)["errors"] == alone["errors"]
        assert record["rounds"][0]["cypher"] == alone["cypher"]
    never_worse(ran)
    (entry,) = ran.summary["ledger"]
    assert (entry["model"], entry["loop"], entry["validator"]) == ("mutant", "cove", "schema")
    repaired = [record for record, alone in pairs if record["passed"] and not alone["passed"]]
    assert entry["repaired"] == len(repaired) > 3
    assert entry["broken"] == 0
    assert entry["calls"] == api.count("corrector") > 0
    assert entry["tokens"] == 120 * entry["calls"]
    assert entry["seconds"] >= PAUSE_S * entry["calls"]
    # SMILES of the question are hidden from the corrector after an error only.
    questions = [record["question"] for record, _ in pairs]
    asked = [text for role, text in api.asked if role == "corrector"]
    for text in asked:
        after_error = "cannot run" in text.partition("\n")[0]
        assert after_error != any(question in text for question in questions)


def test_what_was_asked_and_said_is_kept(repairing: tuple[Ran, RolesApi]) -> None:
    repaired, _ = repairing
    lines = (repaired.run / "messages.jsonl").read_text().splitlines()
    kept = {line["sha256"]: line["messages"] for line in map(json.loads, lines)}
    for turn in repaired.rounds:
        if turn["role"] in ("generator", "corrector"):
            assert kept[turn["messages_sha256"]]
        else:
            assert turn["messages_sha256"] is None
        if turn["role"] == "corrector":
            assert turn["tokens"] == {"prompt": 100, "completion": 20}
            assert turn["cost"] == pytest.approx((100 * 0.40 + 20 * 1.60) / 1_000_000)
            assert turn["time_s"] >= PAUSE_S
            assert turn["answer"].startswith("```")
    taken = [turn for turn in repaired.rounds if turn["verdict"] == "taken"]
    assert taken
    assert all(any("edit" in finding for finding in turn["findings"]) for turn in taken)


# With `MOLECULE_1` for the first molecule of the question.
BAD = (
    "The query looks fine to me, I would leave it.",
    "",
    "```\nMATCH (r:Reaction)-[:PRODUCES]->(:Molecule {name: 'CCO'}) RETURN r.id AS id\n```",
    "```\nMATCH (r:Reaction) RETURN r.id AS id LIMIT 1\n```",
    "```\nMATCH (m:Molecule {name: 'MOLECULE_1'} RETURN m\n```",
    "```\nMATCH (m:Molecule {name: 'MOLECULE_1'}) DETACH DELETE m\n```",
    # Planned without complaint, and an error when it runs.
    "```\nMATCH (m:Molecule {name: 'MOLECULE_1'}) RETURN 1 / (size(m.name) * 0) AS id\n```",
)


def test_a_corrector_that_does_harm_does_none(scripted: Suite, api: RolesApi) -> None:
    """Each case is corrected three times, each time in another bad way."""
    turns = cycle(BAD)

    def corrects(text: str) -> str:
        return next(turns).replace("MOLECULE_1", find_molecules(text)[0].smiles)

    api.roles |= {
        "corrector": corrects,
        "validator": always(WRONG),
    }
    # One call at a time, so that the corrector's proposals come in order within a case.
    loop = ("--loop=cove", "--validator=checklist", "--concurrency=1")
    ran = scripted("-n0", "--model=right", *loop, "--sample=8", *ONE_STEP)
    never_worse(ran)
    assert set(verdicts(ran, "corrector")) == {
        "no_query",
        "other_molecule",
        "lost_molecule",
        "not_executable",
        "taken",
    }
    assert "put_back" in verdicts(ran, "harness")
    for record in ran.records.values():
        assert sum(turn["role"] == "corrector" for turn in record["rounds"]) == 3
    (entry,) = ran.summary["ledger"]
    assert entry["broken"] == 0
    found = entry["validators"]["checklist"]
    assert found["false_alarm_rate"]["value"] == 1.0


@pytest.fixture(scope="module")
def guarded(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A run of loops that ask no model, so that no key is needed."""
    models = ("--model=oracle", "--model=turned=mutant:reverse_arrow", "--model=mutant:unbalanced_bracket")
    loops = ("--loop=none,guarded,guarded-limit", "--sample=3", *ONE_STEP)
    # The terminal shows no failures of a run that has many, unless an option asks for them.
    asked = ("-n0", f"--graph={endpoint.uri}", "--tb=short", *models, *loops)
    return Session(asked, tmp_path_factory.mktemp("guarded") / "run").whole()


def test_the_fallback_is_marked_and_scored_apart(guarded: Ran) -> None:
    fell = [record for record in guarded.records.values() if "fallback" in record["execution"]]
    assert {record["model"] for record in fell} == {"turned", "mutant-unbalanced_bracket"}
    results = shown(guarded.run / "allure-results")
    for record in fell:
        execution, fallback = record["execution"], record["execution"]["fallback"]
        assert execution["row_count"] == 0 or not any(any(row) for row in execution["rows"])
        assert record["scores"]["f1"] == before(record)["f1"]
        assert fallback["rows"]
        assert fallback["reason"] in ("empty", "syntax_error")
        assert fallback["scores"]["recall"] >= record["scores"]["recall"]
        assert not record["passed"]
        steps = [step["name"] for step in results[record["case_id"]]["steps"]]
        assert any(step.startswith(f"Fallback ({fallback['reason']}): ") for step in steps)
    found = guarded.summary["fallback"]
    assert found["cases"] == len(fell)
    assert list(found["by_loop"]) == ["guarded", "guarded-limit"]
    assert sum(each["cases"] for each in found["by_loop"].values()) == len(fell)
    for count in Counter((record["model"], record["loop"]) for record in fell).values():
        assert f"fallback in {count} case" in guarded.output
    assert "loop:     guarded: fallback (empty): " in guarded.output
    assert found["means"]["recall"] > 0
    assert all(entry["repaired"] == 0 for entry in guarded.summary["ledger"])


def test_a_key_that_is_refused_for_a_loop_ends_the_run_and_keeps_what_came_before(
    scripted: Suite, api: RolesApi
) -> None:
    api.roles["validator"] = always(Said(status=401))
    models = ("--model=mutant:drop_component", "--loop-model=gpt-4.1-mini")
    ran = scripted("-n0", *models, "--loop=none,cove", "--sample=8", *ONE_STEP)
    assert ran.status == 4, ran.output
    assert "refused the key (401); check OPENAI_API_KEY" in ran.output
    failed = [record for record in ran.records.values() if record["infrastructure_error"]]
    assert failed
    for record in failed:
        assert record["loop"] == "cove"
        assert record["infrastructure_error"]["kind"] == "authentication"
        assert record["scores"] is None
        # What came before is kept.
        assert [turn["role"] for turn in record["rounds"]][:2] == ["generator", "explain"]
    assert ran.summary["ledger"][0]["left_out"] == len(failed)


LOOK_AGAIN = """
from dataclasses import dataclass

from retrocypher.prompts.extraction.extract import extract_cypher
from retrocypher.prompts.loops.interface import LoopCase, LoopResult, LoopTools, Step


@dataclass(frozen=True)
class LookAgain:
    name: str = "look-again"
    needs_model: bool = True

    def run(self, case: LoopCase, tools: LoopTools) -> LoopResult:
        again = {"role": "user", "content": "Look at your query again and answer with the right one."}
        said = {"role": "assistant", "content": case.answer.text}
        messages = [*case.messages, said, again]
        answer = tools.ask("corrector", messages)
        query = extract_cypher(answer.text)
        taken = query is not None and tools.graph.explain(query).status == "ok"
        verdict = "taken" if taken else "not_taken"
        tools.note(Step("corrector", query, verdict, messages=messages, answer=answer))
        return LoopResult(query if taken else case.cypher)


def pytest_retrocypher_loops(config):
    return [LookAgain()]
"""


def test_a_loop_of_a_users_own(scripted: Suite, plugin: Callable[[str], str]) -> None:
    """The worked example of the hook."""
    ran = scripted(
        *("-n0", plugin(LOOK_AGAIN), "--model=mutant:drop_component", "--loop=none,look-again"),
        *("--sample=4", "--task=precursors,conditions", *ONE_STEP),
    )
    by_loop = ran.summary["by"]["loop"]
    assert by_loop["none"]["passed"] == 0
    assert by_loop["look-again"]["passed"] == 4
    assert ran.summary["ledger"][0]["repaired"] == 4
    assert all("-look-again-" in case or "-none-" in case for case in ran.records)
