"""Hard cases, in files. What stands between ⟪ ⟫ must be turned, and nothing else may change."""

from pathlib import Path

import pytest
from support.schemas import default_schema

from retrocypher.kg.cypher.clauses import relationship_patterns, reverse
from retrocypher.kg.cypher.edits import apply_edits
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.semantics.direction import correct_directions
from retrocypher.kg.semantics.schema import Schema, parse_schema

FILMS = parse_schema(
    """\
Nodes and their properties:
()
(:Actor:Person {name: STRING})
(:Director:Person {name: STRING})
(:Genre {name: STRING})
(:Movie {title: STRING, year: INTEGER})
(:Person {name: STRING})
Relationships and their properties:
[:ABOUT]
[:ACTED_IN {role: STRING}]
[:DIRECTED]
[:IN_GENRE]
[:KNOWS]
[:LIKES]
[:RATED {stars: INTEGER}]
Directions:
()-[:ABOUT]->(:Movie)
(:Actor:Person)-[:ACTED_IN]->(:Movie)
(:Director:Person)-[:DIRECTED]->(:Movie)
(:Movie)-[:IN_GENRE]->(:Genre)
(:Movie)-[:LIKES]->(:Person)
(:Person)-[:KNOWS]->(:Person)
(:Person)-[:LIKES]->(:Movie)
(:Person)-[:RATED]->(:Movie)"""
)


def cases(name: str) -> list[object]:
    """The lines of a file, named by their heading."""
    found, group, number = [], "", 0
    for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            group, number = line[3:], 0
        else:
            number += 1
            found.append(pytest.param(line, id=f"{group} {number}"))
    return found


def check(marked: str, schema: Schema) -> None:
    query = marked.replace("⟪", "").replace("⟫", "")
    wanted, left = [], 0
    for number, piece in enumerate(marked.replace("⟫", "⟪").split("⟪")):
        wanted += [left] if number % 2 else []
        left += len(piece)
    parsed = parse(query)
    edits = [
        edit
        for pattern in relationship_patterns(parsed)
        if pattern.start in wanted
        for edit in reverse(pattern)
    ]
    assert len(edits) == 2 * len(wanted)

    corrected = correct_directions(query, schema)

    assert [turned.start for turned in corrected.turned] == wanted
    assert corrected.query == apply_edits(query, edits)
    assert correct_directions(corrected.query, schema).turned == ()


@pytest.mark.parametrize("marked", cases("reaction_cases.cypher"))
def test_reactions(marked: str) -> None:
    check(marked, default_schema())


@pytest.mark.parametrize("marked", cases("film_cases.cypher"))
def test_films(marked: str) -> None:
    check(marked, FILMS)
