"""The audit of a graph: each rule finds what is planted, and nothing in sound reactions."""

from dataclasses import replace
from itertools import islice

import pytest

from retrocypher.kg.audit.finding import AUDIT_RULES, Finding
from retrocypher.kg.audit.rules import audit, audit_evidence
from retrocypher.kg.evidence.evidence import Evidence, Fact
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.reaction import Reaction, RecordYield

# Acetic acid and ethanol give ethyl acetate, with sulfuric acid, in toluene.
SOUND = Reaction(1, ("CC(=O)O", "CCO"), ("CCOC(C)=O",), ("O=S(=O)(O)O",), ("Cc1ccccc1",), (80.0,))


def found(*reactions: Reaction, **texts: str) -> list[Finding]:
    numbered = [replace(each, id=number) for number, each in enumerate(reactions, start=1)]
    return list(audit(numbered, {int(name[1:]): text for name, text in texts.items()}))


def test_a_sound_reaction_has_no_finding() -> None:
    assert found(SOUND, r1="Obtained in 80.4% yield.") == []


@pytest.mark.parametrize(
    ("changed", "rule", "detail"),
    [
        ({"yields_disputed": True}, "record_yields", "kept: 80 %"),
        ({"agents": ("CCO",)}, "two_roles", "CCO among reactants and agents"),
        ({"solvents": ("CCO",)}, "two_roles", "CCO among reactants and solvents"),
        (
            {"reactants": ("CC(=O)O", "CCO", "CCOC(C)=O")},
            "product_is_reactant",
            "CCOC(C)=O among reactants and products",
        ),
        ({"products": ("CCOC(C)=O", "CCBr"), "yields": (80.0, None)}, "element_not_supplied", "Br of CCBr"),
        (
            {"products": ("CCOC(=O)CC(=O)OCC",), "agents": (), "solvents": ()},
            "atoms_not_supplied",
            "7 C, 4 supplied, 4 O, 3 supplied: CCOC(=O)CC(=O)OCC",
        ),
        ({"yields": (104.0,)}, "yield_out_of_range", "104 %"),
        ({"products": ("CCOC(C)=O", "O"), "yields": (80.0, 30.0)}, "yields_over_100", "80 + 30 = 110 %"),
        ({"solvents": ("CC[CH2+]1CCCC1",)}, "impossible_valence", "CC[CH2+]1CCCC1: "),
    ],
)
def test_what_is_wrong_in_one_reaction(changed: dict[str, object], rule: str, detail: str) -> None:
    (finding,) = found(replace(SOUND, **changed))
    assert (finding.rule, finding.reactions) == (rule, (1,))
    assert finding.detail.startswith(detail)


@pytest.mark.parametrize(
    ("first", "second", "rule"),
    [
        ({"reactants": ("CC(=O)[O-]", "CCO")}, {"reactants": ("CC(=O)O", "CCO")}, "same_but_salt"),
        ({"agents": ("[Na+]", "O=S(=O)(O)O")}, {}, "same_but_salt"),
        ({"solvents": ("C/C=C/C",)}, {"solvents": ("C/C=C\\C",)}, "same_but_stereo"),
        ({"reactants": ("CC(=O)O", "CCO.Cl")}, {}, "same_but_salt"),
        ({"reactants": ("CC(=O)O", "CCO", "Cl")}, {}, "same_but_salt"),
        (
            {"reactants": ("CC(=O)[O-].[K+]", "CCO")},
            {"reactants": ("CC(=O)[O-].[Na+]", "CCO")},
            "same_but_salt",
        ),
        # The parts of a salt are molecules of their own, ions or not.
        ({"reactants": ("CC(=O)[O-]", "CC[NH+](CC)CC", "CCO")}, {}, "same_but_salt"),
        ({"products": ("CCOC(C)=O", "CS(=O)(=O)O"), "yields": (80.0, None)}, {}, "same_but_salt"),
        ({"solvents": ("Oc1ccccn1",)}, {"solvents": ("O=c1cccc[nH]1",)}, "same_but_tautomer"),
        ({"solvents": ("CC(=O)CC(C)=O",)}, {"solvents": ("CC(=O)C=C(C)O",)}, "same_but_tautomer"),
        ({"solvents": ("CC=NNc1ccccc1",)}, {"solvents": ("CCN=Nc1ccccc1",)}, "same_but_tautomer"),
        (
            {"solvents": ("CC(C)=NNc1ccccc1", "C[C@H](O)N=[N+]=[N-]")},
            {"solvents": ("CC(C)N=Nc1ccccc1", "C[C@H](O)N=[N+]=[N-]")},
            "same_but_tautomer",
        ),
    ],
)
def test_reactions_that_are_the_same_but_for_the_form(
    first: dict[str, object], second: dict[str, object], rule: str
) -> None:
    (finding,) = found(replace(SOUND, **first), replace(SOUND, **second))
    assert (finding.rule, finding.reactions) == (rule, (1, 2))


def test_the_yields_of_the_records_are_named_with_their_places() -> None:
    records = [RecordYield(1, "C", 80.0, "a.csv", 2, "1995-11"), RecordYield(1, "C", 70.5, "b.csv", 3)]
    (finding,) = audit([replace(SOUND, yields_disputed=True)], records={1: records})
    assert finding.detail == "kept: 80 %; 80 % in a.csv row 2 (1995-11); 70.5 % in b.csv row 3"


def test_duplicates_are_named_by_the_molecules_that_they_do_not_share() -> None:
    (finding,) = found(replace(SOUND, agents=("[Na+]", "[Cl-]")), replace(SOUND, agents=()))
    assert finding.detail == f"{'.'.join(SOUND.products)}, differing in [Cl-].[Na+] | nothing"


def test_an_isotope_is_no_matter_of_stereochemistry() -> None:
    assert found(SOUND, replace(SOUND, solvents=("[2H]c1ccccc1C",))) == []


def test_what_gives_atoms_to_a_product_makes_no_salt() -> None:
    amine = replace(SOUND, reactants=("CBr", "NCc1ccccc1"), products=("CNCc1ccccc1",), agents=(), solvents=())
    found_in = {each.rule for each in found(amine, replace(amine, reactants=("CBr",)))}
    assert "same_but_salt" not in found_in


def test_the_tautomers_of_a_molecule_with_a_bad_valence_are_compared() -> None:
    forms = [replace(SOUND, solvents=("CN=N(C)(C)C", each)) for each in ("CC(=O)CC(C)=O", "CC(=O)C=C(C)O")]
    assert {each.rule for each in found(*forms)} == {"impossible_valence", "same_but_tautomer"}


def test_two_acids_are_no_two_forms_of_one_salt() -> None:
    first, second = ((*SOUND.reactants, acid) for acid in ("CS(=O)(=O)O", "O=P(O)(O)O"))
    assert found(replace(SOUND, reactants=first), replace(SOUND, reactants=second)) == []


@pytest.mark.parametrize("other", ["[Zn+2]", "Cl"])
def test_an_agent_that_may_be_a_catalyst_is_no_counter_ion(other: str) -> None:
    assert found(SOUND, replace(SOUND, agents=(*SOUND.agents, other))) == []


def test_the_yield_of_a_text_is_compared_with_that_of_the_record() -> None:
    (finding,) = found(SOUND, r1="It was dried to give 3 g (75% of theory) of the ester.")
    assert finding == Finding("text_yield", (1,), "record: 80 %, text: 75 %")


def test_a_text_with_two_yields_is_not_compared() -> None:
    assert found(SOUND, r1="In 70% yield; after distillation 55% yield.") == []


def test_a_planted_error_is_found_in_real_reactions() -> None:
    sound = [each for each in islice(read_graph(), 400) if not list(audit([each]))]
    assert len(sound) > 350
    for each in sound:
        twice = replace(each, agents=(*each.agents, each.reactants[0]))
        foreign = replace(each, products=(*each.products, "[Og]"), yields=(*each.yields, None))
        assert [finding.rule for finding in audit([twice])] == ["two_roles"]
        assert [finding.rule for finding in audit([foreign])] == ["element_not_supplied"]


def test_each_rule_has_a_kind_and_a_meaning() -> None:
    assert {each.kind for each in AUDIT_RULES.values()} == {"conflict", "duplicate", "unbalanced", "invalid"}


def test_facts_that_sources_contradict_or_do_not_speak_of_are_to_be_verified() -> None:
    fact = Fact(1, "USES_SOLVENT", "O")
    disputed = Evidence(fact, (("other_reading", "differs"), ("text_name", "agrees")))
    evidence = [Evidence(fact, (("text_name", "agrees"),)), disputed, Evidence(Fact(2, "yield", "C"), ())]
    assert list(audit_evidence(evidence)) == [
        Finding("source_differs", (1,), "USES_SOLVENT O: other_reading"),
        Finding("never_checked", (2,), "yield C"),
    ]


def test_the_oldest_records_of_the_default_graph_come_first() -> None:
    months = [each.source.grant_date for each in read_graph() if each.source]
    assert months == sorted(months, key=str)
