"""Checking queries against the schema of a live graph."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from retrocypher.kg.errors import RetroCypherError
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.cli.check import check_command


@pytest.fixture
def file(tmp_path: Path) -> Path:
    asked = load_questions().questions[::300]
    entries = [{"question": each.text, "cypher": each.reference_cypher} for each in asked]
    invented = {"question": asked[0].text, "cypher": "MATCH (r:Reaction)-[:MAKES]->(m:Molecule) RETURN r.id"}
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(map(json.dumps, [*entries, invented])))
    return file


def test_the_schema_is_read_from_the_server(endpoint: Endpoint, file: Path) -> None:
    arguments = [str(file), "--convention", "benchmark", "--json"]
    live = CliRunner().invoke(check_command, [*arguments, "--uri", endpoint.uri])
    *references, invented = map(json.loads, live.stdout.splitlines())
    assert live.exit_code == 1
    assert all(found["valid"] for found in references)
    assert invented["findings"][0]["label"] == "schema_violation:type"
    assert live.stdout == CliRunner().invoke(check_command, arguments).stdout


def test_a_wrong_password_is_told(endpoint: Endpoint, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "not this one")
    result = CliRunner().invoke(check_command, [str(file), "--uri", endpoint.uri])
    assert isinstance(result.exception, RetroCypherError)
    assert "password" in str(result.exception)
    assert "not this one" not in str(result.exception)
