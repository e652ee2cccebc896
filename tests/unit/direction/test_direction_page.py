"""The examples of the documentation, and more of the same form, do what they say."""

import re
from pathlib import Path

import pytest
from support.schemas import DEFAULT_SCHEMA_TEXT, default_schema

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.semantics.direction import correct_directions

TESTS = Path(__file__).parents[2]
PAGE = (TESTS.parent / "docs" / "errors-and-loops.md").read_text(encoding="utf-8")
MORE = (TESTS / "data" / "direction_examples.txt").read_text(encoding="utf-8")
EXAMPLES = [
    tuple(example.splitlines())
    for block in [*re.findall(r"```cypher\n(.*?)```", PAGE, flags=re.DOTALL), MORE]
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
