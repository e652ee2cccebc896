"""Schemas read from their text, and what a query means, as far as its text and the schema tell."""

import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import Case, read_cases
from support.schemas import DEFAULT_SCHEMA_TEXT

from retrocypher.kg.cypher.edits import Edit, apply_edits
from retrocypher.kg.cypher.tokens import tokens
from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.builder import walk
from retrocypher.kg.semantics.query_model import (
    Call,
    Comprehension,
    Constant,
    EdgeTerm,
    HasLabel,
    Hops,
    NodeTerm,
    Operation,
    Property,
    QueryModel,
    Subquery,
    Term,
)
from retrocypher.kg.semantics.reader import read_query
from retrocypher.kg.semantics.schema import Connection, Schema, SchemaEdge, default_schema, parse_schema

WIDE = """\
Nodes and their properties:
()
(:A:B {x: FLOAT | INTEGER, `y:z`: STRING})
(:B {w: STRING})
(:`odd ``label``, {` {`a b`: LIST<INTEGER NOT NULL | STRING NOT NULL> | STRING})
Relationships and their properties:
[:KNOWS {since: DATE}]
[:`HAS PART`]
Directions:
()-[:KNOWS]->(:`odd ``label``, {`)
(:A:B)-[:KNOWS]->(:B)
(:A:B)-[:`HAS PART`]->()
(:B)-[:KNOWS]->(:A:B)"""

AB, B, NONE, ODD = frozenset("AB"), frozenset("B"), frozenset[str](), frozenset({"odd `label`, {"})

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
label_sets = st.frozensets(names, max_size=2)
kinds = st.sampled_from(["STRING", "FLOAT", "LIST<STRING NOT NULL>", "ZONED DATETIME"])
properties = st.dictionaries(names, st.frozensets(kinds, min_size=1), max_size=3)


def text_of(schema: Schema) -> str:
    """Write a schema as ``schema_text`` does, every name in backticks."""

    def quoted(name: str) -> str:
        return f"`{name.replace('`', '``')}`"

    def node(labels: frozenset[str], inner: str = "") -> str:
        return f"({''.join(f':{quoted(label)}' for label in sorted(labels))}{inner})"

    def braces(properties: dict[str, frozenset[str]]) -> str:
        inner = ", ".join(
            f"{quoted(name)}: {' | '.join(sorted(types))}" for name, types in properties.items()
        )
        return f" {{{inner}}}" if inner else ""

    return "\n".join(
        [
            "Nodes and their properties:",
            *(node(labels, braces(dict(found))) for labels, found in schema.nodes.items()),
            "Relationships and their properties:",
            *(f"[:{quoted(name)}{braces(dict(found))}]" for name, found in schema.types.items()),
            "Directions:",
            *(f"{node(c.start)}-[:{quoted(c.type)}]->{node(c.end)}" for c in schema.connections),
        ]
    )


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    nodes = draw(st.dictionaries(label_sets, properties, min_size=1, max_size=4))
    types = draw(st.dictionaries(names, properties, max_size=3))
    ends = st.sampled_from(sorted(nodes, key=sorted))
    connection = st.builds(Connection, ends, st.sampled_from(sorted(types) or ["T"]), ends)
    return Schema(nodes, types, draw(st.frozensets(connection, max_size=5 if types else 0)))


def test_the_default_graph() -> None:
    schema = default_schema()
    assert schema.labels == {"Molecule": {"name": {"STRING"}}, "Reaction": {"id": {"INTEGER"}}}
    assert list(schema.types) == ["PRODUCES", "REACTS_IN", "USES_AGENT", "USES_SOLVENT"]
    assert schema.types["PRODUCES"] == {"yield": {"FLOAT"}}
    assert schema.edges == {
        SchemaEdge("Molecule", "REACTS_IN", "Reaction"),
        *(SchemaEdge("Reaction", name, "Molecule") for name in ("PRODUCES", "USES_AGENT", "USES_SOLVENT")),
    }


def test_nodes_with_several_labels_or_none_and_odd_names() -> None:
    schema = parse_schema(WIDE)
    assert set(schema.nodes) == {NONE, AB, B, ODD}
    assert schema.nodes[ODD] == {"a b": {"LIST<INTEGER NOT NULL | STRING NOT NULL>", "STRING"}}
    assert schema.labels["B"] == {"x": {"FLOAT", "INTEGER"}, "y:z": {"STRING"}, "w": {"STRING"}}
    assert Connection(AB, "HAS PART", NONE) in schema.connections


def test_questions_about_a_schema() -> None:
    schema = default_schema()
    assert schema.allows("Molecule", "REACTS_IN", "Reaction")
    assert not schema.allows("Reaction", "REACTS_IN", "Molecule")
    assert schema.allows("Reaction", None, "Molecule")
    assert schema.allows(None, "PRODUCES", None)
    assert not schema.allows("Molecule", None, "Molecule")
    assert parse_schema(WIDE).allows("A", "HAS PART", None)
    assert schema.has_label("Molecule")
    assert not schema.has_label("molecule")
    assert schema.has_type("PRODUCES")
    assert not schema.has_type("Molecule")
    assert schema.has_property("yield")
    assert schema.has_property("yield", "PRODUCES")
    assert not schema.has_property("yield", "Reaction")
    assert schema.has_property("name", "Molecule")
    assert not schema.has_property("smiles")
    assert schema.labels_with("id") == {"Reaction"}
    assert schema.types_with("yield") == {"PRODUCES"}
    assert schema.labels_with("yield") == set()


def test_space_and_what_only_directions_name() -> None:
    schema = parse_schema(
        "\n  Nodes and their properties:\n\n Relationships and their properties:\n"
        "Directions:\r\n ( :A ) -[ :T ]-> ( )\n"
    )
    assert schema.nodes == {frozenset("A"): {}, NONE: {}}
    assert schema.types == {"T": {}}
    assert schema.connections == {Connection(frozenset("A"), "T", NONE)}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Nodes and their properties:", "Nodes:", "line 1: 'Nodes:' is not the heading 'Nodes and their"),
        ("Directions:\n", "", "line 9: .* is not a type such as"),
        ("[:REACTS_IN]", "[:REACTS IN]", r"line 6: '\[:REACTS IN\]' is not a type such as \[:PRODUCES"),
        ("{name: STRING}", "{name}", "line 2: .* is not a node such as"),
        ("(:Molecule)-[:REACTS_IN]->", "(:Molecule)<-[:REACTS_IN]-", "line 9|line 10: .* is not a direction"),
        ("(:Reaction {id: INTEGER})", "(:Reaction {id: INTEGER}", "line 3: .* is not a node"),
        (DEFAULT_SCHEMA_TEXT, "", "no heading 'Nodes and their properties:'"),
        (DEFAULT_SCHEMA_TEXT[DEFAULT_SCHEMA_TEXT.index("Directions:") :], "", "no heading 'Directions:'"),
    ],
)
def test_a_bad_line_or_missing_heading_is_named(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_schema(DEFAULT_SCHEMA_TEXT.replace(old, new))


@given(schemas())
def test_what_is_written_is_read_again(schema: Schema) -> None:
    assert parse_schema(text_of(schema)) == schema


SCHEMA = default_schema()
QUESTIONS = load_questions().questions
PIECES = sorted({token.text for question in QUESTIONS[::97] for token in tokens(question.reference_cypher)})
NAME = Property(NodeTerm(0), "name")


def read(query: str) -> QueryModel:
    return read_query(query, SCHEMA)


def labels(reading: QueryModel) -> dict[str | None, set[str]]:
    return {node.variable: set(node.labels) for node in reading.nodes}


def returned(reading: QueryModel) -> list[Term]:
    found = reading.returned()
    assert found is not None
    return [item.term for item in found.items]


def cases(heading: str) -> pytest.MarkDecorator:
    found = read_cases(Path(__file__).with_name("reader_cases.cypher"), heading)
    return pytest.mark.parametrize("case", found, ids=lambda case: f"{case.heading}: {case.text}")


@pytest.mark.parametrize("question", QUESTIONS[::40], ids=lambda question: question.id)
def test_a_reference_is_read_without_a_gap(question: Question) -> None:
    reading = read(question.reference_cypher)
    assert not reading.unread
    assert not reading.undefined
    assert {edge.agreement for edge in reading.edges} == {"as_written"}
    assert reading.returned() is not None


@cases("labels")
def test_labels_follow_from_the_schema(case: Case) -> None:
    found = labels(read(case.text))
    assert found["m"] == {"Molecule"}
    assert found.get("r", found.get("x")) == {"Reaction"}


@pytest.mark.parametrize(
    ("length", "label"),
    [("7", "Reaction"), ("8", "Molecule"), ("1000000001", "Reaction"), ("1000000000", "Molecule")],
)
def test_a_length_that_nobody_walks_is_no_harder_than_a_short_one(length: str, label: str) -> None:
    found = read(f"MATCH (:Molecule)-[:REACTS_IN|PRODUCES*{length}]->(x) RETURN x")
    assert labels(found)["x"] == {label}


def test_an_edge_is_the_same_from_both_sides() -> None:
    forward = read("MATCH (m)-[:REACTS_IN]->(r) RETURN r").edges[0]
    backward = read("MATCH (r)<-[:REACTS_IN]-(m) RETURN r").edges[0]
    assert (forward.start, forward.end, forward.leftward) == (0, 1, False)
    assert (backward.start, backward.end, backward.leftward) == (1, 0, True)


@cases("arrow")
def test_arrows_are_held_against_the_schema(case: Case) -> None:
    assert read(case.text).edges[0].agreement == case.heading.removeprefix("arrow ")


@cases("hops")
def test_lengths_follow_from_patterns_and_conditions(case: Case) -> None:
    least, most = (None if text == "any" else int(text) for text in case.heading[5:].split(" to "))
    reading = read(case.text)
    whole = [edge for edge in reading.edges if reading.scopes[edge.scope].kind != "group"]
    assert [edge.hops for edge in whole] == [Hops(least or 0, most)]
    assert reading.paths[0].hops == whole[0].hops


@cases("column")
def test_a_column_is_followed_to_what_it_holds(case: Case) -> None:
    reading = read(case.text)
    product = next(node.key for node in reading.nodes if node.variable == "m")
    assert Property(NodeTerm(product), "name") in walk(returned(reading)[0])
    assert not reading.unread


def test_what_is_kept_of_a_path_is_reported() -> None:
    (kept,) = returned(read("MATCH p = (a)-[*2]->(b) RETURN [n IN nodes(p) WHERE n:Reaction | n.id] AS ids"))
    assert isinstance(kept, Comprehension)
    assert kept.where == HasLabel(kept.element, ("Reaction",))
    assert kept.projection == Property(kept.element, "id")


def test_optional_parts_and_scopes_are_told_apart() -> None:
    reading = read(
        "MATCH (r:Reaction) OPTIONAL MATCH (r)-[:USES_AGENT]->(a) WHERE a.name = 'X' "
        "WITH r, a WHERE a IS NOT NULL "
        "RETURN r, EXISTS { (r)-[:PRODUCES]->(b) } AS made, [(r)-->(c) | c] AS x"
    )
    assert [edge.optional for edge in reading.edges] == [True, False, False]
    assert [condition.optional for condition in reading.conditions] == [True, False]
    scopes = [(scope.kind, scope.keeps_rows) for scope in reading.scopes]
    assert scopes == [("branch", False), ("exists", False), ("collect", True)]


@cases("subquery")
def test_a_subquery_keeps_the_row_where_it_only_aggregates(case: Case) -> None:
    reading = read(case.text)
    keeps = [scope.keeps_rows for scope in reading.scopes if scope.kind == "call"]
    assert keeps == [case.heading == "subquery keeps the row"]
    assert not reading.undefined


@cases("not bound:")
def test_variables_that_are_not_bound_are_reported(case: Case) -> None:
    assert sorted(use.name for use in read(case.text).undefined) == case.heading.split()[2:]


def test_branches_of_a_union_are_read_apart() -> None:
    reading = read("MATCH (a:Molecule) RETURN a.name AS x UNION MATCH (b:Reaction) RETURN b.id AS x")
    assert [reading.returned(scope.index) is not None for scope in reading.branches] == [True, True]


def test_negations_are_resolved() -> None:
    reading = read("MATCH (a) WHERE NOT (a.name = 'X' OR a.name IS NULL) AND NOT NOT a:Molecule RETURN a")
    operators = [getattr(condition.term, "operator", "label") for condition in reading.conditions]
    assert operators == ["<>", "is not null", "label"]


@pytest.mark.parametrize(
    ("condition", "term"),
    [
        ("true OR m.name = 'C'", Constant(True)),
        ("m.name = 'C' OR 1 = 1", Constant(True)),
        ("m.name = 'C' AND 'a' IS NOT NULL", Operation("=", (NAME, Constant("C")))),
        ("m.name = 'C' OR false", Operation("=", (NAME, Constant("C")))),
        ("m.name = 'C' AND 1 = 2", Constant(False)),
        ("1 = 1.0 OR 'a' = 'b'", None),
    ],
)
def test_literals_decide_a_condition(condition: str, term: Term | None) -> None:
    (found,) = read(f"MATCH (m:Molecule) WHERE {condition} RETURN m").conditions
    assert found.term == term if term is not None else not isinstance(found.term, Constant)


@cases("path")
def test_all_shortest_paths_of_one_length_are_all_paths(case: Case) -> None:
    (path,) = read(case.text).paths
    assert path.shortest is (case.heading == "path only the shortest")


@cases("unread")
def test_what_is_not_read_is_said(case: Case) -> None:
    assert read(case.text).unread


def test_a_pattern_in_a_condition_is_a_subquery() -> None:
    (condition,) = read("MATCH (r) WHERE NOT (r)-[:PRODUCES]->() RETURN r").conditions
    assert type([*walk(condition.term)][-1]) is Subquery


def test_aggregates_over_relationships_are_followed() -> None:
    reading = read("MATCH (r)-[p:PRODUCES]->(m) RETURN max(p.yield) AS best")
    assert returned(reading) == [Call("max", (Property(EdgeTerm(0), "yield"),))]
    assert reading.returned().grouped  # type: ignore[union-attr]


@given(st.text(max_size=120))
def test_any_text_is_read(text: str) -> None:
    read(text)


@given(st.sampled_from(QUESTIONS[::97]), st.integers(0, 400), st.sampled_from(PIECES), st.booleans())
def test_a_query_with_a_token_changed_is_read(
    question: Question, place: int, piece: str, added: bool
) -> None:
    found = tokens(question.reference_cypher)
    token = found[place % len(found)]
    start = token.stop if added else token.start
    reading = read(apply_edits(question.reference_cypher, [Edit(start, token.stop, f" {piece} ")]))
    assert bool(reading.parsed.errors) <= bool(reading.unread)


@given(st.sampled_from(QUESTIONS[::97]), st.text(string.ascii_lowercase, min_size=1, max_size=6))
def test_names_of_variables_do_not_matter(question: Question, name: str) -> None:
    variable = "reaction" if question.setting == "single_step" else "path"
    edits = [
        Edit(token.start, token.stop, f"`{name} x`")
        for token in tokens(question.reference_cypher)
        if token.text == variable
    ]
    first, second = read(question.reference_cypher), read(apply_edits(question.reference_cypher, edits))
    assert [edge.agreement for edge in first.edges] == [edge.agreement for edge in second.edges]
    assert [node.labels for node in first.nodes] == [node.labels for node in second.nodes]
    assert [c.term for c in first.conditions] == [c.term for c in second.conditions]
    assert returned(first) == returned(second)
