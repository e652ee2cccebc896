"""What each neutral operator and each of style does to a query."""

import pytest

from retrocypher.kg.mutations.registry import OPERATORS, mutations_of, operators_of

FULL = (
    "MATCH (r:Reaction)-[:PRODUCES]->(t:Molecule {name: 'CC'})\n"
    "OPTIONAL MATCH (a:Molecule)-[:REACTS_IN]->(r)\n"
    "OPTIONAL MATCH (r)-[:USES_AGENT]->(g:Molecule)\n"
    "RETURN r.id AS id, collect(DISTINCT a.name) AS reactants, collect(DISTINCT g.name) AS agents"
)
PATH = (
    "MATCH p = (s:Molecule)-[:REACTS_IN|PRODUCES*4]->(t:Molecule {name: 'CC'})\n"
    "WITH [n IN nodes(p) WHERE n:Reaction] AS steps\nRETURN DISTINCT steps"
)


def made(operator: str, query: str) -> list[str]:
    return [each.query for each in mutations_of(OPERATORS[operator], query)]


def test_variables_and_columns_get_other_names() -> None:
    assert made("rename_variables", "MATCH (r)-->(m) RETURN r.id AS id, m.name AS r") == [
        "MATCH (r1)-->(m1) RETURN r1.id AS id, m1.name AS r",
        "MATCH (n0)-->(n1) RETURN n0.id AS id, n1.name AS r",
        "MATCH (theR)-->(theM) RETURN theR.id AS id, theM.name AS r",
    ]
    renamed = made("rename_columns", FULL)[0]
    assert renamed.endswith(
        "RETURN r.id AS reaction_id, collect(DISTINCT a.name) AS reactant_names, "
        "collect(DISTINCT g.name) AS agent_names"
    )


def test_an_edge_is_written_from_its_other_side() -> None:
    assert "(t:Molecule {name: 'CC'})<-[:PRODUCES]-(r:Reaction)" in made("flip_pattern", FULL)[0]
    (flipped,) = made("flip_pattern", PATH)
    assert "p = (t:Molecule {name: 'CC'})<-[:REACTS_IN|PRODUCES*4]-(s:Molecule)" in flipped
    assert "reverse(nodes(p))" in flipped
    # Without the nodes as a list, the order of the path itself would change.
    assert made("flip_pattern", "MATCH p = (a)-->(b) RETURN p") == []


def test_labels_come_and_go() -> None:
    assert len(made("drop_labels", FULL)) == 4
    assert "(a)-[:REACTS_IN]->(r)" in made("drop_labels", FULL)[1]
    assert "(a:Molecule)-[:REACTS_IN]->(r:Reaction)" in made("add_labels", FULL)[0]


def test_a_path_is_written_out() -> None:
    quantified, labelled, plain = made("write_out_path", PATH)
    step = "-[:REACTS_IN]->(:Reaction)-[:PRODUCES]->"
    assert f"(s:Molecule) ((:Molecule){step}(:Molecule)){{2}} (t:Molecule" in quantified
    assert f"(s:Molecule){step}(:Molecule){step}(t:Molecule" in labelled
    assert "(s:Molecule)-[:REACTS_IN]->()-[:PRODUCES]->()-[:REACTS_IN]->()-[:PRODUCES]->(t" in plain
    assert made("write_out_path", PATH.replace("*4", "*3")) == []


def test_an_anchor_moves_to_where_and_back() -> None:
    (moved,) = made("map_to_where", FULL)
    assert moved.startswith("MATCH (r:Reaction)-[:PRODUCES]->(t:Molecule)\nWHERE t.name = 'CC'\nOPTIONAL")
    assert made("where_to_map", moved) == [FULL]
    with_condition = "MATCH (a {name: 'C'})-->(b) WHERE b.name <> 'O' RETURN a"
    assert made("map_to_where", with_condition) == [
        "MATCH (a)-->(b) WHERE a.name = 'C' AND b.name <> 'O' RETURN a"
    ]


def test_all_of_several_by_a_pattern_each() -> None:
    query = (
        "MATCH (r:Reaction)-[:PRODUCES]->(w:Molecule) WHERE w.name IN ['CC', 'O'] "
        "WITH r, count(DISTINCT w) AS made WHERE made = 2 RETURN r.id AS id"
    )
    first, second = "(r:Reaction)-[:PRODUCES]->(:Molecule {name: 'CC'})", "(:Molecule {name: 'O'})"
    joined, asked = made("pattern_for_each", query)
    assert joined == f"MATCH {first}, (r:Reaction)-[:PRODUCES]->{second} RETURN r.id AS id"
    assert asked.startswith(f"MATCH (r:Reaction)\nWHERE EXISTS {{ {first} }}\n  AND EXISTS {{ (r:Reaction)")


def test_clauses_change_places_or_are_parted() -> None:
    (swapped,) = made("swap_clauses", FULL)
    assert swapped.index("USES_AGENT") < swapped.index("REACTS_IN")
    assert made("swap_clauses", FULL.replace("(r)-[:USES_AGENT]", "(a)-[:USES_AGENT]")) == []
    assert made("with_all", PATH) == [PATH.replace("RETURN", "WITH *\nRETURN")]
    assert "WITH r\nOPTIONAL MATCH (a" in made("with_names", FULL)[0]
    assert "WITH r, a, g\nRETURN" in made("with_names", FULL)[2]


def test_components_are_collected_early() -> None:
    (early,) = made("collect_early", FULL)
    assert early.endswith(
        "OPTIONAL MATCH (a:Molecule)-[:REACTS_IN]->(r)\nWITH r, collect(DISTINCT a.name) AS reactants\n"
        "OPTIONAL MATCH (r)-[:USES_AGENT]->(g:Molecule)\n"
        "WITH r, reactants, collect(DISTINCT g.name) AS agents\nRETURN r.id AS id, reactants, agents"
    )
    assert made("collect_early", made("with_names", FULL)[2]) == []


def test_the_same_is_returned_in_other_ways() -> None:
    turned = made("reorder_items", "MATCH (a) RETURN a.id AS x, a.name, a.n")
    assert [each.partition("RETURN ")[2] for each in turned] == [
        "a.n, a.name, a.id AS x",
        "a.name, a.n, a.id AS x",
    ]
    assert len(made("return_path", PATH)) == 4
    assert made("uncollected", FULL)[0].endswith("r.id AS id, a.name AS reactants, g.name AS agents")
    assert made("drop_distinct", PATH) == [PATH.replace("DISTINCT ", "")]


@pytest.mark.parametrize(
    ("operator", "after"),
    [
        ("double_quotes", 'MATCH (p:PATH) WHERE p.name = "x"\n  RETURN p'),
        ("small_keywords", "match (p:PATH) where p.name = 'x'\n  return p"),
        ("one_line", "MATCH (p:PATH) WHERE p.name = 'x' RETURN p"),
    ],
)
def test_the_same_in_other_letters(operator: str, after: str) -> None:
    assert made(operator, "MATCH (p:PATH) WHERE p.name = 'x'\n  RETURN p") == [after]


def test_no_neutral_operator_has_a_label() -> None:
    for operator in operators_of("neutral"):
        assert {each.label for each in mutations_of(operator, FULL)} <= {None}
