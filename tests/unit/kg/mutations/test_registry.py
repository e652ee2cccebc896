"""How operators are chosen and applied, and what holds for each of them on any molecule and shipped query."""

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

REFERENCE = (
    "MATCH (reaction:Reaction)-[:PRODUCES]->(target:Molecule {name: 'CC(=O)[O-]->x'})\n"
    "OPTIONAL MATCH (reactant:Molecule)-[:REACTS_IN]->(reaction)\n"
    "RETURN reaction.id AS id, collect(reactant.name) AS reactants"
)


def test_no_name_chooses_from_all_errors_and_from_nothing_else() -> None:
    assert {operator.kind for operator in operators_named("")} == {"error"}
    chosen = operators_named("add_comment,reverse_arrow,add_comment")
    assert [operator.name for operator in chosen] == ["add_comment", "reverse_arrow"]


def test_there_are_enough_of_each_kind() -> None:
    assert len(operators_of("error")) >= 35
    assert len(operators_of("neutral")) >= 6
    assert operators_of("style")
    assert all((operator.label is None) == (operator.kind == "neutral") for operator in OPERATORS.values())


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


@pytest.fixture(scope="module")
def varied() -> list[str]:
    """The shipped queries, the same in other forms, and references."""
    forms = [
        each.query
        for query in QUERIES
        for name in ("map_to_where", "pattern_for_each")
        for each in mutations_of(OPERATORS[name], query)
    ]
    return [*QUERIES, *forms, *(question.reference_cypher for question in load_questions().questions[::9])]


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS)
def test_every_operator_finds_something_to_change(operator: Operator, varied: list[str]) -> None:
    assert any(mutations_of(operator, query) for query in varied)


@examples(15)
@given(smiles=SMILES)
def test_a_string_is_touched_by_those_alone_that_are_about_molecules(smiles: str) -> None:
    for query in filled(smiles):
        before = {literal.value for literal in string_literals(query)}
        parsed = parse(query)
        for operator in OPERATORS.values():
            if operator.label in ON_MOLECULES:
                continue
            for each in mutations_of(operator, parsed):
                text = each.query.replace("\n// ", "\n").removeprefix("// ")
                added = {literal.value for literal in string_literals(text)} - before
                assert added <= {"Reaction"}


@examples(4)
@given(smiles=SMILES)
def test_what_is_no_syntax_error_stays_cypher(smiles: str) -> None:
    for query in filled(smiles):
        parsed = parse(query)
        for operator in OPERATORS.values():
            if operator.label in MAY_BREAK:
                continue
            made = mutations_of(operator, parsed)
            broken = [each.query for each in made if parse(each.query).errors]
            # A lone backslash may escape what follows it.
            assert operator.name == "smiles_backslash" or not broken


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
