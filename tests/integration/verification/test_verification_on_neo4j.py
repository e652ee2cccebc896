"""Claims and files of answers, verified on a real server."""

import json
from pathlib import Path

import neo4j
from click.testing import CliRunner

from retrocypher.kg.claims.claim import Claim
from retrocypher.kg.claims.facts import asking
from retrocypher.kg.claims.verification import Verifier
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.cli.verify import verify_command


def test_chains_without_ids(driver: neo4j.Driver, endpoint: Endpoint) -> None:
    sources = {each.id: each.source for each in read_graph() if each.source}
    verifier = Verifier(asking(driver, endpoint.database), sources)
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
    result = CliRunner().invoke(verify_command, [str(file), "--graph", endpoint.uri, "--json"])
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [each.get("verdict") for each in found] == ["VERIFIED", "UNVERIFIABLE", "UNVERIFIABLE", None, None]
    assert found[0]["claims"][0]["evidence"][0]["source"]["file"].startswith("uspto-grants")
    assert [each["line"] for each in found if "error" in each] == [4, 5]
    assert result.exit_code == 1
    assert "line 4" in result.stderr
