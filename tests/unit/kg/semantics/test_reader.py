"""What a query means, as far as its text and the schema tell."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.schemas import default_schema

from retrocypher.kg.cypher.edits import Edit, apply_edits
from retrocypher.kg.cypher.tokens import tokens
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

SCHEMA = default_schema()
QUESTIONS = load_questions().questions

PIECES = sorted({token.text for question in QUESTIONS[::97] for token in tokens(question.reference_cypher)})


def read(query: str) -> QueryModel:
    return read_query(query, SCHEMA)


def labels(reading: QueryModel) -> dict[str | None, set[str]]:
    return {node.variable: set(node.labels) for node in reading.nodes}


@pytest.mark.parametrize("question", QUESTIONS[::40], ids=lambda question: question.id)
def test_a_reference_is_read_without_a_gap(question: Question) -> None:
    reading = read(question.reference_cypher)
    assert not reading.unread
    assert not reading.undefined
    assert {edge.agreement for edge in reading.edges} == {"as_written"}
    assert reading.returned() is not None


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (m)-[:REACTS_IN]->(r) RETURN m",
        "MATCH (r)<-[:REACTS_IN]-(m) RETURN m",
        "MATCH (r)-[:REACTS_IN]-(m) RETURN r.id, m.name",
        "MATCH (m) MATCH (m)-[:REACTS_IN]->(r) RETURN m",
        "MATCH (m)-[:REACTS_IN]->(x) WITH x AS r, m MATCH (r)-[:PRODUCES]->() RETURN r, m",
        "MATCH (m:Molecule)-->(r:Reaction) RETURN m",
        "MATCH (r) WHERE EXISTS { (m)-[:REACTS_IN]->(r) } RETURN r",
    ],
)
def test_labels_follow_from_the_schema(query: str) -> None:
    found = labels(read(query))
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


@pytest.mark.parametrize(
    ("query", "agreement"),
    [
        ("MATCH (m:Molecule)-[:REACTS_IN]->(r) RETURN r", "as_written"),
        ("MATCH (m:Molecule)<-[:REACTS_IN]-(r) RETURN r", "turned"),
        ("MATCH (m)-[:REACTS_IN]->(r {id: 1}) RETURN r", "as_written"),
        ("MATCH (m)<-[:REACTS_IN]-(r {id: 1}) RETURN r", "turned"),
        ("MATCH (m:Molecule)-[:REACTS_IN]-(r) RETURN r", "as_written"),
        ("MATCH (m:Molecule)-[:REACTS_IN|PRODUCES]-(r) RETURN r", "both"),
        ("MATCH (m:Molecule)-[:REACTS_IN]->(n:Molecule) RETURN n", "never"),
        ("MATCH (m:Molecule)-[:REACTS_IN|PRODUCES*3]->(n:Molecule) RETURN n", "never"),
        ("MATCH (m:Molecule)-[:REACTS_IN|PRODUCES*4]->(n:Molecule) RETURN n", "as_written"),
        ("MATCH (m:Molecule)-[:REACTS_IN|PRODUCES*4]-(n:Molecule) RETURN n", "both"),
    ],
)
def test_arrows_are_held_against_the_schema(query: str, agreement: str) -> None:
    assert read(query).edges[0].agreement == agreement


@pytest.mark.parametrize(
    ("pattern", "condition", "hops"),
    [
        ("-[:REACTS_IN|PRODUCES*4]->", "", (4, 4)),
        ("-[:REACTS_IN|PRODUCES*]->", "", (1, None)),
        ("-[:REACTS_IN|PRODUCES*..6]->", "", (1, 6)),
        ("-[:REACTS_IN|PRODUCES]->{2,4}", "", (2, 4)),
        ("-[:REACTS_IN|PRODUCES*]->", "length(p) = 4", (4, 4)),
        ("-[:REACTS_IN|PRODUCES*..8]->", "size(relationships(p)) = 6", (6, 6)),
        ("-[:REACTS_IN|PRODUCES*..8]->", "size(nodes(p)) = 5", (4, 4)),
        ("-[:REACTS_IN|PRODUCES*..8]->", "length(p) > 2 AND length(p) <= 6", (3, 6)),
        ("-[:REACTS_IN|PRODUCES*..8]->", "4 = length(p)", (4, 4)),
        ("-[:REACTS_IN|PRODUCES*]->", "length(p) / 2 = 3", (6, 6)),
        ("-[:REACTS_IN|PRODUCES*]->", "length(p) = 2 * 3", (6, 6)),
        ("-[:REACTS_IN|PRODUCES*]->", "length(p) IN [4]", (4, 4)),
        ("-[:REACTS_IN|PRODUCES*]->", "size([n IN nodes(p) WHERE n:Reaction]) = 2", (4, 4)),
        ("-[:REACTS_IN|PRODUCES*]->", "size([n IN nodes(p) WHERE 'Reaction' IN labels(n)]) = 2", (4, 4)),
        ("-[e:REACTS_IN|PRODUCES*]->", "size(e) = 4", (4, 4)),
        ("((:Molecule)-[:REACTS_IN]->(:Reaction)-[:PRODUCES]->(:Molecule)){2}", "", (4, 4)),
        ("((:Molecule)-[:REACTS_IN]->(:Reaction)-[:PRODUCES]->(:Molecule))+", "", (2, None)),
    ],
)
def test_lengths_follow_from_patterns_and_conditions(
    pattern: str, condition: str, hops: tuple[int, int | None]
) -> None:
    where = f"WHERE {condition}" if condition else ""
    reading = read(f"MATCH p = (a:Molecule){pattern}(b:Molecule) {where} RETURN p")
    whole = [edge for edge in reading.edges if reading.scopes[edge.scope].kind != "group"]
    assert [edge.hops for edge in whole] == [Hops(*hops)]
    assert reading.paths[0].hops == Hops(*hops)


def test_a_condition_that_comes_after_a_with_limits_a_length_too() -> None:
    reading = read(
        "MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES*]->(b:Molecule) "
        "WITH p, [n IN nodes(p) WHERE n:Reaction] AS rs WHERE size(rs) = 3 RETURN rs"
    )
    assert reading.edges[0].hops == (6, 6)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (r)-[:PRODUCES]->(m) RETURN collect(DISTINCT m.name) AS x",
        "MATCH (r)-[:PRODUCES]->(m) WITH collect(DISTINCT m) AS ms RETURN [k IN ms | k.name] AS x",
        "MATCH (r)-[:PRODUCES]->(m) WITH r, m AS k WITH k AS j RETURN j.name AS x",
        "MATCH (r)-[:PRODUCES]->(m) RETURN collect(m {.name}) AS x",
        "MATCH (r)-[:PRODUCES]->(m) WITH {product: m} AS map RETURN map.product.name AS x",
        "MATCH (r)-[:PRODUCES]->(m) WITH collect(m) AS ms UNWIND ms AS k RETURN k.name AS x",
        "MATCH (r)-[:PRODUCES]->(m) CALL { WITH m RETURN m.name AS n } RETURN n AS x",
        "MATCH (r)-[:PRODUCES]->(m) WITH * RETURN m.name AS x",
        "MATCH p = (r)-[:PRODUCES]->(m) RETURN last(nodes(p)).name AS x",
        "MATCH (r)-[e:PRODUCES]->(m) RETURN endNode(e).name AS x",
    ],
)
def test_a_column_is_followed_to_what_it_holds(query: str) -> None:
    reading = read(query)
    returned = reading.returned()
    assert returned is not None
    product = next(node.key for node in reading.nodes if node.variable == "m")
    assert Property(NodeTerm(product), "name") in walk(returned.items[0].term)
    assert not reading.unread


def test_what_is_kept_of_a_path_is_told() -> None:
    returned = read(
        "MATCH p = (a)-[*2]->(b) RETURN [n IN nodes(p) WHERE n:Reaction | n.id] AS ids"
    ).returned()
    assert returned is not None
    kept = returned.items[0].term
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
    assert [(scope.kind, scope.keeps_rows) for scope in reading.scopes] == [
        ("branch", False),
        ("exists", False),
        ("collect", True),
    ]


@pytest.mark.parametrize(
    ("query", "keeps"),
    [
        ("CALL { WITH r MATCH (r)-[:USES_AGENT]->(a) RETURN collect(a.name) AS x }", True),
        ("CALL (r) { MATCH (r)-[:USES_AGENT]->(a) RETURN collect(a.name) AS x }", True),
        ("CALL { WITH r MATCH (r)-[:USES_AGENT]->(a) RETURN a.name AS x }", False),
        ("OPTIONAL CALL (r) { MATCH (r)-[:USES_AGENT]->(a) RETURN a.name AS x }", True),
    ],
)
def test_a_subquery_keeps_the_row_where_it_only_aggregates(query: str, keeps: bool) -> None:
    reading = read(f"MATCH (r:Reaction) {query} RETURN r.id, x")
    assert [scope.keeps_rows for scope in reading.scopes if scope.kind == "call"] == [keeps]
    assert not reading.undefined


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("MATCH (a) RETURN b.id", ["b"]),
        ("MATCH (a) WITH a.id AS i RETURN a", ["a"]),
        ("MATCH (a) WITH count(*) AS n WHERE a.id = n RETURN n", []),
        ("MATCH (a) CALL { MATCH (b) RETURN b } RETURN a, b", []),
        ("MATCH (a) CALL { RETURN a AS c } RETURN c", ["a"]),
        ("MATCH (a) WHERE any(x IN a.list WHERE x = y) RETURN x", ["y", "x"]),
        ("RETURN [x IN [1] | x] AS l", []),
    ],
)
def test_variables_that_are_not_bound_are_told(query: str, names: list[str]) -> None:
    assert sorted(use.name for use in read(query).undefined) == sorted(names)


def test_branches_of_a_union_are_read_apart() -> None:
    reading = read("MATCH (a:Molecule) RETURN a.name AS x UNION MATCH (b:Reaction) RETURN b.id AS x")
    assert len(reading.branches) == 2
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
        ("m.name = 'C' AND 'a' IS NOT NULL", Operation("=", (Property(NodeTerm(0), "name"), Constant("C")))),
        ("m.name = 'C' OR false", Operation("=", (Property(NodeTerm(0), "name"), Constant("C")))),
        ("m.name = 'C' AND 1 = 2", Constant(False)),
        ("1 = 1.0 OR 'a' = 'b'", None),
    ],
)
def test_literals_decide_a_condition(condition: str, term: Term | None) -> None:
    (found,) = read(f"MATCH (m:Molecule) WHERE {condition} RETURN m").conditions
    assert found.term == term if term is not None else not isinstance(found.term, Constant)


@pytest.mark.parametrize(
    ("pattern", "shortest"),
    [
        ("ALL SHORTEST (a)-[:REACTS_IN|PRODUCES]->{6}(b)", False),
        ("ALL SHORTEST (a)-[:REACTS_IN|PRODUCES]->{4,6}(b)", True),
        ("ALL SHORTEST (a)-[:REACTS_IN|PRODUCES]->+(b)", True),
        ("SHORTEST 1 (a)-[:REACTS_IN|PRODUCES]->{6}(b)", True),
        ("shortestPath((a)-[:REACTS_IN|PRODUCES*6]->(b))", True),
        ("(a)-[:REACTS_IN|PRODUCES*6]->(b)", False),
    ],
)
def test_all_shortest_paths_of_one_length_are_all_paths(pattern: str, shortest: bool) -> None:
    (path,) = read(f"MATCH p = {pattern} RETURN p").paths
    assert path.shortest is shortest


def test_what_is_not_read_is_said() -> None:
    assert read("CALL db.labels() YIELD label RETURN label").unread
    assert read("MATCH (a)-[:!REACTS_IN]->(b) RETURN a").unread
    assert read("MATCH (a").unread


def test_a_pattern_in_a_condition_is_a_subquery() -> None:
    terms = [
        condition.term for condition in read("MATCH (r) WHERE NOT (r)-[:PRODUCES]->() RETURN r").conditions
    ]
    assert [type(part) for term in terms for part in walk(term)][-1] is Subquery


def test_aggregates_over_relationships_are_followed() -> None:
    returned = read("MATCH (r)-[p:PRODUCES]->(m) RETURN max(p.yield) AS best").returned()
    assert returned is not None
    assert returned.grouped
    assert returned.items[0].term == Call("max", (Property(EdgeTerm(0), "yield"),))


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
    changed = apply_edits(question.reference_cypher, [Edit(start, token.stop, f" {piece} ")])
    reading = read(changed)
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
    one, other = first.returned(), second.returned()
    assert one is not None
    assert other is not None
    assert [item.term for item in one.items] == [item.term for item in other.items]
