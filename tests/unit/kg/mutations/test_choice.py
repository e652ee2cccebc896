"""How operators are chosen and applied."""

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.mutations.registry import (
    OPERATORS,
    compose,
    mutate,
    mutations_of,
    operators_named,
    operators_of,
)

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
