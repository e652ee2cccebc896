import pytest

from retrocypher.kg.cypher.edits import quote, string_literals
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.questions.question import Setting
from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.templates.exemplars import fill_exemplar, load_bank, molecules_of

SETTINGS: tuple[Setting, ...] = ("single_step", "multi_step")


def test_the_banks_are_those_of_the_paper() -> None:
    assert [each.task for each in load_bank("single_step")] == [
        "Product Identification",
        "Reactant-to-Reaction Mapping",
        "Best-Yielding Reaction Given Reactant",
        "Multi-Precursor Reaction",
        "Co-reactant Identification",
    ]
    assert [each.task for each in load_bank("multi_step")] == [
        "Reaction Pathway Discovery",
        "Reaction Chains Between Molecules",
        "Multi-Step Product Discovery",
        "Forward-Synthesis Intermediate Discovery",
    ]


@pytest.mark.parametrize("setting", SETTINGS)
def test_exemplars_are_valid_cypher_without_smiles(setting: Setting) -> None:
    bank = load_bank(setting)
    assert len({each.id for each in bank}) == len(bank)
    for each in bank:
        parsed = parse(each.cypher)
        assert not parsed.errors, each.id
        literals = {literal.value for literal in string_literals(each.cypher)}
        assert literals <= {"<MOLECULE>", "<MOLECULE_1>", "<MOLECULE_2>"}
        assert all(literal in each.question for literal in literals)
        assert each.intent.endswith(".")
        assert "<STEPS>" not in each.question + each.cypher
        assert "<HOPS>" not in each.cypher


def test_exemplars_of_routes_show_five_steps() -> None:
    for each in load_bank("multi_step"):
        assert each.steps == 5
        assert "5 " in each.question
        assert "*10]" in each.cypher


def test_molecules_come_start_first_and_products_in_order() -> None:
    assert molecules_of({"target": "B", "start": "A", "steps": 2}) == ("A", "B")
    assert molecules_of({"products": ["C", "A", "B"], "target": "A"}) == ("C", "A", "B")
    assert molecules_of({"target": "B", "role": "agents"}) == ("B",)
    assert molecules_of({}) == ()


def test_molecules_and_steps_are_filled_in() -> None:
    chains = next(each for each in load_bank("multi_step") if each.id == "reaction-chains-between-molecules")
    query = fill_exemplar(chains, {"start": "C/C=C\\C", "target": "CC'O", "steps": 3})
    assert query is not None
    assert {literal.value for literal in string_literals(query)} == {"C/C=C\\C", "CC'O"}
    assert quote("C/C=C\\C") in query
    assert "*6]" in query


@pytest.mark.parametrize("slots", [{"target": "CC", "steps": 2}, {"start": "C", "target": "CC"}])
def test_what_cannot_be_filled_gives_no_query(slots: dict[str, object]) -> None:
    chains = next(each for each in load_bank("multi_step") if each.id == "reaction-chains-between-molecules")
    assert fill_exemplar(chains, slots) is None


def test_an_exemplar_of_one_molecule_can_be_filled_from_any_question() -> None:
    for question in load_questions().questions[::9]:
        for exemplar in load_bank(question.setting):
            query = fill_exemplar(exemplar, question.slots)
            if "<MOLECULE_2>" in exemplar.cypher and len(molecules_of(question.slots)) < 2:
                assert query is None
            else:
                assert query is not None
                assert "<" not in "".join(literal.value for literal in string_literals(query))
