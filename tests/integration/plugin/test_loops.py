"""Loops from end to end: real questions on a real graph, with models that play a script."""

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from click.testing import CliRunner
from support.roles_api import Player, RolesApi, Said, always, references_by_question, right
from support.suite import Ran, Suite

from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.cli.runs import summary_command

QUESTIONS = frozenset(question.text for question in load_questions().questions)
REFERENCES = references_by_question(load_questions().questions)
RIGHT = right(REFERENCES)
VALID = '{"valid": true, "errors": []}'
WRONG = '{"valid": false, "errors": [{"item": 1, "problem": "not what was asked"}]}'
REJECTED = '{"accepted": false, "issues": ["not what was asked"], "suggestions": ["start anew"]}'
ACCEPTED = '{"accepted": true, "issues": []}'
ONE_STEP = ("--prompt=P5", "--shot=ZS")
SAMPLE = "--sample=5"


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[RolesApi]:
    server = RolesApi({"generator": RIGHT, "corrector": RIGHT, "validator": always(VALID)})
    server.players |= {"analyst": always("Molecules react."), "reviewer": always(ACCEPTED)}
    yield server
    server.stop()


@pytest.fixture
def scripted(live: Suite, api: RolesApi, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Run the suite with the scripted server behind every model of an API."""

    def run(*arguments: str, allure: bool = False, **keywords: Any) -> Ran:
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        monkeypatch.setenv("OPENAI_BASE_URL", api.address)
        report = () if allure else ("-p", "no:allure_pytest")
        return live(*report, *arguments, **keywords)

    return run


def structured(query: Player) -> Player:
    """Wrap a player's query in the form that a review asks for."""
    return lambda text: json.dumps({"cypher": str(query(text)).strip("`\n")})


def by_question(*players: Player) -> Player:
    """Give each question a player of its own, in the order in which questions come."""
    seen: dict[str, Player] = {}

    def player(text: str) -> Said | str:
        question = next(line for line in text.splitlines() if line in QUESTIONS)
        return seen.setdefault(question, players[len(seen) % len(players)])(text)

    return player


def verdicts(ran: Ran, role: str) -> list[str]:
    rounds = [turn for record in ran.records.values() for turn in record["rounds"]]
    return [turn["verdict"] for turn in rounds if turn["role"] == role]


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


def test_a_corrector_that_is_right_repairs_known_errors(scripted: Suite, api: RolesApi) -> None:
    ran = scripted(
        *("-n2", "--model=mutant", "--loop=none,cove", "--validator=schema", "--ledger", "--sample=10")
    )
    assert ran.status == 1, ran.output
    assert "loops: none, cove, validator schema, their roles played by gpt-4.1-mini" in ran.output
    records = ran.records
    pairs = [
        (record, records[case.replace("-cove-", "-none-")])
        for case, record in records.items()
        if record["loop"] == "cove"
    ]
    assert len(pairs) == 10
    for record, alone in pairs:
        # What the first answer is worth is what it scores without a loop.
        assert before(record)["f1"] == alone["scores"]["f1"]
        assert before(record)["errors"] == alone["errors"]
        assert record["rounds"][0]["cypher"] == alone["cypher"]
    never_worse(ran)
    (entry,) = ran.summary["ledger"]
    assert (entry["model"], entry["loop"], entry["validator"]) == ("mutant", "cove", "schema")
    repaired = [record for record, alone in pairs if record["passed"] and not alone["passed"]]
    assert entry["repaired"] == len(repaired) > 5
    assert entry["broken"] == 0
    assert entry["calls"] == api.count("corrector") > 0
    assert entry["tokens"] == 120 * entry["calls"]
    assert "mutant, loop cove, validator schema: before and after" in ran.output
    again = CliRunner().invoke(summary_command, [str(ran.run), "--ledger"]).output
    start = "mutant, loop cove, validator schema: before and after"
    shown = ran.output[ran.output.index(start) : ran.output.index("answers: ", ran.output.index(start))]
    assert shown.split() == again[again.index(start) : again.index("records: ")].split()
    # SMILES of the question are hidden from the corrector.
    asked = [text for role, text in api.asked if role == "corrector"]
    assert not any(record["question"] in text for record, _ in pairs for text in asked)


def test_what_was_asked_and_said_is_kept(scripted: Suite) -> None:
    ran = scripted("-n0", "--model=mutant", "--loop=cove", SAMPLE, *ONE_STEP)
    lines = (ran.run / "messages.jsonl").read_text().splitlines()
    kept = {line["sha256"]: line["messages"] for line in map(json.loads, lines)}
    rounds = [turn for record in ran.records.values() for turn in record["rounds"]]
    for turn in rounds:
        if turn["role"] in ("generator", "corrector"):
            assert kept[turn["messages_sha256"]]
        else:
            assert turn["messages_sha256"] is None
        if turn["role"] == "corrector":
            assert turn["tokens"] == {"prompt": 100, "completion": 20}
            assert turn["cost"] == pytest.approx((100 * 0.40 + 20 * 1.60) / 1_000_000)
            assert turn["time_s"] > 0
            assert turn["answer"].startswith("```")
    taken = [turn for turn in rounds if turn["verdict"] == "taken"]
    assert taken
    assert all(any("edit" in finding for finding in turn["findings"]) for turn in taken)


BAD = (
    "The query looks fine to me, I would leave it.",
    "",
    "```\nMATCH (r:Reaction)-[:PRODUCES]->(:Molecule {name: 'CCO'}) RETURN r.id AS id\n```",
    "```\nMATCH (r:Reaction) RETURN r.id AS id LIMIT 1\n```",
    "```\nMATCH (m:Molecule {name: 'MOLECULE_99'}) RETURN m\n```",
    "```\nMATCH (m:Molecule {name: 'MOLECULE_1'} RETURN m\n```",
    "```\nMATCH (m:Molecule {name: 'MOLECULE_1'}) DETACH DELETE m\n```",
    # Planned without complaint, and an error when it runs.
    "```\nMATCH (m:Molecule {name: 'MOLECULE_1'}) RETURN 1 / (size(m.name) * 0) AS id\n```",
)


def test_a_corrector_that_does_harm_does_none(scripted: Suite, api: RolesApi) -> None:
    """Each case is corrected three times, each time in another bad way."""
    turns = iter(range(10_000))
    api.players |= {
        "corrector": lambda _: BAD[next(turns) % len(BAD)],
        "validator": always(WRONG),
    }
    ran = scripted("-n0", "--model=right", "--loop=cove", "--validator=checklist", "--sample=8", *ONE_STEP)
    never_worse(ran)
    assert set(verdicts(ran, "corrector")) == {
        "no_query",
        "other_molecule",
        "lost_molecule",
        "unknown_name",
        "not_executable",
        "taken",
    }
    assert "put_back" in verdicts(ran, "harness")
    for record in ran.records.values():
        assert sum(turn["role"] == "corrector" for turn in record["rounds"]) == 3
    (entry,) = ran.summary["ledger"]
    assert entry["broken"] == 0
    told = entry["validators"]["checklist"]
    assert told["false_alarm_rate"]["value"] == 1.0


def test_a_validator_that_is_never_content_is_stopped(scripted: Suite, api: RolesApi) -> None:
    """Each of four questions has a validator of its own kind."""
    said = (WRONG, "I could not say, really.", '{"valid": fal', VALID)
    turns = iter(range(10_000))

    def longer(text: str) -> str:
        return str(RIGHT(text)).replace("RETURN", f"WITH *, {next(turns)} AS n{next(turns)}\nRETURN")

    api.players |= {"validator": by_question(*map(always, said)), "corrector": longer}
    ran = scripted(
        *("-n0", "--model=right", "--loop=cove", "--validator=checklist", "--sample=4", *ONE_STEP),
        "--task=precursors",
    )
    assert ran.status == 0, ran.output
    looks = sorted(
        [turn["verdict"] for turn in record["rounds"] if turn["role"] == "validator:checklist"]
        for record in ran.records.values()
    )
    assert looks == [["invalid"] * 3, ["malformed"], ["malformed"], ["valid"]]
    assert verdicts(ran, "corrector") == ["taken"] * 3


def test_both_validators_look_and_are_told_apart(scripted: Suite, api: RolesApi) -> None:
    ran = scripted(
        *("-n0", "--model=mutant", "--loop=cove", "--validator=both", SAMPLE, "--loop-model=judge=gpt-x")
    )
    assert "their roles played by judge (gpt-x)" in ran.output
    (entry,) = ran.summary["ledger"]
    assert entry["validator"] == "both"
    schema, checklist = entry["validators"]["schema"], entry["validators"]["checklist"]
    assert schema["looked_at"] == checklist["looked_at"] > 0
    # The scripted checklist lets everything pass.
    assert checklist["false_alarm_rate"]["value"] in (0.0, None)
    assert checklist["non_detected_error_rate"]["value"] == 1.0
    assert schema["non_detected_error_rate"]["value"] < 0.5


def test_a_review_ends_when_it_is_content_and_the_summary_is_made_once(
    scripted: Suite, api: RolesApi
) -> None:
    # Half a character, as in an answer that was cut within an emoji, is no reason to lose a case.
    api.players["analyst"] = always("Molecules \ud83d react.")
    ran = scripted("-n2", "--model=right", "--loop=none,review", SAMPLE)
    assert ran.status == 0, ran.output
    assert api.count("analyst") == 1
    assert set(verdicts(ran, "reviewer")) == {"accepted"}
    manifest = json.loads((ran.run / "manifest.json").read_text())
    (once,) = manifest["loops"]["once"]
    assert (once["text"], once["tokens"]) == ("Molecules \ud83d react.", {"prompt": 100, "completion": 20})
    for record in ran.records.values():
        for turn in record["rounds"]:
            if turn["role"] == "analyst":
                assert turn["cached"]
                assert turn["tokens"] is None
    asked = next(text for role, text in api.asked if role == "reviewer")
    assert "Molecules \ufffd react." in asked
    assert '"id": ' in asked or "reaction_nodes" in asked


def test_a_review_of_wrong_queries(scripted: Suite, api: RolesApi) -> None:
    """Each of four questions has a corrector of its own kind, and the last a reviewer without judgement."""
    other = always('{"cypher": "MATCH (m {name: \'CCO\'}) RETURN m"}')
    api.players["corrector"] = by_question(structured(RIGHT), always("No."), other, always(""))
    api.players["reviewer"] = by_question(*[always(REJECTED)] * 3, always("Good."))
    ran = scripted(
        *("-n0", "--model=mutant:drop_component", "--loop=review", "--sample=4", "--task=precursors"),
        *ONE_STEP,
    )
    never_worse(ran)
    corrected = sorted(
        [turn["verdict"] for turn in record["rounds"] if turn["role"] == "corrector"]
        for record in ran.records.values()
    )
    assert corrected == [[], ["no_query"] * 3, ["other_molecule"] * 3, ["taken", "unchanged", "unchanged"]]
    assert sorted(verdicts(ran, "reviewer")) == ["malformed", *["rejected"] * 4]
    assert "loop:     review: reviewer: rejected; corrector: no_query, no_query, no_query\n" in ran.output
    assert "loop:     review: reviewer: malformed\n" in ran.output
    (entry,) = ran.summary["ledger"]
    assert (entry["repaired"], entry["broken"]) == (1, 0)


def test_allure_shows_every_round_and_the_fallback(scripted: Suite) -> None:
    ran = scripted(
        *("-n0", "--model=mutant:unbalanced_bracket", "--loop=cove,guarded", "--sample=2", *ONE_STEP),
        allure=True,
    )
    assert "is not shown whole in Allure" not in ran.output
    shown = [json.loads(file.read_text()) for file in (ran.run / "allure-results").glob("*-result.json")]
    assert len(shown) == len(ran.records) == 4
    for case in shown:
        steps = [step["name"] for step in case["steps"]]
        labels = {label["name"]: label["value"] for label in case["labels"]}
        assert steps[0].startswith("Round 1: generator")
        if labels["loop"] == "guarded":
            assert any(step.startswith("Fallback (syntax_error): ") for step in steps)
        else:
            assert any(step.startswith("Round 3: corrector: taken") for step in steps)


def test_the_fallback_is_marked_and_scored_apart(live: Suite) -> None:
    """No model is asked, so no key is needed."""
    arguments = ("-p", "no:allure_pytest", "-n0", "--model=mutant:reverse_arrow", *ONE_STEP)
    ran = live(*arguments, "--loop=guarded,guarded-limit", "--sample=6")
    assert "fallback" in ran.summary
    fell = [record for record in ran.records.values() if "fallback" in record["execution"]]
    assert fell
    for record in fell:
        execution = record["execution"]
        assert execution["row_count"] == 0 or not any(any(row) for row in execution["rows"])
        assert record["scores"]["f1"] == before(record)["f1"]
        assert execution["fallback"]["rows"]
        assert execution["fallback"]["reason"] in ("empty", "syntax_error")
        assert execution["fallback"]["scores"]["recall"] >= record["scores"]["recall"]
        assert not record["passed"]
    assert ran.summary["fallback"]["cases"] == len(fell)
    by_loop = ran.summary["fallback"]["by_loop"]
    assert list(by_loop) == ["guarded", "guarded-limit"]
    assert sum(each["cases"] for each in by_loop.values()) == len(fell)
    for each in by_loop.values():
        assert f"fallback in {each['cases']} case" in ran.output
    assert "loop:     guarded: fallback (empty): " in ran.output
    assert ran.summary["fallback"]["means"]["recall"] > 0
    for entry in ran.summary["ledger"]:
        assert entry["repaired"] == 0


def test_a_limit_changes_what_a_query_returns(live: Suite) -> None:
    arguments = ("-p", "no:allure_pytest", "-n0", "--model=oracle", *ONE_STEP, "--sample=3")
    ran = live(*arguments, "--loop=none,guarded,guarded-limit")
    assert ran.status == 0, ran.output
    for record in ran.records.values():
        assert ("LIMIT 100" in record["cypher"]) == (record["loop"] == "guarded-limit")
        assert "fallback" not in record["execution"]


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_corrector_that_cannot_be_asked_is_no_score(scripted: Suite, api: RolesApi, workers: str) -> None:
    api.players["corrector"] = always(Said(status=401))
    ran = scripted(
        *(workers, "--model=mutant:reverse_arrow,drop_component", "--loop=none,cove", "--sample=4", *ONE_STEP)
    )
    assert ran.status == 16, ran.output
    failed = [record for record in ran.records.values() if record["infrastructure_error"]]
    assert failed
    for record in failed:
        assert record["loop"] == "cove"
        assert record["infrastructure_error"]["stage"] == "model"
        assert record["scores"] is None
        # What came before is kept.
        assert [turn["role"] for turn in record["rounds"]][:2] == ["generator", "explain"]
    assert ran.summary["ledger"][0]["left_out"] == len(failed)


def test_a_slow_corrector_is_timed(scripted: Suite, api: RolesApi) -> None:
    api.players["corrector"] = lambda text: Said(str(RIGHT(text)), pause_s=0.7)
    ran = scripted(
        *("-n0", "--model=mutant:drop_component", "--loop=cove", "--sample=1", *ONE_STEP),
        "--task=precursors",
    )
    (entry,) = ran.summary["ledger"]
    assert entry["repaired"] == 1
    assert entry["seconds"] >= 0.7


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


@pytest.fixture
def plugin(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Write a plugin and return the option that loads it."""

    def write(text: str) -> str:
        pytester.makepyfile(brings_loops=text)
        monkeypatch.setenv("PYTHONPATH", str(pytester.path), prepend=os.pathsep)
        return "-pbrings_loops"

    return write


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_loop_of_a_users_own(scripted: Suite, plugin: Callable[[str], str], workers: str) -> None:
    """The worked example of the hook."""
    ran = scripted(
        *(workers, plugin(LOOK_AGAIN), "--model=mutant:drop_component", "--loop=none,look-again"),
        *("--sample=4", "--task=precursors,conditions", *ONE_STEP),
    )
    by_loop = ran.summary["by"]["loop"]
    assert by_loop["none"]["passed"] == 0
    assert by_loop["look-again"]["passed"] == 4
    assert ran.summary["ledger"][0]["repaired"] == 4
    assert all("-look-again-" in case or "-none-" in case for case in ran.records)


@pytest.mark.parametrize(
    ("workers", "text", "said"),
    [
        ("-n0", "def pytest_retrocypher_loops(config):\n    return ['cove']", "'cove' is no loop"),
        ("-n0", LOOK_AGAIN.replace('"look-again"', '"a/b"'), "the name 'a/b' may hold letters"),
        ("-n2", LOOK_AGAIN.replace('"look-again"', '"review"'), "there is a loop 'review' already"),
    ],
)
def test_a_loop_that_is_none(
    suite: Suite, plugin: Callable[[str], str], workers: str, text: str, said: str
) -> None:
    ran = suite(workers, plugin(text), "--model=oracle", "--sample=1")
    assert ran.status == 4, ran.output
    assert said in ran.output
    assert "INTERNALERROR" not in ran.output


def test_a_loop_that_breaks_is_no_score(scripted: Suite, plugin: Callable[[str], str]) -> None:
    broken = LOOK_AGAIN.replace(
        'again = {"role"', 'raise RuntimeError("a fault of the loop")\n        again = {"role"'
    )
    ran = scripted("-n0", plugin(broken), "--model=oracle", "--loop=look-again", "--sample=2")
    assert ran.status == 16, ran.output
    assert len(ran.summary["lost_cases"]) == 2
