"""What operators do to queries of several forms, and how they are chosen and applied.

The sample of the bank of known errors holds more of what they do, to the reference queries.
"""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

from retrocypher.kg.cypher.edits import quote, string_literals
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import is_label
from retrocypher.kg.mutations.operator import Operator
from retrocypher.kg.mutations.registry import (
    OPERATORS,
    compose,
    mutate,
    mutations_of,
    operators_named,
    operators_of,
)
from retrocypher.kg.questions.question import TASKS
from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.templates.exemplars import load_bank

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
LISTS = "MATCH (a)-->(b) WHERE a.name IN ['C', 'O'] AND b.name CONTAINS 'N' RETURN a.name + 'x'"
PRODUCES = "(r:Reaction)-[:PRODUCES]->(t:Molecule {name: 'CC'})"
ANCHOR_IN_WHERE = "(r:Reaction)-[:PRODUCES]->(t:Molecule)\nWHERE t.name = 'CC'"
NODES = "MATCH p = (s)-[*4]->(t) RETURN nodes(p)"
SHORT = "MATCH (r)-->(m) RETURN r.id AS id, m.name AS r"
CONDITIONED = "MATCH (a {name: 'C'})-->(b) WHERE b.name <> 'O' RETURN a"
SPACED = "MATCH (p:PATH) WHERE p.name = 'x'\n  RETURN p"
REACTANTS, AGENTS = "collect(DISTINCT a.name) AS reactants", "collect(DISTINCT g.name) AS agents"
REACTS = "OPTIONAL MATCH (a:Molecule)-[:REACTS_IN]->(r)"
USES = "OPTIONAL MATCH (r)-[:USES_AGENT]->(g:Molecule)"
HOPS = "-[:REACTS_IN|PRODUCES*4]->"
STEP, BARE_STEP = "-[:REACTS_IN]->(:Reaction)-[:PRODUCES]->", "-[:REACTS_IN]->()-[:PRODUCES]->"
MORE = "..."
"""Behind the edits of an operator that makes more mutants than those."""


def edited(query: str, edit: str) -> str:
    """Apply changes written as "before => after", several joined by "&"."""
    for change in edit.split(" & "):
        query = query.replace(*change.split(" => "), 1)
    return query


def made(operator: str, query: str) -> list[str]:
    return [each.query for each in mutations_of(OPERATORS[operator], query)]


@pytest.mark.parametrize(
    ("operator", "query", "edits"),
    [
        ("reverse_arrow", CHAIN, ["(a)-[:P]->(b) => (a)<-[:P]-(b)", "(b)<-[:P]-(c) => (b)-[:P]->(c)"]),
        ("reverse_arrow", PATH, []),
        ("reverse_type", CHAIN, ["-[:P]->(b)<-[:P]- => <-[:P]-(b)-[:P]->"]),
        ("reverse_path", FULL, []),
        ("drop_arrow", PATH, ["]-> => ]-"]),
        ("anchor_other_end", PATH, ["{name: 'CC'} =>  & (s:Molecule => (s:Molecule {name: 'CC'}"]),
        ("anchor_other_end", BY_CONDITION, ["t.name => s.name"]),
        ("anchor_other_end", QUANTIFIED, ["{name: 'CC'} =>  & (s:Molecule => (s:Molecule {name: 'CC'}"]),
        ("swap_ends", TWO_ENDS, ["'A' => 'B' & t.name = 'B' => t.name = 'A'"]),
        ("target_reacts", ALL_OF, ["-[:PRODUCES]-> => <-[:REACTS_IN]-"]),
        ("length_range", PATH, ["*4 => *1..4", "*4 => *2..4"]),
        ("drop_type", PATH, [":REACTS_IN|PRODUCES => "]),
        ("drop_component", "MATCH p = (a)-->(b) RETURN DISTINCT p", []),
        ("other_reaction", FULL, ["REACTS_IN]->(r) => REACTS_IN]->(rx:Reaction)", MORE]),
        ("limit_early", FULL, [f"{HEAD} => {HEAD}\nWITH r, t\nLIMIT {n}" for n in (1, 2)]),
        ("any_of", ALL_OF, [" WHERE made = 2 => "]),
        ("at_least_one", ALL_OF, ["made = 2 => made >= 1", "made = 2 => made > 0"]),
        ("or_for_and", BOTH_OF, ["AND => OR"]),
        ("or_for_and", BEST, []),
        ("length_for_route", FULL, []),
        ("anchor_property", ALL_OF, ["w.name => w.smiles", MORE]),
        ("returned_property", FULL, ["r.id => r.reaction_id", MORE]),
        ("change_hops", PATH, ["*4 => *3", "*4 => *5"]),
        ("unbounded_length", PATH, ["*4 => *", "*4 => *4.."]),
        ("fewer_types", PATH, ["REACTS_IN|PRODUCES => REACTS_IN", "REACTS_IN|PRODUCES => PRODUCES"]),
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
        ("require_match", FULL, ["OPTIONAL MATCH (a => MATCH (a", "OPTIONAL MATCH (r => MATCH (r"]),
        (
            "extra_match",
            FULL,
            [
                "'CC'}) => 'CC'})\nMATCH (r)-[:USES_AGENT]->(catalyst:Molecule)",
                "'CC'}) => 'CC'})\nMATCH (r)-[:USES_SOLVENT]->(medium:Molecule)",
            ],
        ),
        ("sort_ascending", BEST, [" DESC => ", " DESC =>  ASC"]),
        ("raise_limit", BEST, ["LIMIT 1 => LIMIT 2", "LIMIT 1 => LIMIT 3", "LIMIT 1 => LIMIT 10"]),
        # The same, written differently.
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
        (
            "with_names",
            FULL,
            [
                f"{REACTS} => WITH r\n{REACTS}",
                f"{USES} => WITH r, a\n{USES}",
                "RETURN => WITH r, a, g\nRETURN",
            ],
        ),
        ("rename_variables", SHORT, ["(r) => (r1) & (m) => (m1) & r.id => r1.id & m.name => m1.name", MORE]),
        ("flip_pattern", SHORT.replace("--", "-[:P]-"), ["(r)-[:P]->(m) => (m)<-[:P]-(r)"]),
        ("flip_pattern", NODES, ["(s)-[*4]->(t) => (t)<-[*4]-(s) & nodes(p) => reverse(nodes(p))"]),
        # Without the nodes as a list, the order of the path itself would change.
        ("flip_pattern", "MATCH p = (a)-->(b) RETURN p", []),
        ("write_out_path", PATH.replace("*4", "*3"), []),
        ("map_to_where", CONDITIONED, [" {name: 'C'} =>  & WHERE => WHERE a.name = 'C' AND"]),
        ("where_to_map", FULL.replace(PRODUCES, ANCHOR_IN_WHERE), [f"{ANCHOR_IN_WHERE} => {PRODUCES}"]),
        ("swap_clauses", FULL.replace("(r)-[:USES_AGENT]", "(a)-[:USES_AGENT]"), []),
        ("collect_early", FULL.replace("RETURN", "WITH r, a, g RETURN"), []),
        (
            "reorder_items",
            "MATCH (a) RETURN a.id AS x, a.name, a.n",
            [
                "a.id AS x, a.name, a.n => a.n, a.name, a.id AS x",
                "a.id AS x, a.name, a.n => a.name, a.n, a.id AS x",
            ],
        ),
        ("double_quotes", SPACED, ["'x' => \"x\""]),
        ("small_keywords", SPACED, ["MATCH => match & WHERE => where & RETURN => return"]),
        ("one_line", SPACED, ["\n   =>  "]),
    ],
)
def test_what_an_operator_makes(operator: str, query: str, edits: list[str]) -> None:
    found = made(operator, query)
    wanted = [edited(query, edit) for edit in edits if edit != MORE]
    assert found[: len(wanted)] == wanted
    assert (len(found) > len(wanted)) == (MORE in edits)


def test_all_of_several_are_asked_for_by_a_pattern_each() -> None:
    first, second = "(r:Reaction)-[:PRODUCES]->(:Molecule {name: 'CC'})", "(:Molecule {name: 'O'})"
    joined, asked = made("pattern_for_each", ALL_OF)
    assert joined == f"MATCH {first}, (r:Reaction)-[:PRODUCES]->{second} RETURN r.id AS id"
    assert asked.startswith(f"MATCH (r:Reaction)\nWHERE EXISTS {{ {first} }}\n  AND EXISTS {{ (r:Reaction)")


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
        ("return_path", PATH, ["RETURN DISTINCT p", "nodes(p) AS route", "| n.id]", "IN labels(n)"]),
        ("write_clause", FULL, ["MERGE (:Answer)\nRETURN", "MERGE (r:Reaction)"]),
        ("yield_elsewhere", BEST, ["r.yield", "t.yield"]),
        ("one_step_of_route", PATH, ["last(", "head("]),
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
        ("drop_component", FULL, ["missing_component:reactants", "missing_component:agents"]),
        ("drop_component_match", FULL, ["missing_component:reactants", "missing_component:agents"]),
        ("drop_component", BEST, ["missing_component:target_yield"]),
    ],
)
def test_a_mutant_is_labelled_with_what_was_planted(operator: str, query: str, labels: list[str]) -> None:
    assert [each.label for each in mutations_of(OPERATORS[operator], query)] == labels


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


REFERENCE = (
    "MATCH (reaction:Reaction)-[:PRODUCES]->(target:Molecule {name: 'CC(=O)[O-]->x'})\n"
    "OPTIONAL MATCH (reactant:Molecule)-[:REACTS_IN]->(reaction)\n"
    "RETURN reaction.id AS id, collect(reactant.name) AS reactants"
)


def test_no_name_chooses_from_all_errors_and_from_nothing_else() -> None:
    assert {operator.kind for operator in operators_named("")} == {"error"}
    chosen = operators_named("add_comment,reverse_arrow,add_comment")
    assert [operator.name for operator in chosen] == ["add_comment", "reverse_arrow"]


def test_the_choice_is_by_seed_and_key_alone() -> None:
    def choices(seed: int) -> list[str]:
        operators = operators_named("reverse_arrow,drop_component,drop_id")
        made = [mutate(REFERENCE, operators, seed=seed, key=str(n)) for n in range(40)]
        return [each.query for each in made if each]

    assert choices(1) == choices(1)
    assert choices(1) != choices(2)
    assert len(set(choices(1))) == 4


def test_operators_that_do_not_apply_are_passed_over() -> None:
    operators = operators_named("change_length,reverse_arrow,double_length")
    made = [mutate(REFERENCE, operators, seed=0, key=str(n)) for n in range(10)]
    assert {each.operator for each in made if each} == {"reverse_arrow"}
    assert mutate(REFERENCE, operators_named("change_length"), seed=0, key="q") is None


def test_a_broken_query_is_left_alone() -> None:
    assert all(not mutations_of(operator, "MATCH (a RETURN a") for operator in OPERATORS.values())


def test_neutral_operators_are_applied_in_turn() -> None:
    operators = operators_named("small_keywords,one_line,double_quotes")
    mutant = compose(REFERENCE, operators, count=3, seed=0, key="q")
    assert mutant
    assert sorted(mutant.operator.split("+")) == ["double_quotes", "one_line", "small_keywords"]
    assert (mutant.kind, mutant.label) == ("neutral", None)
    assert mutant.query == (
        'match (reaction:Reaction)-[:PRODUCES]->(target:Molecule {name: "CC(=O)[O-]->x"}) '
        "optional match (reactant:Molecule)-[:REACTS_IN]->(reaction) "
        "return reaction.id as id, collect(reactant.name) as reactants"
    )
    assert compose(REFERENCE, operators, count=4, seed=0, key="q") is None
    with pytest.raises(ValueError, match="only neutral"):
        compose(REFERENCE, operators_named("reverse_arrow"), count=1, seed=0, key="q")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("reverse_arow,drop_id", "no operator 'reverse_arow'; did you mean reverse_arrow"),
        ("xyz", r"no operator 'xyz'; docs/errors-and-loops\.md lists all"),
        ("path_length", "that is a label; its operators are change_length, change_hops, "),
        ("path_length:any", "that is a label; its operators are change_length, change_hops, "),
    ],
)
def test_a_name_of_no_operator_is_refused_with_what_is_near(names: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        operators_named(names)


SMILES = st.text("CNOcn()[]=#@+-\\/<>*123:.'{}|", min_size=1, max_size=40)
ON_MOLECULES = ("altered_smiles", "wrong_entity", "endpoint_anchoring", "syntax_error", "runtime_error")
MAY_BREAK = ("syntax_error", "no_query")


def shipped() -> Iterator[str]:
    """A reference of each task, and every exemplar."""
    first = {question.task: question.reference_cypher for question in reversed(load_questions().questions)}
    yield from (first[task] for task in TASKS)
    for setting in ("single_step", "multi_step"):
        yield from (exemplar.cypher for exemplar in load_bank(setting))


QUERIES = tuple(shipped())


def filled(smiles: str) -> tuple[str, ...]:
    """Queries of several forms about a molecule."""
    name = quote(smiles)
    return (
        f"MATCH (r:Reaction)-[y:PRODUCES]->(t:Molecule {{name: {name}}}) WHERE y.yield IS NOT NULL\n"
        "OPTIONAL MATCH (a:Molecule)-[:REACTS_IN]->(r) OPTIONAL MATCH (r)-[:USES_AGENT]->(g)\n"
        "RETURN r.id AS id, collect(DISTINCT a.name) AS reactants, collect(g.name) AS agents "
        "ORDER BY id DESC LIMIT 1",
        f"MATCH p = (s:Molecule)-[:REACTS_IN|PRODUCES*4]->(t:Molecule) WHERE t.name = {name} "
        "RETURN DISTINCT [n IN nodes(p) WHERE n:Reaction | n.id] AS steps",
        f"MATCH (r:Reaction)-[:PRODUCES]->(w:Molecule) WHERE w.name IN [{name}, 'CCO'] "
        "WITH r, count(DISTINCT w) AS made WHERE made = 2 RETURN r.id AS id, made",
    )


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS)
def test_what_is_made_of_the_shipped_queries(operator: Operator) -> None:
    for query in QUERIES:
        made = mutations_of(operator, query)
        assert made == mutations_of(operator, parse(query))
        for each in made:
            # An exemplar's molecule is a placeholder already.
            assert each.query != query or operator.name == "placeholder"
            assert each.label is None or is_label(each.label)
            assert operator.label in MAY_BREAK or not parse(each.query).errors


@examples(4)
@given(smiles=SMILES)
def test_a_string_is_touched_by_those_alone_that_are_about_molecules(smiles: str) -> None:
    for query in filled(smiles):
        before = {literal.value for literal in string_literals(query)}
        parsed = parse(query)
        for operator in OPERATORS.values():
            made = mutations_of(operator, parsed)
            if operator.label in ON_MOLECULES:
                broken = [each.query for each in made if parse(each.query).errors]
                # A lone backslash may escape what follows it.
                assert operator.label in MAY_BREAK or operator.name == "smiles_backslash" or not broken
                continue
            for each in made:
                text = each.query.replace("\n// ", "\n").removeprefix("// ")
                added = {literal.value for literal in string_literals(text)} - before
                assert added <= {"Reaction"}


@examples(25)
@given(smiles=SMILES, count=st.integers(1, 5), seed=st.integers(0, 99), form=st.integers(0, 2))
def test_compositions_keep_molecules_and_stay_cypher(smiles: str, count: int, seed: int, form: int) -> None:
    query = filled(smiles)[form]
    operators = operators_of("neutral")
    made = compose(query, operators, count=count, seed=seed, key="q")
    assert made == compose(query, operators, count=count, seed=seed, key="q")
    assert made is not None
    assert len(set(made.operator.split("+"))) == count
    assert not parse(made.query).errors
    values = {literal.value for literal in string_literals(made.query)}
    assert {literal.value for literal in string_literals(query)} <= values | {smiles, "CCO"}
    assert {smiles} <= values
