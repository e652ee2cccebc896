import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.cypher import parse, quote
from kg.errors import InputError
from kg.questions import Question, load_questions
from prompts.models import Request, open_models, parse_spec
from prompts.models.mutations import OPERATORS, mutate, mutations_of, operators_named

SMILES = st.text("CNOcn()[]=#@+-\\/<>*123:.'{}|", min_size=1, max_size=40)


def test_reverses_one_arrow_in_either_direction() -> None:
    query = "MATCH (a)-[:PRODUCES]->(b)<-[:PRODUCES]-(c)--(d) RETURN a"
    assert mutations_of(OPERATORS["reverse_arrow"], query) == [
        "MATCH (a)<-[:PRODUCES]-(b)<-[:PRODUCES]-(c)--(d) RETURN a",
        "MATCH (a)-[:PRODUCES]->(b)-[:PRODUCES]->(c)--(d) RETURN a",
    ]


def test_drops_one_component_but_never_the_id() -> None:
    query = "MATCH (r)-->(m) RETURN r.id AS id, collect(m.name) AS products, r.x"
    assert mutations_of(OPERATORS["drop_component"], query) == [
        "MATCH (r)-->(m) RETURN r.id AS id, r.x",
        "MATCH (r)-->(m) RETURN r.id AS id, collect(m.name) AS products",
    ]
    assert mutations_of(OPERATORS["drop_component"], "MATCH p = (a)-->(b) RETURN DISTINCT p") == []


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
    found = mutations_of(OPERATORS["change_length"], f"MATCH (a)-{before}(b) RETURN a")
    assert found == [f"MATCH (a)-{each}(b) RETURN a" for each in after]


@given(smiles=SMILES, seed=st.integers(0, 99))
def test_a_smiles_is_never_touched(smiles: str, seed: int) -> None:
    query = (
        f"MATCH p = (a)-[:R*4]->(:Molecule {{name: {quote(smiles)}}})<--(c)\n"
        f"WHERE a.name <> {quote(smiles)} RETURN c.id AS id, a.name AS reactants"
    )
    mutant = mutate(query, operators_named(""), seed=seed, key="q")
    assert mutant is not None
    assert mutant.query != query
    assert mutant.query.count(quote(smiles)) == query.count(quote(smiles))


def test_every_reference_takes_errors_that_are_still_cypher() -> None:
    questions = load_questions().questions
    for question in itertools.islice(questions, 0, None, 60):
        applied = {
            name
            for name, operator in OPERATORS.items()
            for mutated in mutations_of(operator, question.reference_cypher)
            if mutated != question.reference_cypher and not parse(mutated).errors
        }
        other = "drop_component" if question.setting == "single_step" else "change_length"
        assert applied == {"reverse_arrow", other}


def test_the_choice_is_by_seed_and_question_alone(question: Question) -> None:
    def choices(seed: int) -> list[str]:
        made = [
            mutate(question.reference_cypher, operators_named(""), seed=seed, key=str(n)) for n in range(40)
        ]
        return [each.query for each in made if each]

    assert choices(1) == choices(1)
    assert choices(1) != choices(2)
    assert len(set(choices(1))) == 3


def test_unknown_operators_are_refused_with_the_list() -> None:
    with pytest.raises(InputError, match="no operator 'nope'; choose from reverse_arrow, drop_component, ch"):
        operators_named("reverse_arrow,nope")


def test_the_model_says_what_it_changed(ask: Callable[..., Request], tmp_path: Path) -> None:
    specs = [parse_spec("mutant:drop_component", {}), parse_spec("none=mutant:change_length", {})]
    models = open_models(specs, shared={}, slots=tmp_path, concurrency=1, seed=0)
    answer = models["mutant-drop_component"].answer(ask())
    assert answer.text == ask().question.reference_cypher.replace(", collect(reactant.name) AS reactants", "")
    assert answer.details == {"operator": "drop_component", "place": 0}
    assert models["none"].answer(ask()).text == ""
