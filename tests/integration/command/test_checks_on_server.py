"""Queries and written answers checked on a real server: the commands, and the trial of verification."""

import json
import re
from pathlib import Path
from typing import Any

import neo4j
import pytest
from click.testing import CliRunner
from support.roles_api import RolesApi

from retrocypher.benchmarks.instruments.verification import verification_command
from retrocypher.kg.claims.claim import Claim
from retrocypher.kg.claims.facts import asking
from retrocypher.kg.claims.verification import Verifier
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.cli.check import check_command
from retrocypher.plugins.cli.verify import verify_command


def test_the_schema_is_read_from_the_server(endpoint: Endpoint, tmp_path: Path) -> None:
    asked = load_questions().questions[::300]
    entries = [{"question": each.text, "cypher": each.reference_cypher} for each in asked]
    invented = {"question": asked[0].text, "cypher": "MATCH (r:Reaction)-[:MAKES]->(m:Molecule) RETURN r.id"}
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(map(json.dumps, [*entries, invented])))
    arguments = [str(file), "--convention", "benchmark", "--json"]
    live = CliRunner().invoke(check_command, [*arguments, "--server", endpoint.uri])
    *references, last = map(json.loads, live.stdout.splitlines())
    assert live.exit_code == 1
    assert all(found["valid"] for found in references)
    assert last["findings"][0]["label"] == "schema_violation:type"
    assert live.stdout == CliRunner().invoke(check_command, arguments).stdout


def test_chains_without_ids(driver: neo4j.Driver, endpoint: Endpoint) -> None:
    verifier = Verifier(asking(driver, endpoint.database))
    route = next(each for each in load_questions().questions if each.task == "chains_between")
    start, target = route.slots["start"], route.target
    found = verifier.verify(
        [
            Claim(start, "PRECURSOR_OF", target, steps=route.steps),
            Claim(target, "PRECURSOR_OF", start, steps=route.steps),
            Claim(start, "PRECURSOR_OF", target, steps=7),
        ]
    )
    assert [each.verdict for each in found] == ["SUPPORTED", "UNSUPPORTED", "UNCERTAIN"]
    assert [each.reaction for each in found[0].evidence] in [row["route"] for row in route.gold]


def test_a_file_of_answers(endpoint: Endpoint, tmp_path: Path) -> None:
    question = next(each for each in load_questions().questions if each.task == "producing_reactions")
    ids = ", ".join(str(row["id"]) for row in question.gold)
    lines = [
        {"question": question.text, "answer": f"Reactions {ids}."},
        {"question": question.text, "answer": "Reaction 1."},
        {"question": question.text, "answer": None},
        {"question": question.text},
    ]
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\nno JSON\n")
    result = CliRunner().invoke(verify_command, [str(file), "--server", endpoint.uri, "--json"])
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [each.get("verdict") for each in found] == ["VERIFIED", "UNVERIFIABLE", "UNVERIFIABLE", None, None]
    assert found[0]["claims"][0]["evidence"][0]["source"]["file"].startswith("uspto-grants")
    assert [each["line"] for each in found if "error" in each] == [4, 5]
    assert result.exit_code == 1
    assert "line 4" in result.stderr


def test_confidences_decide_in_a_file_too(endpoint: Endpoint, tmp_path: Path) -> None:
    question = next(each for each in load_questions().questions if each.task == "producing_reactions")
    number = question.gold[0]["id"]
    file = tmp_path / "answers.jsonl"
    file.write_text(json.dumps({"question": question.text, "answer": f"Reaction {number} makes it."}))

    def verify(*options: str) -> dict[str, Any]:
        arguments = [str(file), "--server", endpoint.uri, "--json", *options]
        found: dict[str, Any] = json.loads(CliRunner().invoke(verify_command, arguments).stdout)
        return found

    (claim,) = verify()["claims"]
    assert claim["verdict"] == "SUPPORTED"
    (evidence,) = claim["evidence"]
    assert 0 < evidence["confidence"] == claim["confidence"] < 1
    assert claim["traced"] == bool(evidence["spans"])
    above = verify("--evidence", "--evidence-confidence", "1")
    assert above["claims"][0]["verdict"] == "UNCERTAIN"
    assert (above["verdict"], above["thresholds"]["confidence"]) == ("UNVERIFIABLE", 1.0)
    assert verify("--evidence", "--evidence-confidence", "0")["verdict"] == "VERIFIED"


def test_a_model_lists_the_claims_of_a_file(
    endpoint: Endpoint, api: RolesApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = next(each for each in load_questions().questions if each.task == "producing_reactions")
    number = question.gold[0]["id"]
    lines = [
        {"question": question.text, "answer": f"Reaction {number} makes it."},
        {"question": question.text, "answer": "Reaction 1 makes it."},
    ]
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    ids = re.compile(r"\[1\] Reaction (\d+) makes")

    def lists(text: str) -> str:
        found = ids.search(text)
        return json.dumps([{"claim": "listed", "sentence": 1, "reactions": [int(found[1])]}] if found else [])

    api.roles["claimant"] = lists
    monkeypatch.setenv("OPENAI_BASE_URL", api.address)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    cache = ["--cache", str(tmp_path / "cache.sqlite")]
    arguments = [str(file), "--server", endpoint.uri, "--claims-model", "gpt-4.1", *cache]
    result = CliRunner().invoke(verify_command, arguments, catch_exceptions=False)
    assert result.exit_code == 1
    *_, summary, failed = result.stdout.splitlines()
    assert summary == "1 of 2 answers are verified."
    assert failed.startswith("  line 2: REFUTED: UNSUPPORTED [asked] (1, PRODUCES, ")
    asked = api.count("claimant")
    again = CliRunner().invoke(verify_command, arguments, catch_exceptions=False)
    assert (again.stdout, api.count("claimant")) == (result.stdout, asked)


@pytest.mark.scale
def test_true_answers_are_verified_and_falsehoods_are_not(endpoint: Endpoint) -> None:
    options = ["--graph", endpoint.uri, "--sample", "60", "--seed", "3", "--json"]
    found = json.loads(CliRunner().invoke(verification_command, options, catch_exceptions=False).stdout)
    kinds = found["kinds"]
    assert kinds["true"]["answers"] == 60
    changed = kinds["yield changed"]
    assert changed["answers"] + sum(changed["not_applicable"].values()) == 60
    true = kinds.pop("true")
    assert true["as_expected"] >= 0.95, found["misses"]
    assert all(kind["as_expected"] >= 0.99 for kind in kinds.values()), found["misses"]
