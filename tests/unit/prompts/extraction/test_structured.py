"""Queries in JSON and in calls of tools, and queries that were escaped once too often."""

import json
from pathlib import Path

import pytest

from retrocypher.prompts.extraction.extract import extract_cypher

FORMS = [
    json.loads(line)
    for line in Path(__file__).with_name("json_completions.jsonl").read_text(encoding="utf-8").splitlines()
]


def folded(text: str | None) -> str | None:
    return None if text is None else " ".join(text.split())


@pytest.mark.parametrize("form", FORMS, ids=[form["form"] for form in FORMS])
def test_a_form_that_models_print_is_read(form: dict[str, str | None]) -> None:
    assert form["completion"] is not None
    assert folded(extract_cypher(form["completion"])) == folded(form["cypher"])


@pytest.mark.parametrize("smiles", [r"F/C=C\\F", r"C\\C=C/C", r"F/C=C\\n1cccc1"])
def test_a_smiles_is_decoded_once_for_each_time_it_was_encoded(smiles: str) -> None:
    query = f"MATCH (m:Molecule {{name: '{smiles}'}}) RETURN m.name"
    inner = json.dumps({"query": query})
    call = json.dumps({"tool_calls": [{"function": {"name": "run", "arguments": inner}}]})
    for completion in (query, json.dumps({"cypher": query}), inner, call, f"```json\n{call}\n```"):
        assert extract_cypher(completion) == query
