"""Correction of directions: hard cases in files, the examples of the documentation, and what is reported."""

import re
import time
from pathlib import Path

import pytest
from support.cases import read_cases
from support.schemas import DEFAULT_SCHEMA_TEXT, default_schema

from retrocypher.kg.cypher.clauses import relationship_patterns, reverse
from retrocypher.kg.cypher.edits import apply_edits
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.direction import Corrected, correct_directions
from retrocypher.kg.semantics.schema import Connection, Schema, parse_schema
from retrocypher.prompts.templates.exemplars import load_bank

FILMS = parse_schema(Path(__file__).with_name("film_schema.txt").read_text(encoding="utf-8"))
TESTS = Path(__file__).parents[3]
PAGE = (TESTS.parent / "docs" / "errors-and-loops.md").read_text(encoding="utf-8")
MORE = (TESTS / "data" / "direction_examples.txt").read_text(encoding="utf-8")
EXAMPLES = [
    tuple(example.splitlines())
    for block in [*re.findall(r"```cypher\n(.*?)```", PAGE, flags=re.DOTALL), MORE]
    for example in block.strip().split("\n\n")
]


def cases(name: str, schema: Schema) -> list[object]:
    found = read_cases(Path(__file__).with_name(f"{name}_cases.cypher"))
    return [pytest.param(case.text, schema, id=f"{name} {case.heading}") for case in found]


@pytest.mark.parametrize(("marked", "schema"), [*cases("reaction", default_schema()), *cases("film", FILMS)])
def test_what_is_marked_is_turned_and_nothing_else(marked: str, schema: Schema) -> None:
    pieces = marked.replace("⟫", "⟪").split("⟪")
    query = "".join(pieces)
    wanted = [sum(map(len, pieces[:number])) for number in range(1, len(pieces), 2)]
    parsed = parse(query)
    patterns = [each for each in relationship_patterns(parsed) if each.start in wanted]
    edits = [edit for pattern in patterns for edit in reverse(pattern)]
    assert len(edits) == 2 * len(wanted)
    corrected = correct_directions(query, schema)
    assert corrected == correct_directions(parsed, schema)
    assert [turned.start for turned in corrected.turned] == wanted
    assert corrected.query == apply_edits(query, edits)
    assert correct_directions(corrected.query, schema).turned == ()


@pytest.mark.parametrize(("query", "outcome"), EXAMPLES)
def test_example(query: str, outcome: str) -> None:
    assert not parse(query).errors
    assert outcome[:2] in ("→ ", "= ")
    wanted = outcome[2:] if outcome.startswith("→") else query
    assert correct_directions(query, default_schema()).query == wanted


def test_the_schema_is_the_one_shown() -> None:
    assert DEFAULT_SCHEMA_TEXT.replace("\n", "\n    ") in PAGE
    assert len(EXAMPLES) > 15


def test_no_reference_query_and_no_exemplar_changes() -> None:
    exemplars = [*load_bank("single_step"), *load_bank("multi_step")]
    assert exemplars
    queries = [question.reference_cypher for question in load_questions().questions]
    for query in [*queries, *(exemplar.cypher for exemplar in exemplars)]:
        assert correct_directions(query, default_schema()) == Corrected(query, ())


TWO_TURNS = (
    "MATCH (t:Molecule {name: 'CCO'})-[p:PRODUCES]->(r)<-[:USES_AGENT|USES_SOLVENT]-(:Molecule) RETURN r"
)


@pytest.mark.parametrize(
    ("query", "messages"),
    [
        (
            TWO_TURNS,
            [
                "Turned (t:Molecule)-[p:PRODUCES]->(r) at character 32 into (t:Molecule)<-[p:PRODUCES]-(r): "
                "PRODUCES runs from (:Reaction) to (:Molecule).",
                "Turned (r)<-[:USES_AGENT|USES_SOLVENT]-(:Molecule) at character 50 into "
                "(r)-[:USES_AGENT|USES_SOLVENT]->(:Molecule): "
                "USES_AGENT runs from (:Reaction) to (:Molecule), "
                "USES_SOLVENT runs from (:Reaction) to (:Molecule).",
            ],
        ),
        (
            "MATCH (r:Reaction)-[:REACTS_IN*1..2]->()(()<-[:REACTS_IN]-(:Reaction)){1}() RETURN r",
            [
                "Turned (r:Reaction)-[:REACTS_IN*1..2]->() at character 18 into "
                "(r:Reaction)<-[:REACTS_IN*1..2]-(): REACTS_IN runs from (:Molecule) to (:Reaction).",
                "Turned ()<-[:REACTS_IN]-(:Reaction) at character 43 into ()-[:REACTS_IN]->(:Reaction): "
                "REACTS_IN runs from (:Molecule) to (:Reaction).",
            ],
        ),
    ],
    ids=["types", "lengths and quantified paths"],
)
def test_it_says_what_was_turned_and_why(query: str, messages: list[str]) -> None:
    assert [turned.message for turned in correct_directions(query, default_schema()).turned] == messages


def test_it_says_where_an_arrow_was_turned() -> None:
    first = correct_directions(TWO_TURNS, default_schema()).turned[0]
    assert (first.start, first.stop) == (32, 47)
    assert (first.before, first.after) == ("-[p:PRODUCES]->", "<-[p:PRODUCES]-")


def test_arrows_in_other_characters() -> None:
    query = "MATCH (r:Reaction)⟨—[:PRODUCES]—(m:Molecule) RETURN r"
    assert correct_directions(query, default_schema()).query == (
        "MATCH (r:Reaction)—[:PRODUCES]—>(m:Molecule) RETURN r"
    )


def test_a_query_nested_deeply_is_read_or_left() -> None:
    for depth in (50, 2000):
        query = f"MATCH (r:Reaction)<-[:PRODUCES]-(m) WHERE {'(' * depth}true{')' * depth} RETURN r"
        corrected = correct_directions(query, default_schema())
        assert corrected.query in (query, query.replace("<-[:PRODUCES]-", "-[:PRODUCES]->"))


def test_a_query_of_many_patterns_takes_no_long() -> None:
    labelled = ", ".join(f"(r{n}:Reaction)<-[:PRODUCES]-(m{n})" for n in range(500))
    bare = ", ".join(f"(x{n % 7})<-[:PRODUCES]-(y{n % 5})" for n in range(400))
    started = time.process_time()
    corrected = correct_directions(f"MATCH {labelled}, {bare} RETURN 1 AS one", default_schema())
    assert len(corrected.turned) == 500
    assert time.process_time() - started < 20


def test_a_schema_of_many_kinds_and_a_tangled_query_take_no_long() -> None:
    labels = [frozenset({f"L{number}"}) for number in range(60)]
    edges = frozenset(
        Connection(labels[number], "T", labels[(number + step) % 60])
        for number in range(60)
        for step in (1, 7)
    )
    schema = Schema({label: {} for label in labels}, {"T": {}}, edges)
    tangle = ", ".join(f"(n{a})-[:T]->(n{b})" for a in range(5) for b in range(a))
    started = time.process_time()
    corrected = correct_directions(
        f"MATCH (:L1)-[:T]->(:L0), {tangle}, (x)<-[:T*3]-(:L0) RETURN 1 AS one", schema
    )
    assert [turned.start for turned in corrected.turned] == [11]
    assert time.process_time() - started < 20
