"""The worked examples of the documentation do what it says."""

import re
from pathlib import Path

import pytest
from support.schemas import DEFAULT_SCHEMA_TEXT, default_schema

from kg.cypher import parse
from kg.direction import correct_directions

PAGE = (Path(__file__).parents[3] / "docs" / "direction.md").read_text(encoding="utf-8")
EXAMPLES = [
    tuple(example.splitlines())
    for block in re.findall(r"```cypher\n(.*?)```", PAGE, flags=re.DOTALL)
    for example in block.strip().split("\n\n")
]


@pytest.mark.parametrize(("query", "outcome"), EXAMPLES)
def test_example(query: str, outcome: str) -> None:
    assert not parse(query).errors
    assert outcome[:2] in ("→ ", "= ")
    wanted = outcome[2:] if outcome.startswith("→") else query
    assert correct_directions(query, default_schema()).query == wanted


def test_the_schema_is_the_one_shown() -> None:
    assert DEFAULT_SCHEMA_TEXT.replace("\n", "\n    ") in PAGE
    assert len(EXAMPLES) > 15
