"""What atom maps tell: the carbon atoms that routes carry, and implausible reactions."""

import pytest

from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.molecules import canonical_name
from retrocypher.kg.graph.reaction import Reaction, Source
from retrocypher.kg.questions.candidates import Eligibility
from retrocypher.kg.questions.carried import CarriedCarbons, has_atom_maps, is_implausible
from retrocypher.kg.questions.gold import Walk
from retrocypher.kg.questions.reading import SHIPPED_QUESTIONS, load_questions


def mapped(number: int, original: str) -> Reaction:
    """Return a reaction with a source alone; nothing else is read of it."""
    return Reaction(number, (), ("C",), (), (), (None,), Source("patents.csv", number, original))


def walk(*parts: str | int) -> Walk:
    return tuple(part if isinstance(part, int) else canonical_name(part) or "" for part in parts)


# Benzoic acid makes an ester of ethanol, and the ester gives the alcohol back: the acid reaches nothing.
ESTER = "O[C:1](=[O:2])[c:3]1[cH:4][cH:5][cH:6][cH:7][cH:8]1.[CH3:9][CH2:10][OH:11]"
ESTER += ">>[C:1](=[O:2])([c:3]1[cH:4][cH:5][cH:6][cH:7][cH:8]1)[O:11][CH2:10][CH3:9]"
CLEAVED = "O=C(c1ccccc1)[O:3][CH2:2][CH3:1]>O>[CH3:1][CH2:2][OH:3]"
ACID, ETHYL_BENZOATE = "OC(=O)c1ccccc1", "O=C(c1ccccc1)OCC"


@pytest.mark.parametrize(
    ("originals", "route", "share"),
    [
        ([ESTER, CLEAVED], walk(ACID, 1, ETHYL_BENZOATE, 2, "CCO"), 0.0),
        ([ESTER, CLEAVED], walk("CCO", 1, ETHYL_BENZOATE, 2, "CCO"), 1.0),
        ([ESTER], walk(ACID, 1, ETHYL_BENZOATE), 1.0),
        # Acetone is symmetric: the methyl group that came from the precursor may be the one that leaves.
        (
            [
                "[CH3:1]Br.[CH3:2][CH:3]=O>>[CH3:1][C:3]([CH3:2])=O",
                "[CH3:1][C:2](=O)[CH3:3]>>[CH3:1][C:2]#N.[CH3:3]O",
            ],
            walk("CBr", 1, "CC(C)=O", 2, "CC#N"),
            0.0,
        ),
        # With both methyl groups from the precursor, one of them stays whatever the choice.
        (
            [
                "[CH3:1][Cd][CH3:2].[C:3]=O>>[CH3:1][C:3]([CH3:2])=O",
                "[CH3:1][C:2](=O)[CH3:3]>>[CH3:1][C:2]#N.[CH3:3]O",
            ],
            walk("C[Cd]C", 1, "CC(C)=O", 2, "CC#N"),
            0.5,
        ),
        # Of two copies of ethanol, one is mapped to the product.
        (["[CH3:1][CH2:2]O.CCO>>[CH3:1][CH2:2]Br"], walk("CCO", 1, "CCBr"), 0.0),
        # A reactant that stands between the arrows.
        (["[CH3:1]Br>[CH3:2][OH:3]>[CH3:1][O:3][CH3:2]"], walk("CO", 1, "COC"), 1.0),
        # Hydrogens that only the map writes, and an atom without a carbon.
        (["[CH3:1][NH2:2].[OH2:3]>>[CH3:1][NH:2][OH:3]"], walk("CN", 1, "CNO"), 1.0),
        (["[CH3:1][NH2:2].[OH2:3]>>[CH3:1][NH:2][OH:3]"], walk("O", 1, "CNO"), 0.0),
        # A map that makes carbon of oxygen is wrong.
        (["[OH2:1].[CH4:2]>>[CH3:1][CH3:2]"], walk("O", 1, "CC"), 0.0),
    ],
)
def test_the_share_of_the_precursors_carbon_atoms_that_reach_the_target(
    originals: list[str], route: Walk, share: float
) -> None:
    reactions = [mapped(number, original) for number, original in enumerate(originals, 1)]
    assert CarriedCarbons(reactions).share(route) == share


BENZENE = "[cH:1]1[cH:2][cH:3][cH:4][cH:5][cH:6]1"


@pytest.mark.parametrize(
    ("original", "implausible"),
    [
        (ESTER, False),
        (CLEAVED, False),
        (f"{BENZENE}.Cl>>{BENZENE}", False),
        (f"{BENZENE}>>[CH3:1][CH:2]=[CH:3][CH:4]=[CH:5][CH3:6]", True),
        (f"[CH4:7]>{BENZENE}>[CH3:1][CH3:7]", True),
        # Written with single and double bonds, and with one atom alone in the product.
        ("C1=CC=CC=[CH:1]1>>[CH4:1]", True),
        # Pyridine may be reduced, and a solvent is not part of the product.
        ("[cH:1]1[cH:2][cH:3][cH:4][cH:5][n:6]1>>[CH3:1][NH:6][CH:5]=[CH:4][CH:3]=[CH2:2]", False),
        ("[CH3:1][OH:2]>c1ccccc1>[CH3:1][OH:2]", False),
        ("[CH3:1][CH2:2][CH3:3]>>[CH4:1].[CH4:2].[CH4:3]", False),
        ("[CH3:1][CH2:2][CH2:3][CH3:4]>>[CH4:1].[CH4:2].[CH4:3].[CH4:4]", True),
        ("C[CH2:1]C>>[CH4:1]", False),
        ("C[CH:1](C)C>>[CH3:1]C |f:0.1|", True),
        # Other bonds are not counted.
        ("[CH3:1][O:2][Si:3]([O:4][CH3:5])[O:6][CH3:7]>>[CH4:1].[CH4:5].[CH4:7]", False),
    ],
)
def test_a_map_that_takes_benzene_or_more_than_two_bonds_apart_is_implausible(
    original: str, implausible: bool
) -> None:
    assert is_implausible(mapped(1, original)) is implausible


def test_graphs_without_atom_maps_are_recognised() -> None:
    assert has_atom_maps([mapped(1, ESTER)])
    assert not has_atom_maps([mapped(1, ESTER), mapped(2, "CCO>>CC=O")])
    # A number left of the arrow alone maps nothing.
    assert not has_atom_maps([mapped(1, "[CH3:1]O>>C=O")])
    assert not has_atom_maps([Reaction(1, ("C",), ("CC",), (), (), (None,))])
    assert Eligibility.of([mapped(1, f"{BENZENE}>>[CH4:1]")]).implausible == {1}
    assert not Eligibility.of([mapped(1, f"{BENZENE}>>[CH4:1]"), mapped(2, "CCO>>CC=O")]).implausible
    # A table may hold any text in place of a reaction string.
    assert not has_atom_maps([mapped(1, "C[CH2:1]O>[CH3:1]C=O")])
    assert not has_atom_maps([mapped(1, f"{ESTER}>[CH3:1]C")])


def test_the_first_question_set_has_routes_that_carry_nothing() -> None:
    reactions = read_graph()
    carried = CarriedCarbons(reactions)
    questions = {each.id: each for each in load_questions(SHIPPED_QUESTIONS["set-1"]).questions}
    by_id = {each.id: each for each in reactions}
    # Esterified with benzoic acid by reaction 6706, and cleaved again by reaction 6707.
    made = next(iter(set(by_id[6706].products) & set(by_id[6707].reactants)))
    target = by_id[6707].products[0]
    acid = canonical_name("O=C(O)c1ccccc1")
    assert any(
        row["route"][:2] == [6706, 6707] for each in questions.values() for row in each.gold if "route" in row
    )
    assert carried.share((str(acid), 6706, made, 6707, target)) == 0.0
