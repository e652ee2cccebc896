"""Schemas read from their text, and what can be asked of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.schemas import DEFAULT_SCHEMA_TEXT, default_schema

from retrocypher.kg.errors import InputError
from retrocypher.kg.semantics.schema import Connection, Schema, SchemaEdge, parse_schema
from retrocypher.kg.semantics.schema import default_schema as shipped_schema

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
    assert shipped_schema() == schema
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
