"""What other records say of the facts of a graph."""

from dataclasses import replace

import pytest

from retrocypher.kg.evidence.build import other_reading, other_records, text_yields, uspto_mit
from retrocypher.kg.evidence.evidence import Fact, FactKind, Verdict, facts_of
from retrocypher.kg.graph.build import read_line
from retrocypher.kg.graph.reaction import Reaction, Record, Source

ESTER = Reaction(
    7, ("CC(=O)O", "CCO"), ("CCOC(C)=O",), ("[H+]",), ("c1ccccc1",), (80.0,), Source("a.parquet", 3, "A>B>C")
)
RECORD = Record(
    "a.parquet", 3, ("OCC", "CC(=O)O"), ("CCOC(C)=O",), ("[H+]",), ("C1=CC=CC=C1",), (80.0,), original="A>B>C"
)
SAME: dict[tuple[FactKind, str], Verdict] = {
    ("REACTS_IN", "CC(=O)O"): "agrees",
    ("REACTS_IN", "CCO"): "agrees",
    ("PRODUCES", "CCOC(C)=O"): "agrees",
    ("USES_AGENT", "[H+]"): "agrees",
    ("USES_SOLVENT", "c1ccccc1"): "agrees",
}


def plain(said: dict[Fact, Verdict]) -> dict[tuple[FactKind, str], Verdict]:
    assert {fact.reaction for fact in said} <= {ESTER.id}
    return {(fact.kind, fact.molecule): verdict for fact, verdict in said.items()}


def test_the_facts_of_a_reaction_are_its_relationships_and_known_yields() -> None:
    assert [(fact.kind, fact.molecule) for fact in facts_of(ESTER)] == [*SAME, ("yield", "CCOC(C)=O")]
    assert len(facts_of(replace(ESTER, yields=(None,)))) == 5


@pytest.mark.parametrize(
    ("reactants", "agents", "solvents", "changed"),
    [
        (("OCC", "CC(=O)O"), ("[H+]",), ("c1ccccc1",), {}),
        # Reagents are reactants there: that says nothing of an agent, but a solvent has a label.
        (("OCC", "CC(=O)O", "[H+]"), (), ("c1ccccc1",), {("USES_AGENT", "[H+]"): None}),
        (("OCC", "CC(=O)O"), (), ("c1ccccc1", "[H+]"), {("USES_AGENT", "[H+]"): "differs"}),
        (("OCC", "CC(=O)O", "c1ccccc1"), ("[H+]",), (), {("USES_SOLVENT", "c1ccccc1"): "differs"}),
        (("CC(=O)O",), ("[H+]",), ("c1ccccc1",), {("REACTS_IN", "CCO"): "differs"}),
        (("CC(=O)O",), ("[H+]",), ("c1ccccc1", "CCO"), {("REACTS_IN", "CCO"): "differs"}),
        (("OCC", "CC(=O)O", "C(C"), ("[H+]",), ("c1ccccc1",), {}),
    ],
)
def test_another_reading_of_the_same_record(
    reactants: tuple[str, ...],
    agents: tuple[str, ...],
    solvents: tuple[str, ...],
    changed: dict[tuple[FactKind, str], Verdict | None],
) -> None:
    record = replace(RECORD, reactants=reactants, agents=agents, solvents=solvents)
    expected = {key: verdict for key, verdict in {**SAME, **changed}.items() if verdict}
    assert plain(other_reading([ESTER], [record])) == expected


@pytest.mark.parametrize("change", [{"original": "A>B>D"}, {"row": 4}, {"file": "b.parquet"}])
def test_a_row_that_is_not_the_record_is_skipped(change: dict[str, object]) -> None:
    assert other_reading([ESTER], [replace(RECORD, **change)]) == {}


@pytest.mark.parametrize(
    ("yields", "verdict"),
    [
        ((80.0,), "agrees"),
        ((79.0,), "agrees"),
        ((78.9,), "differs"),
        ((None,), None),
        ((250.0,), None),
        ((), None),
    ],
)
def test_another_record_of_the_reaction(yields: tuple[float | None, ...], verdict: Verdict | None) -> None:
    other = replace(RECORD, row=9, original="another", yields=yields)
    expected = {**SAME, ("yield", "CCOC(C)=O"): verdict} if verdict else SAME
    assert plain(other_records([ESTER], [RECORD, other])) == expected


def test_several_other_records_must_agree_on_a_yield() -> None:
    others = [replace(RECORD, row=row, yields=(value,)) for row, value in ((8, 80.0), (9, 10.0), (10, 80.0))]
    assert plain(other_records([ESTER], others))["yield", "CCOC(C)=O"] == "differs"


def test_neither_the_record_itself_nor_one_with_another_molecule_is_another_record() -> None:
    more = replace(RECORD, row=9, agents=("[H+]", "[Na+]"))
    assert other_records([ESTER], [RECORD, more]) == {}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "[CH3:1][C:2](=[O:3])O.[CH3:4][CH2:5][OH:6].c1ccccc1>>[CH3:1][C:2](=[O:3])[O:6][CH2:5][CH3:4] 6",
            {
                ("PRODUCES", "CCOC(C)=O"): "agrees",
                ("REACTS_IN", "CC(=O)O"): "agrees",
                ("REACTS_IN", "CCO"): "agrees",
            },
        ),
        (
            "[CH3:1][C:2](=[O:3])[OH:6].CCO.[CH3:4][CH3:5].[H+:7]>>[CH3:1][C:2](=[O:3])[O:6][CH2:5][CH3:4].[H+:7]",
            {
                ("PRODUCES", "CCOC(C)=O"): "agrees",
                ("REACTS_IN", "CC(=O)O"): "agrees",
                ("REACTS_IN", "CCO"): "differs",
                ("USES_AGENT", "[H+]"): "differs",
            },
        ),
        ("[CH3:1][C:2](=[O:3])O.C[OH:6]>>[CH3:1][C:2](=[O:3])[O:6]CC", {}),
        ("[CH3:1][C:2](=[O:3])O.CC[OH:6]>>[CH3:1][C:2](=[O:3])[O:6]C", {}),
        ("no reaction", {}),
    ],
)
def test_a_mapped_reaction(line: str, said: dict[tuple[FactKind, str], Verdict]) -> None:
    record = read_line("m.txt", 1, line.partition(" ")[0])
    assert plain(uspto_mit([ESTER], [record])) == said


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("The yield was 80.6 %.", "agrees"),
        ("The yield was 82 %.", "differs"),
        ("It gave 80% yield, then 50% yield.", None),
        ("It was dried.", None),
    ],
)
def test_a_yield_in_the_text(text: str, verdict: Verdict | None) -> None:
    said, spans = text_yields([ESTER], {7: text})
    fact = Fact(7, "yield", "CCOC(C)=O")
    assert said == ({fact: verdict} if verdict else {})
    assert {text[start:stop] for start, stop in spans.values()} == ({text.split()[3]} if verdict else set())


def test_several_yields_are_not_compared_with_one_in_the_text() -> None:
    two = replace(ESTER, products=("CCOC(C)=O", "O"), yields=(80.0, 80.0))
    assert text_yields([two], {7: "80% yield"}) == ({}, {})
