"""Neo4j 5 Cypher by category, each line a query; tests/integration holds the same lists against a server."""

from pathlib import Path

import pytest

from retrocypher.kg.cypher.grammar import Rule, deserialize, load_tables
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.cypher.recovery import Recovery
from retrocypher.kg.cypher.tokens import Node, token_reader, tokens


def constructs(name: str) -> list[str]:
    lines = (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("## ")]


ACCEPTED, BROKEN = constructs("accepted_constructs.cypher"), constructs("broken_constructs.cypher")


@pytest.fixture(scope="module")
def thorough() -> Recovery:
    tables = load_tables().parser
    return Recovery(deserialize(tables.atn), tables, tables.rules.index(Rule.STATEMENTS))


def outline(node: Node) -> list[tuple[str, int, int]]:
    return [(part.rule, part.start, part.stop) for part in node.walk()]


@pytest.mark.parametrize("query", ACCEPTED)
def test_accepts(query: str) -> None:
    assert parse(query).errors == ()


@pytest.mark.parametrize("query", BROKEN)
def test_rejects(query: str) -> None:
    issues = parse(query).errors
    assert issues
    assert all(0 <= issue.offset <= len(query) and issue.message for issue in issues)


def test_fast_and_thorough_parsing_give_one_tree(thorough: Recovery) -> None:
    types = {name: number for number, name in enumerate(token_reader().names)}
    for query in ACCEPTED:
        parsed = parse(query)
        body = list(parsed.tokens[parsed.prefix_tokens :])
        root, issues = thorough.parse(body, [types[token.name] for token in body], len(query))
        assert (issues, outline(root)) == ([], outline(parsed.root)), query


@pytest.mark.parametrize("query", [*ACCEPTED, *BROKEN])
def test_tree_holds_the_tokens_in_order(query: str) -> None:
    parsed = parse(query)
    held = list(parsed.root.tokens())
    body = list(parsed.tokens[parsed.prefix_tokens :])
    assert parsed.tokens == tuple(tokens(query))
    if not parsed.errors:
        assert held == body
    assert held == sorted(held, key=lambda token: token.start)
    for node in parsed.root.walk():
        for child in node.children:
            assert node.start <= child.start <= child.stop <= node.stop
