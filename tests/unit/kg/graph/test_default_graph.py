"""The facts about the default graph that the rest of the project builds on, and canonical SMILES."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.graph.cleaning import key_of
from retrocypher.kg.graph.compact import DEFAULT_GRAPH, read_graph, read_manifest
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.molecules import Canonicaliser

GRAPH = read_graph()
MANIFEST = read_manifest()


def test_its_size() -> None:
    molecules = {m for r in GRAPH for m in (*r.reactants, *r.products, *r.agents, *r.solvents)}
    yields = [value for r in GRAPH for value in r.yields if value is not None]
    assert [r.id for r in GRAPH] == list(range(1, 11_870))
    assert (
        MANIFEST["counts"] | {"reactions": 11_869, "molecules": 20_442, "yields": 4_863} == MANIFEST["counts"]
    )
    assert (len(molecules), len(yields)) == (20_442, 4_863)
    assert all(0 <= value <= 100 for value in yields)
    assert MANIFEST["fingerprint"] == fingerprint_of(GRAPH)


def test_its_product_sets() -> None:
    sets = {size: {frozenset(c) for r in GRAPH for c in combinations(r.products, size)} for size in (3, 4)}
    assert Counter(len(r.products) for r in GRAPH) == {1: 11_213, 2: 632, 3: 17, 4: 7}
    assert len({m for r in GRAPH for m in r.products}) == 11_454
    assert (len(sets[3]), len(sets[4])) == (31, 4)


def test_every_record_is_accounted_for() -> None:
    dropped = (DEFAULT_GRAPH / "dropped.csv").read_text().splitlines()[1:]

    assert MANIFEST["records_read"] == 13_501
    counted = {rule: count for rule, count in MANIFEST["dropped"].items() if count}
    assert counted == {"no_products": 201, "no_reactants": 23, "over_four": 397, "duplicate": 1_011}
    assert len(dropped) + len(GRAPH) == 13_501
    assert Counter(line.split(",")[0] for line in dropped) == counted


def test_roles_hold_at_most_four_and_no_reaction_is_there_twice() -> None:
    roles = [role for r in GRAPH for role in (r.reactants, r.products, r.agents, r.solvents)]
    assert all(len(set(role)) == len(role) <= 4 for role in roles)
    assert len({key_of(r) for r in GRAPH}) == len(GRAPH)


def test_every_reaction_can_be_traced_to_its_record() -> None:
    sources = [r.source for r in GRAPH if r.source is not None]
    assert len({(s.file, s.row) for s in sources}) == len(GRAPH)
    assert all(s.original.count(">") == 2 for s in sources)
    months = {s.file: s.grant_date for s in sources}
    assert months == {name: name[13:20].replace("_", "-") for name in months}
    assert len(months) == 8


def test_its_names_are_canonical() -> None:
    canonicalise = Canonicaliser()
    names = (DEFAULT_GRAPH / "molecules.txt").read_text().split("\n")[:-1]
    assert names == sorted(names)
    assert all((found := canonicalise(name)) and found.smiles == name for name in names[::20])


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("OCC", "CCO"),
        ("[CH3:1][CH2:2][OH:7]", "CCO"),
        ("C1=CC=CC=C1", "c1ccccc1"),
        ("[Na+].[Cl-]", "[Cl-].[Na+]"),
        ("[2H]C([2H])[2H]", "[2H]C([2H])[2H]"),
        ("[H:3][O:1][CH3:2]", "CO"),
        ("C/C=C\\C", "C/C=C\\C"),
        ("[CH3:1][C@H:2]([OH:3])[C:4]#[N:5]", "C[C@H](O)C#N"),
    ],
)
def test_canonical_form_has_no_atom_maps(written: str, canonical: str) -> None:
    found = Canonicaliser()(written)
    assert found is not None
    assert found.smiles == canonical
    assert found.valence_accepted


@pytest.mark.parametrize(
    "written", ["", "C(", "c1cc1c1", "CQ", "CC O", "CC\tname", "C\u00e9", "\ud800", "C>>C"]
)
def test_what_rdkit_cannot_read_is_none(written: str) -> None:
    assert Canonicaliser()(written) is None


def test_an_impossible_valence_is_kept_and_told() -> None:
    found = Canonicaliser()("COC(=O)C(C)[CH2+]1CC2CCC1(C)C2(C)C")
    assert found is not None
    assert not found.valence_accepted
    assert Canonicaliser()(found.smiles) == found


@given(st.text(alphabet="CNOcno()[]=#@+-:1234Hl/\\. ", max_size=30))
def test_any_text_is_canonical_or_none_and_canonical_is_a_fixed_point(text: str) -> None:
    canonicalise = Canonicaliser()
    found = canonicalise(text)
    assert found is None or canonicalise(found.smiles) == found
