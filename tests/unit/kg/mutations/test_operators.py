"""What each operator does to queries of several forms: it plants an error, or writes the same differently."""

import pytest

from retrocypher.kg.cypher.edits import quote, string_literals
from retrocypher.kg.mutations.registry import OPERATORS, mutations_of, operators_of

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
BOTH_OF = "MATCH (r) WHERE EXISTS {(r)-->({name: 'A'})} AND EXISTS {(r)-->({name: 'B'})} RETURN r.id"
CHAIN = "MATCH (a)-[:P]->(b)<-[:P]-(c)-[:Q]-(d) RETURN a"
BY_CONDITION = (
    "MATCH (s:Molecule)-[:REACTS_IN]->(r)-[:PRODUCES]->(t:Molecule) WHERE t.name = 'CC' RETURN r.id"
)
QUANTIFIED = "MATCH (s:Molecule) ((:Molecule)-->(:Reaction)-->(:Molecule)){2} (t {name: 'CC'}) RETURN s"
TWO_ENDS = "MATCH (s:Molecule {name: 'A'})-[*4]->(t:Molecule) WHERE t.name = 'B' RETURN s"
CO_PRODUCTS = f"{HEAD} OPTIONAL MATCH (r)-[:PRODUCES]->(c) WHERE c <> t RETURN r.id, collect(c.name) AS co"
LISTS = "MATCH (a)-->(b) WHERE a.name IN ['C', 'O'] AND b.name CONTAINS 'N' RETURN a.name + 'x'"
REACTANTS, AGENTS = "collect(DISTINCT a.name) AS reactants", "collect(DISTINCT g.name) AS agents"
PRODUCES = "(r:Reaction)-[:PRODUCES]->(t:Molecule {name: 'CC'})"
ANCHOR_IN_WHERE = "(r:Reaction)-[:PRODUCES]->(t:Molecule)\nWHERE t.name = 'CC'"
REACTS = "OPTIONAL MATCH (a:Molecule)-[:REACTS_IN]->(r)"
USES = "OPTIONAL MATCH (r)-[:USES_AGENT]->(g:Molecule)"
HOPS = "-[:REACTS_IN|PRODUCES*4]->"
STEP, BARE_STEP = "-[:REACTS_IN]->(:Reaction)-[:PRODUCES]->", "-[:REACTS_IN]->()-[:PRODUCES]->"
NODES = "MATCH p = (s)-[*4]->(t) RETURN nodes(p)"
SHORT = "MATCH (r)-->(m) RETURN r.id AS id, m.name AS r"
CONDITIONED = "MATCH (a {name: 'C'})-->(b) WHERE b.name <> 'O' RETURN a"
SPACED = "MATCH (p:PATH) WHERE p.name = 'x'\n  RETURN p"
MORE = "..."
"""Behind the edits of an operator that makes more mutants than those."""


def edited(query: str, edit: str) -> str:
    """Apply changes written as "before => after", several joined by "&"."""
    for change in edit.split(" & "):
        query = query.replace(*change.split(" => "), 1)
    return query


def made(operator: str, query: str) -> list[str]:
    return [each.query for each in mutations_of(OPERATORS[operator], query)]


def check(operator: str, query: str, edits: list[str]) -> None:
    found = made(operator, query)
    wanted = [edited(query, edit) for edit in edits if edit != MORE]
    assert found[: len(wanted)] == wanted
    assert (len(found) > len(wanted)) == (MORE in edits)


@pytest.mark.parametrize(
    ("operator", "query", "edits"),
    [
        ("reverse_arrow", CHAIN, ["(a)-[:P]->(b) => (a)<-[:P]-(b)", "(b)<-[:P]-(c) => (b)-[:P]->(c)"]),
        ("reverse_arrow", PATH, []),
        ("reverse_type", CHAIN, ["-[:P]->(b)<-[:P]- => <-[:P]-(b)-[:P]->"]),
        ("reverse_path", PATH, ["-[:REACTS_IN|PRODUCES*4]-> => <-[:REACTS_IN|PRODUCES*4]-"]),
        ("reverse_path", FULL, []),
        ("drop_arrow", PATH, ["]-> => ]-"]),
        ("anchor_other_end", PATH, ["{name: 'CC'} =>  & (s:Molecule => (s:Molecule {name: 'CC'}"]),
        ("anchor_other_end", BY_CONDITION, ["t.name => s.name"]),
        ("anchor_other_end", QUANTIFIED, ["{name: 'CC'} =>  & (s:Molecule => (s:Molecule {name: 'CC'}"]),
        ("swap_ends", TWO_ENDS, ["'A' => 'B' & t.name = 'B' => t.name = 'A'"]),
        ("target_reacts", FULL, ["-[:PRODUCES]-> => <-[:REACTS_IN]-"]),
        ("target_reacts", ALL_OF, ["-[:PRODUCES]-> => <-[:REACTS_IN]-"]),
        ("change_hops", PATH, ["*4 => *3", "*4 => *5"]),
        ("double_length", PATH, ["*4 => *8"]),
        ("steps_for_hops", PATH, ["*4 => *2"]),
        ("unbounded_length", PATH, ["*4 => *", "*4 => *4.."]),
        ("length_range", PATH, ["*4 => *1..4", "*4 => *2..4"]),
        ("fewer_types", PATH, ["REACTS_IN|PRODUCES => REACTS_IN", "REACTS_IN|PRODUCES => PRODUCES"]),
        ("drop_type", PATH, [":REACTS_IN|PRODUCES => "]),
        ("swap_conditions", FULL, ["USES_AGENT => USES_SOLVENT"]),
        (
            "wrong_type",
            FULL,
            [
                "-[:PRODUCES]-> => -[:USES_AGENT]->",
                "-[:PRODUCES]-> => -[:USES_SOLVENT]->",
                "-[:REACTS_IN]-> => <-[:PRODUCES]-",
                "-[:REACTS_IN]-> => <-[:USES_AGENT]-",
                "-[:REACTS_IN]-> => <-[:USES_SOLVENT]-",
                "-[:USES_AGENT]-> => -[:PRODUCES]->",
            ],
        ),
        ("drop_component", FULL, [f", {REACTANTS} => ", f", {AGENTS} => "]),
        ("drop_component", BEST, ["id, best => id"]),
        ("drop_component", "MATCH p = (a)-->(b) RETURN DISTINCT p", []),
        ("drop_id", FULL, ["r.id AS id,  => "]),
        ("keep_target", CO_PRODUCTS, [" WHERE c <> t => "]),
        ("lump_components", FULL, ["a.name) => a.name) + collect(DISTINCT g.name)"]),
        ("require_match", FULL, ["OPTIONAL MATCH (a => MATCH (a", "OPTIONAL MATCH (r => MATCH (r"]),
        ("require_all", FULL, ["OPTIONAL MATCH => MATCH & OPTIONAL MATCH => MATCH"]),
        ("other_reaction", FULL, ["REACTS_IN]->(r) => REACTS_IN]->(rx:Reaction)", MORE]),
        ("anchor_apart", PATH, [" {name: 'CC'}) => ), (named:Molecule {name: 'CC'})"]),
        (
            "extra_match",
            FULL,
            [
                "'CC'}) => 'CC'})\nMATCH (r)-[:USES_AGENT]->(catalyst:Molecule)",
                "'CC'}) => 'CC'})\nMATCH (r)-[:USES_SOLVENT]->(medium:Molecule)",
            ],
        ),
        ("sort_ascending", BEST, [" DESC => ", " DESC =>  ASC"]),
        ("drop_order", BEST, [" ORDER BY best DESC => "]),
        ("drop_null_check", BEST, [" WHERE y.yield IS NOT NULL => "]),
        ("drop_limit", BEST, [" LIMIT 1 => "]),
        ("raise_limit", BEST, ["LIMIT 1 => LIMIT 2", "LIMIT 1 => LIMIT 3", "LIMIT 1 => LIMIT 10"]),
        ("skip_row", BEST, ["LIMIT 1 => SKIP 1\nLIMIT 1"]),
        ("any_of", ALL_OF, [" WHERE made = 2 => "]),
        ("at_least_one", ALL_OF, ["made = 2 => made >= 1", "made = 2 => made > 0"]),
        ("or_for_and", BOTH_OF, ["AND => OR"]),
        ("or_for_and", BEST, []),
        ("molecules_for_reactions", PATH, ["n:Reaction => n:Molecule"]),
        ("count_for_rows", PATH, ["DISTINCT steps => count(DISTINCT steps) AS total", MORE]),
        ("length_for_route", FULL, []),
        ("anchor_property", FULL, ["name: 'CC' => smiles: 'CC'", MORE]),
        ("anchor_property", ALL_OF, ["w.name => w.smiles", MORE]),
        ("returned_property", FULL, ["r.id => r.reaction_id", MORE]),
        ("invented_label", FULL, ["r:Reaction => r:ChemicalReaction", MORE]),
        ("invented_type", FULL, [":PRODUCES => :HAS_PRODUCT", MORE]),
        ("join_molecules", FULL, ["REACTS_IN]->(r) => REACTS_IN]->(t)", MORE]),
        ("parameter_for_literal", FULL, ["'CC' => $target", MORE]),
        ("nothing_to_run", FULL, ["MATCH (r:Reaction) => // MATCH (r:Reaction)", MORE]),
    ],
)
def test_an_error_is_planted(operator: str, query: str, edits: list[str]) -> None:
    check(operator, query, edits)


@pytest.mark.parametrize(
    ("operator", "query", "edits"),
    [
        ("rename_variables", SHORT, ["(r) => (r1) & (m) => (m1) & r.id => r1.id & m.name => m1.name", MORE]),
        (
            "rename_columns",
            FULL,
            ["AS id => AS reaction_id & reactants => reactant_names & agents => agent_names", MORE],
        ),
        ("flip_pattern", SHORT.replace("--", "-[:P]-"), ["(r)-[:P]->(m) => (m)<-[:P]-(r)"]),
        ("flip_pattern", NODES, ["(s)-[*4]->(t) => (t)<-[*4]-(s) & nodes(p) => reverse(nodes(p))"]),
        # Without the nodes as a list, the order of the path itself would change.
        ("flip_pattern", "MATCH p = (a)-->(b) RETURN p", []),
        ("drop_labels", FULL, ["r:Reaction => r", "a:Molecule => a", "g:Molecule => g", MORE]),
        ("add_labels", FULL, ["->(r) => ->(r:Reaction)", "(r)- => (r:Reaction)-"]),
        (
            "write_out_path",
            PATH,
            [
                f"{HOPS}(t =>  ((:Molecule){STEP}(:Molecule)){{2}} (t",
                f"{HOPS} => {STEP}(:Molecule){STEP}",
                f"{HOPS} => {BARE_STEP}(){BARE_STEP}",
            ],
        ),
        ("write_out_path", PATH.replace("*4", "*3"), []),
        ("map_to_where", FULL, [f"{PRODUCES} => {ANCHOR_IN_WHERE}"]),
        ("map_to_where", CONDITIONED, [" {name: 'C'} =>  & WHERE => WHERE a.name = 'C' AND"]),
        ("where_to_map", FULL.replace(PRODUCES, ANCHOR_IN_WHERE), [f"{ANCHOR_IN_WHERE} => {PRODUCES}"]),
        ("swap_clauses", FULL, [f"{REACTS} {USES} => {USES} {REACTS}"]),
        ("swap_clauses", FULL.replace("(r)-[:USES_AGENT]", "(a)-[:USES_AGENT]"), []),
        ("with_all", PATH, ["RETURN => WITH *\nRETURN"]),
        (
            "with_names",
            FULL,
            [
                f"{REACTS} => WITH r\n{REACTS}",
                f"{USES} => WITH r, a\n{USES}",
                "RETURN => WITH r, a, g\nRETURN",
            ],
        ),
        (
            "collect_early",
            FULL,
            [
                f"{REACTS} => {REACTS}\nWITH r, {REACTANTS} & {USES} => {USES}\nWITH r, reactants, {AGENTS}"
                f" & id, {REACTANTS}, {AGENTS} => id, reactants, agents"
            ],
        ),
        ("collect_early", FULL.replace("RETURN", "WITH r, a, g RETURN"), []),
        (
            "reorder_items",
            "MATCH (a) RETURN a.id AS x, a.name, a.n",
            [
                "a.id AS x, a.name, a.n => a.n, a.name, a.id AS x",
                "a.id AS x, a.name, a.n => a.name, a.n, a.id AS x",
            ],
        ),
        ("uncollected", FULL, [f"{REACTANTS} => a.name AS reactants & {AGENTS} => g.name AS agents"]),
        ("drop_distinct", PATH, ["DISTINCT  => "]),
        ("double_quotes", SPACED, ["'x' => \"x\""]),
        ("small_keywords", SPACED, ["MATCH => match & WHERE => where & RETURN => return"]),
        ("one_line", SPACED, ["\n   =>  "]),
    ],
)
def test_the_same_is_written_differently(operator: str, query: str, edits: list[str]) -> None:
    check(operator, query, edits)


def test_all_of_several_are_asked_for_by_a_pattern_each() -> None:
    first, second = "(r:Reaction)-[:PRODUCES]->(:Molecule {name: 'CC'})", "(:Molecule {name: 'O'})"
    joined, asked = made("pattern_for_each", ALL_OF)
    assert joined == f"MATCH {first}, (r:Reaction)-[:PRODUCES]->{second} RETURN r.id AS id"
    assert asked.startswith(f"MATCH (r:Reaction)\nWHERE EXISTS {{ {first} }}\n  AND EXISTS {{ (r:Reaction)")


def test_no_neutral_operator_has_a_label() -> None:
    for operator in operators_of("neutral"):
        assert {each.label for each in mutations_of(operator, FULL)} <= {None}


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
    ("operator", "query", "parts"),
    [
        ("drop_component_match", FULL, ["collect(DISTINCT g.name)", "collect(DISTINCT a.name)"]),
        ("extra_match", PATH, ["(t:Molecule {name: 'CC'}), (other:Molecule)"]),
        ("yield_elsewhere", BEST, ["r.yield", "t.yield"]),
        ("names_for_reactions", FULL, [f"{HEAD}\nRETURN DISTINCT t.name AS molecule"]),
        ("one_step_of_route", PATH, ["last(", "head("]),
        ("return_path", PATH, ["RETURN DISTINCT p", "nodes(p) AS route", "| n.id]", "IN labels(n)"]),
        ("write_clause", FULL, ["MERGE (:Answer)\nRETURN", "MERGE (r:Reaction)"]),
        ("placeholder", LISTS, ["<MOLECULE>", *[""] * 8]),
    ],
)
def test_an_operator_changes_several_places(operator: str, query: str, parts: list[str]) -> None:
    found = made(operator, query)
    assert len(found) == len(parts)
    assert all(part in mutant for part, mutant in zip(parts, found, strict=True))


@pytest.mark.parametrize(
    ("operator", "query", "labels"),
    [
        ("reverse_path", PATH, ["endpoint_anchoring"]),
        ("drop_component", FULL, ["missing_component:reactants", "missing_component:agents"]),
        ("drop_component_match", FULL, ["missing_component:reactants", "missing_component:agents"]),
        ("drop_component", BEST, ["missing_component:target_yield"]),
        ("drop_id", FULL, ["missing_component:id"]),
        ("keep_target", CO_PRODUCTS, ["extra_component:co_products"]),
        ("anchor_property", ALL_OF, ["schema_violation:property"] * 4),
        ("join_molecules", FULL, ["schema_violation:edge"] * 2),
    ],
)
def test_a_mutant_is_labelled_with_what_was_planted(operator: str, query: str, labels: list[str]) -> None:
    assert [each.label for each in mutations_of(OPERATORS[operator], query)] == labels


@pytest.mark.parametrize(
    "operator",
    [
        *("unbalanced_bracket", "sql_words", "missing_return", "prose_around"),
        *("broken_quotes", "unknown_variable"),
    ],
)
@pytest.mark.parametrize("query", [FULL, PATH, BEST, ALL_OF], ids=["full", "path", "best", "all of"])
def test_the_text_is_broken_in_every_form(operator: str, query: str) -> None:
    assert {each.label for each in mutations_of(OPERATORS[operator], query)} == {"syntax_error"}


def altered(operator: str, smiles: str) -> list[str]:
    query = f"MATCH (m:Molecule {{name: {quote(smiles)}}}) RETURN m.name"
    return [string_literals(each)[0].value for each in made(operator, query)]


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
    found = made("smiles_backslash", r"MATCH (m {name: 'F/C=C\\n'}) RETURN m")
    written = [r"'F/C=C\n'", "'F/C=Cn'", r"'F/C=C\\\\n'"]
    assert found == [f"MATCH (m {{name: {text}}}) RETURN m" for text in written]


def test_another_molecule_is_chosen_by_the_text_alone() -> None:
    chosen = altered("wrong_molecule", "CCO")
    assert chosen == altered("wrong_molecule", "CCO")
    assert len({*chosen, "CCO"}) == 4
