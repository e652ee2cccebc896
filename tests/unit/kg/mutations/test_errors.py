"""What each operator that plants an error does to queries of several forms."""

import pytest

from retrocypher.kg.cypher.edits import quote, string_literals
from retrocypher.kg.mutations.registry import OPERATORS, mutations_of

HEAD = "MATCH (r:Reaction)-[:PRODUCES]->(t:Molecule {name: 'CC'})"
FULL = (
    f"{HEAD} OPTIONAL MATCH (a:Molecule)-[:REACTS_IN]->(r) OPTIONAL MATCH (r)-[:USES_AGENT]->(g:Molecule) "
    "RETURN r.id AS id, collect(DISTINCT a.name) AS reactants, collect(DISTINCT g.name) AS agents"
)
PATH = (
    "MATCH p = (s:Molecule)-[:REACTS_IN|PRODUCES*4]->(t:Molecule {name: 'CC'}) "
    "WITH [n IN nodes(p) WHERE n:Reaction] AS steps RETURN DISTINCT steps"
)
BEST = (
    "MATCH (r:Reaction)-[y:PRODUCES]->(t:Molecule {name: 'CC'}) WHERE y.yield IS NOT NULL "
    "WITH r, y.yield AS best ORDER BY best DESC LIMIT 1 RETURN r.id AS id, best"
)
ALL_OF = (
    "MATCH (r:Reaction)-[:PRODUCES]->(w:Molecule) WHERE w.name IN ['CC', 'O'] "
    "WITH r, count(DISTINCT w) AS made WHERE made = 2 RETURN r.id AS id"
)


def made(operator: str, query: str) -> list[str]:
    return [each.query for each in mutations_of(OPERATORS[operator], query)]


def labels(operator: str, query: str) -> list[str | None]:
    return [each.label for each in mutations_of(OPERATORS[operator], query)]


def test_arrows_of_single_relationships_are_turned() -> None:
    assert made("reverse_arrow", "MATCH (a)-[:P]->(b)<-[:P]-(c)--(d) RETURN a") == [
        "MATCH (a)<-[:P]-(b)<-[:P]-(c)--(d) RETURN a",
        "MATCH (a)-[:P]->(b)-[:P]->(c)--(d) RETURN a",
    ]
    assert made("reverse_type", "MATCH (a)-[:P]->(b)<-[:P]-(c)-[:Q]->(d) RETURN a") == [
        "MATCH (a)<-[:P]-(b)-[:P]->(c)-[:Q]->(d) RETURN a"
    ]
    assert made("reverse_arrow", PATH) == []


def test_a_path_turned_round_anchors_the_wrong_end() -> None:
    (turned,) = made("reverse_path", PATH)
    assert "(s:Molecule)<-[:REACTS_IN|PRODUCES*4]-(t" in turned
    assert labels("reverse_path", PATH) == ["endpoint_anchoring"]
    assert made("reverse_path", FULL) == []
    assert ["-(t:" in each for each in made("drop_arrow", PATH)] == [True]


@pytest.mark.parametrize(
    ("query", "anchored"),
    [
        (PATH, "MATCH p = (s:Molecule {name: 'CC'})-[:REACTS_IN|PRODUCES*4]->(t:Molecule ) "),
        (
            "MATCH (s:Molecule)-[:REACTS_IN]->(r)-[:PRODUCES]->(t:Molecule) WHERE t.name = 'CC' RETURN r.id",
            "MATCH (s:Molecule)-[:REACTS_IN]->(r)-[:PRODUCES]->(t:Molecule) WHERE s.name = 'CC' RETURN r.id",
        ),
        (
            "MATCH (s:Molecule) ((:Molecule)-->(:Reaction)-->(:Molecule)){2} (t {name: 'CC'}) RETURN s",
            "MATCH (s:Molecule {name: 'CC'}) ((:Molecule)-->(:Reaction)-->(:Molecule)){2} (t ) RETURN s",
        ),
    ],
)
def test_the_other_end_is_anchored_however_the_path_is_written(query: str, anchored: str) -> None:
    (mutant,) = made("anchor_other_end", query)
    assert mutant.startswith(anchored)


def test_the_ends_of_a_path_are_swapped() -> None:
    query = "MATCH (s:Molecule {name: 'A'})-[*4]->(t:Molecule) WHERE t.name = 'B' RETURN s"
    assert made("swap_ends", query) == [
        "MATCH (s:Molecule {name: 'B'})-[*4]->(t:Molecule) WHERE t.name = 'A' RETURN s"
    ]


def test_the_target_becomes_a_reactant_by_map_and_by_condition() -> None:
    assert made("target_reacts", FULL)[0].startswith("MATCH (r:Reaction)<-[:REACTS_IN]-(t:Molecule {name")
    assert made("target_reacts", ALL_OF)[0].startswith("MATCH (r:Reaction)<-[:REACTS_IN]-(w:Molecule) WHERE")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[:R*4]->", ["[:R*2]->", "[:R*6]->"]),
        ("[:R*2]->", ["[:R*4]->"]),
        ("[:R*1..3]->", ["[:R*1]->", "[:R*1..5]->"]),
        ("[:R*2..]->", ["[:R*4..]->"]),
        ("[:R*]->", ["[:R*3..]->"]),
        ("[:R]->{3}", ["[:R]->{2}", "[:R]->{4}"]),
        ("[:R]->{1,2}", ["[:R]->{1}", "[:R]->{1,3}"]),
        ("[:R]->+", ["[:R]->{2,}"]),
        ("[:R]->", []),
    ],
)
def test_changes_the_length_by_one_step(before: str, after: list[str]) -> None:
    query = f"MATCH (a)-{before}(b) RETURN a"
    assert made("change_length", query) == [f"MATCH (a)-{each}(b) RETURN a" for each in after]


@pytest.mark.parametrize(
    ("operator", "after"),
    [
        ("change_hops", ["*3", "*5"]),
        ("double_length", ["*8"]),
        ("steps_for_hops", ["*2"]),
        ("unbounded_length", ["*", "*4.."]),
        ("length_range", ["*1..4", "*2..4"]),
        ("fewer_types", [":REACTS_IN*4", ":PRODUCES*4"]),
        ("drop_type", ["[*4"]),
    ],
)
def test_other_errors_of_paths(operator: str, after: list[str]) -> None:
    found = made(operator, PATH)
    assert len(found) == len(after)
    assert all(f"{text}]->" in mutant for text, mutant in zip(after, found, strict=True))


def test_types_are_exchanged_where_the_same_ends_fit() -> None:
    assert [each.count("USES_SOLVENT") for each in made("swap_conditions", FULL)] == [1]
    reactant = [each for each in made("wrong_type", FULL) if "(a:Molecule)<-[" in each]
    assert len(reactant) == 3
    assert "(a:Molecule)<-[:USES_AGENT]-(r)" in reactant[1]


def test_components_are_dropped_with_their_name() -> None:
    assert labels("drop_component", FULL) == ["missing_component:reactants", "missing_component:agents"]
    assert labels("drop_component_match", FULL) == ["missing_component:reactants", "missing_component:agents"]
    assert "USES_AGENT" not in made("drop_component_match", FULL)[1]
    assert labels("drop_component", BEST) == ["missing_component:target_yield"]
    assert labels("drop_id", FULL) == ["missing_component:id"]
    assert made("drop_component", "MATCH p = (a)-->(b) RETURN DISTINCT p") == []


def test_what_does_not_belong_is_let_in() -> None:
    query = f"{HEAD} OPTIONAL MATCH (r)-[:PRODUCES]->(c) WHERE c <> t RETURN r.id, collect(c.name) AS co"
    assert made("keep_target", query) == [query.replace(" WHERE c <> t", "")]
    assert labels("keep_target", query) == ["extra_component:co_products"]
    lumped = "collect(DISTINCT a.name) + collect(DISTINCT g.name) AS reactants"
    assert lumped in made("lump_components", FULL)[0]


def test_rows_are_lost_or_multiplied() -> None:
    assert [each.count("OPTIONAL") for each in made("require_match", FULL)] == [1, 1]
    assert [each.count("OPTIONAL") for each in made("require_all", FULL)] == [0]
    assert made("other_reaction", FULL)[0].count("(rx:Reaction)") == 1
    assert "->(t:Molecule), (named:Molecule {name: 'CC'}) WITH" in made("anchor_apart", PATH)[0]
    assert len(made("extra_match", FULL)) == 2
    assert "(other:Molecule)" in made("extra_match", PATH)[0]


@pytest.mark.parametrize(
    ("operator", "changed"),
    [
        ("sort_ascending", ["best LIMIT", "best ASC LIMIT"]),
        ("drop_order", ["best LIMIT 1"]),
        ("drop_null_check", ["{name: 'CC'}) WITH"]),
        ("drop_limit", ["DESC RETURN"]),
        ("raise_limit", ["LIMIT 2", "LIMIT 3", "LIMIT 10"]),
        ("skip_row", ["SKIP 1\nLIMIT 1"]),
        ("yield_elsewhere", ["r.yield", "t.yield"]),
    ],
)
def test_errors_of_the_best_yield(operator: str, changed: list[str]) -> None:
    found = made(operator, BEST)
    assert len(found) == len(changed)
    assert all(text in mutant for text, mutant in zip(changed, found, strict=True))


def test_any_of_several_for_all_of_them() -> None:
    assert made("any_of", ALL_OF) == [ALL_OF.replace(" WHERE made = 2", "")]
    assert made("at_least_one", ALL_OF) == [
        ALL_OF.replace("made = 2", text) for text in ("made >= 1", "made > 0")
    ]
    both = "MATCH (r) WHERE EXISTS {(r)-->({name: 'A'})} AND EXISTS {(r)-->({name: 'B'})} RETURN r.id"
    assert made("or_for_and", both) == [both.replace("AND", "OR")]
    assert made("or_for_and", BEST) == []


def test_another_shape_is_returned() -> None:
    assert "n:Molecule]" in made("molecules_for_reactions", PATH)[0]
    assert made("names_for_reactions", FULL) == [f"{HEAD}\nRETURN DISTINCT t.name AS molecule"]
    assert made("count_for_rows", PATH)[0].endswith("RETURN count(DISTINCT steps) AS total")
    assert "last(" in made("one_step_of_route", PATH)[0]
    assert made("length_for_route", FULL) == []


def test_the_schema_is_violated_with_its_part() -> None:
    assert set(labels("anchor_property", ALL_OF)) == {"schema_violation:property"}
    assert "{smiles: 'CC'}" in made("anchor_property", FULL)[0]
    assert "r.reaction_id AS id" in made("returned_property", FULL)[0]
    assert "(r:ChemicalReaction)" in made("invented_label", FULL)[0]
    assert "-[:HAS_PRODUCT]->" in made("invented_type", FULL)[0]
    assert "(a:Molecule)-[:REACTS_IN]->(t)" in made("join_molecules", FULL)[0]
    assert labels("join_molecules", FULL)[0] == "schema_violation:edge"


@pytest.mark.parametrize(
    "operator",
    [
        "unbalanced_bracket",
        "sql_words",
        "missing_return",
        "prose_around",
        "broken_quotes",
        "unknown_variable",
    ],
)
def test_the_text_is_broken_in_every_form(operator: str) -> None:
    for query in (FULL, PATH, BEST, ALL_OF):
        assert made(operator, query)
        assert set(labels(operator, query)) == {"syntax_error"}


def test_other_ends_than_a_result() -> None:
    assert "{name: $target}" in made("parameter_for_literal", FULL)[0]
    assert made("write_clause", FULL)[1].startswith("MERGE (r:Reaction)")
    assert made("nothing_to_run", FULL)[0].startswith("// MATCH")


def altered(operator: str, smiles: str) -> list[str]:
    query = f"MATCH (m:Molecule {{name: {quote(smiles)}}}) RETURN m.name"
    mutants = mutations_of(OPERATORS[operator], query)
    return [string_literals(each.query)[0].value for each in mutants]


@pytest.mark.parametrize(
    ("operator", "smiles", "expected"),
    [
        ("smiles_case", "c1ccccc1C", ["C1ccccc1C", "c1ccccC1C", "c1ccccc1c", "C1CCCCC1C"]),
        ("smiles_ring", "C1CC1", ["C2CC1", "CCC1", "C1CC2", "C1CC"]),
        ("smiles_bracket", "C(C)[O-]", ["CC)[O-]", "C(C[O-]", "C(C)O-]", "C(C)[O-"]),
        ("smiles_stereo", "F/C=C\\F", ["FC=CF", "F\\C=C\\F", "F/C=C/F"]),
        ("smiles_charge", "C[O-]", ["CO"]),
        ("smiles_atom", "CCON", ["CCO", "CCONN", "CCN", "CCOON"]),
        ("smiles_stereo", "CCO", []),
        ("smiles_charge", "CCO", []),
    ],
)
def test_a_smiles_is_altered(operator: str, smiles: str, expected: list[str]) -> None:
    assert altered(operator, smiles) == expected


def test_backslashes_are_written_in_other_numbers() -> None:
    query = r"MATCH (m {name: 'F/C=C\\n'}) RETURN m"
    found = [each.query for each in mutations_of(OPERATORS["smiles_backslash"], query)]
    written = [r"'F/C=C\n'", "'F/C=Cn'", r"'F/C=C\\\\n'"]
    assert found == [f"MATCH (m {{name: {text}}}) RETURN m" for text in written]


def test_another_molecule_is_chosen_by_the_text_alone() -> None:
    once, again = altered("wrong_molecule", "CCO"), altered("wrong_molecule", "CCO")
    assert once == again
    assert len(set(once)) == 3
    assert "CCO" not in once
    assert altered("placeholder", "CCO")[0] == "<MOLECULE>"


def test_conditions_and_lists_are_anchors_too() -> None:
    query = "MATCH (a)-->(b) WHERE a.name IN ['C', 'O'] AND b.name CONTAINS 'N' RETURN a.name + 'x'"
    assert len(mutations_of(OPERATORS["placeholder"], query)) == 9
