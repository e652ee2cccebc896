from pathlib import Path
from typing import Any

import pytest
import yaml
from support.schemas import default_schema

from retrocypher.kg.cypher.edits import quote
from retrocypher.prompts.validation.validator import SchemaValidator

HERE = Path(__file__).parent


def read(name: str) -> Any:
    return yaml.safe_load((HERE / name).read_text("utf-8"))


ASKED = read("questions.yaml")
RIGHT: list[dict[str, str]] = read("right_queries.yaml")
WRONG: list[dict[str, str]] = read("wrong_queries.yaml")


def validated(entry: dict[str, str]) -> Any:
    cypher = entry["cypher"]
    for name, smiles in ASKED["molecules"].items():
        cypher = cypher.replace(f"{{{name}}}", quote(smiles))
    question = ASKED["questions"][entry["asks"]].format(**ASKED["molecules"])
    convention = "as-asked" if entry.get("convention") == "as-asked" else "benchmark"
    return SchemaValidator(default_schema(), convention).validate(cypher, question)  # type: ignore[arg-type]


def name(entry: dict[str, str]) -> str:
    return f"{entry['asks']}-{entry.get('label', 'right')}"


@pytest.mark.parametrize("entry", RIGHT, ids=name)
def test_a_right_query_passes_in_whatever_style(entry: dict[str, str]) -> None:
    found = validated(entry)
    assert found.asked.intent is not None
    assert not found.findings


@pytest.mark.parametrize("entry", WRONG, ids=name)
def test_a_wrong_query_is_told_by_its_fault(entry: dict[str, str]) -> None:
    found = validated(entry)
    assert found.findings
    assert found.findings[0].label == entry["label"]


def test_there_are_enough_of_both() -> None:
    assert min(len(RIGHT), len(WRONG)) >= 60
