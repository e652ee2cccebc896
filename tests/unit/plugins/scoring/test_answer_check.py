"""Written answers: the verdict on them, by claims that rules find or a model lists."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec import convert, structs
from support.claims_graph import SOURCE, asking_reactions
from support.evidence import evidence_of
from support.records import record_of, write_run

from retrocypher.kg.claims.sentences import sentences_of
from retrocypher.kg.claims.verification import Provenance, Verifier
from retrocypher.kg.errors import GraphError
from retrocypher.kg.evidence.evidence import Fact
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.plugins.reporting.case_view import claim_line, verification_lines
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.replay import RunIndex
from retrocypher.plugins.runs.written_answer import (
    AnswerJudge,
    JudgeError,
    MeasuredAnswer,
    OverallVerdict,
    RecordedClaim,
    Thresholds,
)
from retrocypher.plugins.scoring.answer_check import RecordedChecker, check_answer
from retrocypher.plugins.scoring.verdict import judge_answer
from retrocypher.prompts.answering.writing import StatedClaims, WrittenAnswer, read_stated

ETHANOL, ACID, ESTER = "CCO", "CC(=O)O", "CCOC(C)=O"


# Reaction 5 makes ethyl acetate from ethanol and acetic acid, in 80 %.
VERIFIER = Verifier(asking_reactions((Reaction(5, (ETHANOL, ACID), (ESTER,), (), (), (80.0,), SOURCE),)))
QUESTION = f"From which direct precursors is {ESTER} made?"


def made(sentence: int, role: str, molecule: str | None, **more: Any) -> dict[str, Any]:
    return {"claim": "role", "sentence": sentence, "role": role, "molecule": molecule, "reaction": 5, **more}


def check(answer: str, *entries: dict[str, Any], malformed: str | None = None) -> Any:
    stated = StatedClaims(malformed=malformed) if malformed else read_stated(json.dumps(entries), 9)
    return check_answer(QUESTION, answer, stated, VERIFIER, Thresholds())


ALL = (made(1, "reactant", ETHANOL), made(1, "reactant", ACID), made(1, "product", ESTER))
TRUE = f"In reaction 5, the reactants {ETHANOL} and {ACID} give the product {ESTER}."


COUNT = {"claim": "count", "sentence": 2}
YIELD = {"claim": "yield", "sentence": 2, "reaction": 5}
LISTED = {"claim": "listed", "sentence": 2}
YIELDS = {**YIELD, "reaction": None, "product": ESTER}


def test_the_claims_that_a_model_lists_decide() -> None:
    checked = check(TRUE, *ALL)
    assert checked.verification.verdict == "VERIFIED"
    assert (checked.verification.extractor.claims, checked.verification.extractor.refused) == (3, 0)
    assert {tuple(each.by) for each in checked.claims} == {("model",)}
    lines = list(verification_lines(checked.verification))
    assert lines[0].startswith("VERIFIED, 100% of 3 claims")
    assert lines[-1] == "claims listed by a model: 3"


def test_a_list_that_leaves_something_out_verifies_nothing() -> None:
    found = check(TRUE, *ALL[1:]).verification
    assert found.verdict == "PARTIALLY_VERIFIED"
    assert found.shortcomings == [f"Not read: {ETHANOL} in \u201c{TRUE}\u201d."]


def test_a_list_that_claims_too_much_refutes() -> None:
    found = check(TRUE, *ALL, made(1, "solvent", "C1CC1"))
    assert found.verification.verdict == "REFUTED"


@pytest.mark.parametrize(("heading", "verdict"), [(5, "VERIFIED"), (6, "PARTIALLY_VERIFIED")])
def test_a_heading_names_the_reactions_of_the_claims_below_it(heading: int, verdict: OverallVerdict) -> None:
    answer = f"## Reaction {heading}\n\n{TRUE.replace('In reaction 5, the', 'The')}"
    claims = [{**each, "sentence": 2} for each in ALL]
    assert check(answer, *claims).verification.verdict == verdict


WAY = ((5, ETHANOL, "CC=O"), (6, "CC=O", ACID))
STEPS = [
    made(2, "reactant", ETHANOL),
    made(2, "product", "CC=O"),
    {**made(2, "reactant", "CC=O"), "reaction": 6},
]


def verdict_on_way(
    question: str, answer: str, *entries: dict[str, Any], way: Sequence[tuple[int, str, str]] = WAY
) -> OverallVerdict:
    """The verdict where reaction 5 makes CC=O from ethanol, and reaction 6 acetic acid from that."""
    reactions = tuple(Reaction(id, (one,), (other,), (), (), (None,)) for id, one, other in way)
    stated = read_stated(json.dumps(entries), 3)
    return judge_answer(
        question, answer, Verifier(asking_reactions(reactions)), entries=stated.usable
    ).verdict


@pytest.mark.parametrize(("named", "verdict"), [("CC=O", "VERIFIED"), (ETHANOL, "PARTIALLY_VERIFIED")])
def test_an_intermediate_that_is_only_listed_is_made_in_another_claim(
    named: str, verdict: OverallVerdict
) -> None:
    asked = "Which intermediate molecules occur on the way to"
    question = f"{asked} {ACID} when it is made in exactly 2 reaction steps?"
    answer = f"It is {named}. Reaction 5 turns {ETHANOL} into CC=O, and reaction 6 consumes CC=O."
    listed = {"claim": "listed", "sentence": 1, "molecules": [named]}
    route = {"claim": "route", "sentence": 2, "reactions": [5, 6]}
    assert verdict_on_way(question, answer, listed, *STEPS, route) == verdict


@pytest.mark.parametrize(("count", "verdict"), [(1, "VERIFIED"), (3, "UNVERIFIABLE")])
def test_a_count_of_intermediates_may_be_that_of_the_answer(count: int, verdict: OverallVerdict) -> None:
    question = f"Which intermediate molecules occur on the way to {ACID} when it is made in exactly 2 steps?"
    answer = f"I find {count}. Reaction 5 turns {ETHANOL} into CC=O, and reaction 6 consumes CC=O."
    route = {"claim": "route", "sentence": 2, "reactions": [5, 6]}
    stated = {"claim": "count", "sentence": 1, "value": count}
    assert verdict_on_way(question, answer, stated, *STEPS, route) == verdict


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("The intermediate is CC=O.", "VERIFIED"),
        (f"CC=O is the intermediate on the way to {ACID}.", "VERIFIED"),
        (f"The intermediates are CC=O and {ACID}.", "PARTIALLY_VERIFIED"),
        (f"{ACID} is an intermediate, and so is CC=O.", "PARTIALLY_VERIFIED"),
        (f"{ACID} (intermediate) and CC=O are made.", "PARTIALLY_VERIFIED"),
    ],
)
def test_a_molecule_of_the_question_is_no_intermediate(sentence: str, verdict: OverallVerdict) -> None:
    question = f"Which intermediate molecules occur on the way to {ACID} when it is made in exactly 2 steps?"
    answer = f"{sentence} Reaction 5 turns {ETHANOL} into CC=O, and reaction 6 consumes CC=O."
    listed = {"claim": "listed", "sentence": 1, "molecules": ["CC=O", *([ACID] if ACID in sentence else [])]}
    route = {"claim": "route", "sentence": 2, "reactions": [5, 6]}
    assert verdict_on_way(question, answer, listed, *STEPS, route) == verdict


@pytest.mark.parametrize(
    ("sentence", "claim", "verdict"),
    [
        # Reaction 6 makes acetic acid from it, which is not what was asked about.
        ("No reaction makes CC=O.", {"role": "product", "molecule": "CC=O"}, "PARTIALLY_VERIFIED"),
        ("No reaction makes OO.", {"role": "product", "molecule": "OO"}, "VERIFIED"),
        (f"No reaction makes {ACID}.", {"role": "product", "molecule": ACID}, "REFUTED"),
        ("No reaction uses CC=O as a solvent.", {"role": "solvent", "molecule": "CC=O"}, "VERIFIED"),
        (
            f"{ETHANOL} is no precursor of {ACID}.",
            {"role": "reactant", "molecule": ETHANOL, "product": ACID},
            "VERIFIED",
        ),
    ],
)
def test_what_is_denied_of_any_reaction_must_hold_of_all(
    sentence: str, claim: dict[str, Any], verdict: OverallVerdict
) -> None:
    told = [{**made(1, "reactant", "CC=O"), "reaction": 6}, {**made(1, "product", ACID), "reaction": 6}]
    denied = {"claim": "role", "sentence": 2, "reaction": None, "negated": True, **claim}
    way = (*WAY, (7, "OO", "O"))
    answer = f"Reaction 6 makes {ACID} from CC=O. {sentence}"
    question = f"From which direct precursors is {ACID} made?"
    assert verdict_on_way(question, answer, *told, denied, way=way) == verdict


IN_TWO_STEPS = f"Which precursors can be converted into {ACID} in exactly 2 reaction steps?"


@pytest.mark.parametrize(("last", "verdict"), [("CC=O", "VERIFIED"), (None, "UNVERIFIABLE")])
def test_reactions_are_a_route_if_a_product_of_one_reacts_in_the_next(
    last: str | None, verdict: OverallVerdict
) -> None:
    told = [made(1, "reactant", ETHANOL), made(1, "product", "CC=O")]
    end = [{**made(2, "product", ACID), "reaction": 6}]
    answer = f"Reaction 5 turns {ETHANOL} into CC=O. Reaction 6 makes {ACID}."
    if last:
        answer = answer.replace("makes", f"turns {last} into")
        end.append({**made(2, "reactant", last), "reaction": 6})
    assert verdict_on_way(IN_TWO_STEPS, answer, *told, *end) == verdict


PRECURSOR = {"claim": "precursor", "sentence": 2, "molecule": ETHANOL}


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (PRECURSOR, "VERIFIED"),
        ({**PRECURSOR, "product": ACID}, "VERIFIED"),
        ({**PRECURSOR, "product": ACID, "steps": 1}, "REFUTED"),
        ({**PRECURSOR, "molecule": "CC=O"}, "UNVERIFIABLE"),
        ({**PRECURSOR, "molecule": "CC=O", "steps": 1}, "VERIFIED"),
        # The graph does not know the molecule.
        ({**PRECURSOR, "molecule": "CCCl"}, "PARTIALLY_VERIFIED"),
        # Four molecules, or four routes?
        ({"claim": "count", "sentence": 2, "value": 4, "product": ACID, "steps": 2}, "UNVERIFIABLE"),
        (
            {"claim": "count", "sentence": 2, "value": 4, "role": "route", "product": ACID, "steps": 2},
            "REFUTED",
        ),
    ],
)
def test_what_is_left_to_the_question_does_not_refute(claim: dict[str, Any], verdict: OverallVerdict) -> None:
    told = [{**each, "sentence": 1} for each in STEPS]
    route = {"claim": "route", "sentence": 1, "reactions": [5, 6]}
    told_last = f"{claim['molecule']} is a precursor." if "molecule" in claim else f"There are 4 to {ACID}."
    answer = f"Reaction 5 turns {ETHANOL} into CC=O, and 6 consumes it. {told_last}"
    assert verdict_on_way(IN_TWO_STEPS, answer, *told, route, claim) == verdict


@pytest.mark.parametrize(("named", "verdict"), [("CC=O", "VERIFIED"), (ETHANOL, "PARTIALLY_VERIFIED")])
def test_what_is_formed_on_the_way_is_made_by_a_reaction_of_the_answer(
    named: str, verdict: OverallVerdict
) -> None:
    question = f"Which multi-step reaction chains lead to {ACID} in exactly 2 reaction steps?"
    told = [{**each, "sentence": 1} for each in STEPS]
    route = {"claim": "route", "sentence": 1, "reactions": [5, 6]}
    formed = {**made(2, "product", named), "reaction": None}
    answer = f"Reaction 5 turns {ETHANOL} into CC=O, and 6 consumes it. On the way, {named} is formed."
    reactions = (*WAY, (7, "CC", ETHANOL))
    assert verdict_on_way(question, answer, *told, route, formed, way=reactions) == verdict


@pytest.mark.parametrize(("place", "verdict"), [(1, "PARTIALLY_VERIFIED"), (2, "VERIFIED")])
def test_a_route_is_claimed_by_the_last_sentence_that_tells_it(place: int, verdict: OverallVerdict) -> None:
    sentences = ["The last step is reaction 6.", f"The first one, which takes {ETHANOL}, is reaction 5."]
    if place == 1:
        sentences.reverse()
    route = {"claim": "route", "sentence": place, "reactions": [5, 6]}
    assert (
        verdict_on_way(IN_TWO_STEPS, " ".join(sentences), made(place, "reactant", ETHANOL), route) == verdict
    )


@pytest.mark.parametrize(
    ("label", "verdict"), [("Reaction 5.", "VERIFIED"), ("Reaction 6.", "PARTIALLY_VERIFIED")]
)
def test_a_line_that_only_names_a_reaction_is_a_heading(label: str, verdict: OverallVerdict) -> None:
    answer = f"1. {label}\n\n   Reactants: {ETHANOL} and {ACID}."
    claims = [{**each, "sentence": 2} for each in ALL[:2]]
    assert check(answer, *claims).verification.verdict == verdict


@pytest.mark.parametrize(
    ("sentence", "entry", "verdict"),
    [
        ("No solvent is used.", made(2, "solvent", None, negated=True), "VERIFIED"),
        ("No reactant is used.", made(2, "reactant", None, negated=True), "REFUTED"),
        ("No solvent is used.", None, "PARTIALLY_VERIFIED"),
        (
            f"There are 7 reactions that make {ESTER}.",
            {**COUNT, "value": 7, "role": "product", "molecule": ESTER},
            "REFUTED",
        ),
        (
            f"There is one reaction that makes {ESTER}.",
            {**COUNT, "value": 1, "role": "product", "molecule": ESTER},
            "VERIFIED",
        ),
        (f"There are 7 reactions that make {ESTER}.", None, "PARTIALLY_VERIFIED"),
        (
            "It has two reactants.",
            {"claim": "count", "sentence": 2, "value": 2, "role": "reactant", "reaction": 5},
            "VERIFIED",
        ),
        (
            "It has one solvent.",
            {"claim": "count", "sentence": 2, "value": 1, "role": "solvent", "reaction": 5},
            "REFUTED",
        ),
        ("The yield is 80 %.", {**YIELD, "value": 80}, "VERIFIED"),
        ("The yield is 70 %.", {**YIELD, "value": 70}, "REFUTED"),
        ("Its yield is known.", {**YIELD, "value": None}, "VERIFIED"),
        ("The yield is 70 %.", None, "PARTIALLY_VERIFIED"),
        (
            "Its yield is not known.",
            {"claim": "yield", "sentence": 2, "reaction": 5, "value": None, "negated": True},
            "REFUTED",
        ),
        ("All yields are from 80 to 80 %.", {**YIELDS, "low": 80, "value": 80}, "VERIFIED"),
        ("All yields are from 80 to 90 %.", {**YIELDS, "low": 80, "value": 90}, "PARTIALLY_VERIFIED"),
        ("All yields are from 85 to 90 %.", {**YIELDS, "low": 85, "value": 90}, "REFUTED"),
        (
            "No other reaction makes it.",
            {**COUNT, "value": 1, "role": "product", "molecule": ESTER},
            "VERIFIED",
        ),
        (
            "No other reaction makes it.",
            {**COUNT, "value": 2, "role": "product", "molecule": ESTER},
            "REFUTED",
        ),
        ("No other reaction makes it.", None, "PARTIALLY_VERIFIED"),
        ("The reactants are those below.", None, "VERIFIED"),
        (f"Is this the best yield of {ESTER}?", None, "VERIFIED"),
        (f"Is this the best yield of {ACID}?", None, "PARTIALLY_VERIFIED"),
        ("This is the best yield.", None, "PARTIALLY_VERIFIED"),
        ("Feel free to ask about the reactants.", None, "VERIFIED"),
        ("Best wishes", None, "VERIFIED"),
        ("It is no. 5 of the list.", {**LISTED, "reactions": [5]}, "VERIFIED"),
        ("It is no. 5 of the list.", None, "PARTIALLY_VERIFIED"),
        ("2.1 Findings", None, "PARTIALLY_VERIFIED"),
        ("2.1 is the ratio.", None, "PARTIALLY_VERIFIED"),
        ("3", None, "PARTIALLY_VERIFIED"),
        ("There are two.", None, "PARTIALLY_VERIFIED"),
        ("There are two, as far as I know.", None, "PARTIALLY_VERIFIED"),
        ("These are the two.", None, "VERIFIED"),
        ("reactants, products, yields", None, "VERIFIED"),
        ("(n.r. = not recorded)", None, "VERIFIED"),
        ("The yield = not recorded.", None, "PARTIALLY_VERIFIED"),
        ("What reacts in reaction 5?", None, "VERIFIED"),
        ("What reacts in reaction 6?", None, "PARTIALLY_VERIFIED"),
        ("Nothing else reacts.", {**COUNT, "value": 2, "role": "reactant", "reaction": 5}, "VERIFIED"),
        ("Nothing else reacts.", {**COUNT, "value": 3, "role": "reactant", "reaction": 5}, "REFUTED"),
        ("It works better than others.", {"claim": "other", "sentence": 2}, "PARTIALLY_VERIFIED"),
        ("Brine is the solvent.", None, "PARTIALLY_VERIFIED"),
        # What "7 reactions" are is taken from the question, so it does not refute.
        ("There are 7 reactions.", {**COUNT, "value": 7, "role": "product"}, "UNVERIFIABLE"),
        ("There is one reaction.", {**COUNT, "value": 1, "role": "product"}, "VERIFIED"),
        ("These precursors are recorded.", None, "VERIFIED"),
        ("They go from one reaction to the next, in the same way.", None, "PARTIALLY_VERIFIED"),
        ("I hope this helps.", None, "VERIFIED"),
        # A common name stands for its molecule, that of a salt for both ions; it does not refute.
        ("Ethanol reacts.", made(2, "reactant", "ethanol"), "VERIFIED"),
        ("Ethanol reacts.", None, "PARTIALLY_VERIFIED"),
        (f"Pyridine ({ETHANOL}) reacts.", made(2, "reactant", ETHANOL), "PARTIALLY_VERIFIED"),
        ("EtOH and AcOH react.", made(2, "reactant", "EtOH"), "PARTIALLY_VERIFIED"),
        ("Methanol reacts.", made(2, "reactant", "methanol"), "UNVERIFIABLE"),
        ("NaOH reacts.", made(2, "reactant", "NaOH"), "UNVERIFIABLE"),
        ("Cysteamine reacts.", made(2, "reactant", "cysteamine"), "PARTIALLY_VERIFIED"),
        (f"The acetic acid ester {ESTER} forms.", made(2, "product", ESTER), "VERIFIED"),
        (f"1-Octene ({ETHANOL}) reacts.", made(2, "reactant", ETHANOL), "VERIFIED"),
        (f"The 3-solvent mixture has {ETHANOL}.", made(2, "reactant", ETHANOL), "PARTIALLY_VERIFIED"),
        (f"The reactants: {ETHANOL}/{ACID}.", made(2, "reactant", ETHANOL), "PARTIALLY_VERIFIED"),
        (f"The 2nd reactant is {ETHANOL}.", made(2, "reactant", ETHANOL), "VERIFIED"),
        (f"Reactant no. 2 is {ETHANOL}.", made(2, "reactant", ETHANOL), "PARTIALLY_VERIFIED"),
        ("It gives only 80 %.", {**YIELD, "value": 80}, "PARTIALLY_VERIFIED"),
        ("It gives only one product.", None, "PARTIALLY_VERIFIED"),
        # What names nothing that a claim could be about.
        ("Please do not hesitate to ask.", None, "VERIFIED"),
        ("This is nice.", {"claim": "other", "sentence": 2}, "VERIFIED"),
        ("There are no others.", None, "PARTIALLY_VERIFIED"),
        ("No route is known.", None, "PARTIALLY_VERIFIED"),
        ("You asked for the precursors:", None, "VERIFIED"),
    ],
)
def test_each_sentence_is_covered_by_claims(
    sentence: str, entry: dict[str, Any] | None, verdict: OverallVerdict
) -> None:
    found = check(f"{TRUE}\n\n{sentence}", *ALL, *([entry] if entry else []))
    assert found.verification.verdict == verdict, found.verification


@pytest.mark.parametrize(
    ("answer", "sentences"),
    [
        ("(a) First. Reaction 12 runs.\nb. Reaction 13 runs.", 3),
        ("### 2. Reaction 12", ["2. Reaction 12"]),
        ("Acids, e.g. CC(=O)O, react. Then: i.e. Reaction 12.", 2),
        ("The yield is 85.4. Then it stops.", ["The yield is 85.4.", "Then it stops."]),
    ],
)
def test_labels_and_abbreviations_end_no_sentence(answer: str, sentences: Any) -> None:
    found = [each.text for each in sentences_of(answer).all]
    assert (found if isinstance(sentences, list) else len(found)) == sentences


# Reactions 1 and 2 make C=O, from which 3 makes acetic acid; each starts from two molecules.
TWO_STEPS = Verifier(
    asking_reactions(
        (
            Reaction(1, ("C", "O"), ("C=O",), (), (), (None,), SOURCE),
            Reaction(2, ("CN", "OO"), ("C=O",), (), (), (None,), SOURCE),
            Reaction(3, ("C=O",), (ACID,), (), (), (None,), SOURCE),
        )
    )
)


@pytest.mark.parametrize(
    ("task", "count", "verdict"),
    [
        ("precursors can lead to {} in exactly 2 reaction steps", {"value": 4}, "VERIFIED"),
        ("precursors can lead to {} in exactly 2 reaction steps", {"value": 2}, "VERIFIED"),
        ("precursors can lead to {} in exactly 2 reaction steps", {"value": 3}, "UNVERIFIABLE"),
        (
            "precursors can lead to {} in exactly 2 reaction steps",
            {"value": 2, "role": "reactant", "steps": 2, "product": ACID},
            "REFUTED",
        ),
        (
            "precursors can lead to {} in exactly 2 reaction steps",
            {"value": 1, "role": "intermediate", "steps": 2, "product": ACID},
            "VERIFIED",
        ),
    ],
)
def test_molecules_along_routes_are_counted(
    task: str, count: dict[str, Any], verdict: OverallVerdict
) -> None:
    routes = [{"claim": "route", "sentence": 1, "reactions": [each, 3]} for each in (1, 2)]
    answer = "The routes are 1, 3 and 2, 3.\n\nThere are so many."
    stated = read_stated(json.dumps([*routes, {**COUNT, **count}]), 2)
    question = f"Which {task.format(ACID)}?"
    assert judge_answer(question, answer, TWO_STEPS, entries=stated.entries).verdict == verdict


@pytest.mark.parametrize(
    "sentence",
    ["No solvent is used.", "No co-product is formed.", f"There are 7 reactions that make {ESTER}."],
)
def test_what_rules_do_not_read_is_not_verified(sentence: str) -> None:
    found = check(f"{TRUE}\n\nIn reaction 6 nothing is made.\n\n{sentence}", malformed="not JSON")
    assert found.verification.verdict not in ("VERIFIED",)
    assert found.verification.extractor is None


def test_a_reaction_without_an_id_is_one_that_makes_what_is_named() -> None:
    entries = [{**each, "reaction": "r1"} for each in ALL]
    found = check(f"{ETHANOL} and {ACID} give {ESTER}.", *entries)
    assert found.verification.verdict == "VERIFIED"
    assert {each.product for each in found.claims if each.predicate == "REACTS_IN"} == {ESTER}


def test_what_a_judge_measured_is_reported() -> None:
    found = check("It is 5.").verification
    failed = MeasuredAnswer(None, 0, JudgeError("timeout", "too long"))
    found.judge = AnswerJudge("j", faithfulness=MeasuredAnswer(0.5, 4), answer_relevancy=failed)
    *_, line = verification_lines(found)
    assert line == "measured by j: faithfulness 0.500 of 4, no answer relevancy (timeout)"


def test_a_list_of_other_claims_raises_no_verdict() -> None:
    """The answer is false; all that is listed is true."""
    answer = f"In reaction 5, the reactants {ESTER} and {ACID} give the product {ETHANOL} in CCCl."
    assert check(answer, *ALL).verification.verdict != "VERIFIED"


def test_without_a_list_rules_read_the_answer() -> None:
    assert check("It is 5.", malformed="not JSON").verification.extractor is None
    none = check_answer(QUESTION, "No idea.", None, VERIFIER, Thresholds())
    assert (none.verification.verdict, none.verification.support) == ("UNVERIFIABLE", None)
    assert next(iter(verification_lines(none.verification))) == "UNVERIFIABLE, nothing is claimed"


def test_claims_are_told_in_a_line() -> None:
    fields = {"subject": None, "predicate": "YIELD", "object": 80.0, "product": ESTER}
    found = {"verdict": "CONTRADICTED", "reason": "it is 70 %", "by": ["reader"]}
    evidence = [{"reaction": 5, "found": 70.0, "source": {"file": "a.parquet", "row": 3}}]
    assert claim_line(convert({**fields, **found, "evidence": evidence}, RecordedClaim)) == (
        f"CONTRADICTED: (?, YIELD, 80 of {ESTER}); it is 70 %; reaction 5 (a.parquet, row 3); by reader"
    )


def test_replayed_answers_have_the_verdict_of_their_record(tmp_path: Path) -> None:
    record = record_of("a", answer="It is.", claims=[], verification={"verdict": "VERIFIED", "support": 1.0})
    manifest = {"options": {"seed": 0}, "models": [], "loops": {"players": {}}}
    run = write_run(tmp_path / "run", [record, record_of("b", answer="It is.")], manifest=manifest)
    index = RunIndex([RunLog(run)])
    checker = RecordedChecker(index, Thresholds())
    assert checker.check("a", "?", WrittenAnswer("It is.")).verification.verdict == "VERIFIED"
    for case, answer in (("a", "It is not."), ("b", "It is."), ("c", "It is.")):
        with pytest.raises(GraphError, match="no verdict on the answer"):
            checker.check(case, "?", WrittenAnswer(answer))
    with pytest.raises(GraphError, match="the same --evidence options"):
        RecordedChecker(index, Thresholds(confidence=0.7)).check("a", "?", WrittenAnswer("It is."))


def test_claims_that_are_not_sure_enough_are_neither_supported_nor_false() -> None:
    reactions = (Reaction(5, (ETHANOL, ACID), (ESTER,), (), (), (80.0,), SOURCE),)
    evidence = evidence_of(0.9, {Fact(5, "REACTS_IN", ACID): 0.6}, reactions)
    verifier = Verifier(asking_reactions(reactions), provenance=Provenance(evidence, lambda _: None, 0.7))
    stated = read_stated(json.dumps(ALL), 9)
    thresholds = Thresholds(confidence=0.7)
    found = check_answer(QUESTION, TRUE, stated, verifier, thresholds)
    # Two of three claims are supported.
    assert found.verification.counts["UNCERTAIN"] == 1
    assert found.verification.support == pytest.approx(2 / 3)
    assert found.verification.verdict == "UNVERIFIABLE"
    assert found.verification.thresholds.confidence == 0.7
    assert found.verification.shortcomings == []
    lenient = structs.replace(thresholds, verified=0.6)
    assert check_answer(QUESTION, TRUE, stated, verifier, lenient).verification.verdict == "VERIFIED"
    unsure = next(each for each in found.claims if each.verdict == "UNCERTAIN")
    assert (unsure.confidence, unsure.traced) == (0.6, False)


def test_a_claim_is_shown_with_record_confidence_and_text() -> None:
    claim = convert(
        {
            **{"subject": 5, "predicate": "PRODUCES", "object": ESTER, "verdict": "SUPPORTED"},
            "evidence": [
                {
                    **{"reaction": 5, "found": "PRODUCES", "confidence": 0.93},
                    "source": {"file": "a.parquet", "row": 3, "grant_date": "1976-01"},
                    "spans": [
                        {"kind": "PRODUCES", "molecule": ESTER, "start": 4, "stop": 9, "text": "ester"}
                    ],
                }
            ],
            "by": ["reader"],
        },
        RecordedClaim,
    )
    assert claim_line(claim) == (
        f"SUPPORTED: (5, PRODUCES, {ESTER}); reaction 5 (a.parquet, row 3, granted 1976-01, confidence 0.93, "
        "PRODUCES in characters 4 to 9 of its text 'ester'); by reader"
    )


PAIR = Verifier(
    asking_reactions(
        (
            Reaction(5, (ETHANOL, ACID), (ESTER,), ("Cl",), ("O",), (80.0,)),
            Reaction(6, (ETHANOL, ACID), (ESTER,), (), ("O",), (75.5,)),
        )
    )
)
HIGHER = {"claim": "higher_yield", "reaction": 5, "than": [6]}
COMMON = {"claim": "common", "reactions": [5, 6]}


@pytest.mark.parametrize(
    ("sentence", "claims", "verdict"),
    [
        ("The yield of the former is higher.", [HIGHER], "VERIFIED"),
        ("The latter gives the lowest yield.", [HIGHER], "VERIFIED"),
        ("The gap is 4.5 points.", [{**HIGHER, "by": 4.5}], "VERIFIED"),
        ("The gap is 5 points.", [{**HIGHER, "by": 5}], "PARTIALLY_VERIFIED"),
        ("The gap is 9 points.", [{**HIGHER, "by": 9}], "REFUTED"),
        ("The gap is 4.5 points.", [HIGHER], "PARTIALLY_VERIFIED"),
        ("The latter has the better yield.", [{**HIGHER, "reaction": 6, "than": [5]}], "REFUTED"),
        ("They use the same solvent.", [{**COMMON, "role": "solvent", "share": "all"}], "VERIFIED"),
        ("Their agents differ.", [{**COMMON, "role": "agent", "share": "different"}], "VERIFIED"),
        ("No agent is in both.", [{**COMMON, "role": "agent", "share": "none"}], "VERIFIED"),
        ("They share a reactant.", [{**COMMON, "role": "reactant", "share": "some"}], "VERIFIED"),
        ("They differ only in Cl.", [{**COMMON, "share": "all", "besides": ["Cl"]}], "VERIFIED"),
        ("All is the same.", [{**COMMON, "share": "all"}], "UNVERIFIABLE"),
        ("No solvent is in both.", [{**COMMON, "role": "solvent", "share": "none"}], "UNVERIFIABLE"),
        ("Both reactions are known.", [{"claim": "listed", "reactions": [5, 6], "value": 2}], "VERIFIED"),
        (
            "All three are known.",
            [{"claim": "listed", "reactions": [5, 6], "value": 3}],
            "PARTIALLY_VERIFIED",
        ),
        ("I have nothing to add.", [{"claim": "remark", "text": "nothing to add"}], "VERIFIED"),
        ("The solvent is not known.", [{"claim": "remark", "text": "is not known"}], "PARTIALLY_VERIFIED"),
        ("The solvent is not known.", [{"claim": "remark", "text": "not here"}], "PARTIALLY_VERIFIED"),
        (
            "Its yield is 80 % (0.8 as a fraction).",
            [{"claim": "yield", "reaction": 5, "value": 80}],
            "VERIFIED",
        ),
        (
            "Its yield is 80 % (0.7 as a fraction).",
            [{"claim": "yield", "reaction": 5, "value": 80}],
            "PARTIALLY_VERIFIED",
        ),
        (
            "Ethanol meets one more reactant.",
            [{"claim": "count", "value": 2, "role": "reactant", "reaction": 5}],
            "PARTIALLY_VERIFIED",
        ),
        ("Option two: reaction 6.", [{"claim": "listed", "reactions": [6]}], "VERIFIED"),
        (
            "One of them uses no agent.",
            [{"claim": "role", "role": "agent", "molecule": None, "reaction": "r1", "negated": True}],
            "PARTIALLY_VERIFIED",
        ),
    ],
)
def test_comparisons_and_remarks(
    sentence: str, claims: list[dict[str, Any]], verdict: OverallVerdict
) -> None:
    told = [{**each, "reaction": number} for number in (5, 6) for each in ALL]
    answer = f"Reactions 5 and 6 make {ESTER} from {ETHANOL} and {ACID}. {sentence}"
    stated = read_stated(json.dumps([*told, *({**each, "sentence": 2} for each in claims)]), 2)
    question = f"Which reactions give {ESTER} directly as a product?"
    assert not stated.refused
    assert judge_answer(question, answer, PAIR, entries=stated.usable).verdict == verdict


@pytest.mark.parametrize(
    ("places", "verdict"),
    [
        ({"same": [2], "different": [1]}, "VERIFIED"),
        ({"same": [-1]}, "VERIFIED"),
        ({"same": [1], "different": [2]}, "UNVERIFIABLE"),
        ({"same": [3]}, "UNVERIFIABLE"),
    ],
)
def test_steps_of_routes_are_compared(places: dict[str, Any], verdict: OverallVerdict) -> None:
    routes = {"claim": "routes", "sentence": 1, "routes": [[5, 6], [7, 6]], **places}
    answer = "The routes 5 → 6 and 7 → 6 share a step."
    way = (*WAY, (7, "CO", "CC=O"))
    question = f"Which multi-step reaction chains lead to {ACID} in exactly 2 reaction steps?"
    assert verdict_on_way(question, answer, routes, way=way) == verdict


INTERMEDIATES = (
    f"Which intermediate molecules occur on the way to {ACID} when it is made in exactly 2 reaction steps?"
)
REMARK = {"claim": "remark", "sentence": 2}


@pytest.mark.parametrize(
    ("sentence", "claim", "verdict"),
    [
        ("The intermediate is not named.", {**REMARK, "text": "The intermediate is not named"}, "VERIFIED"),
        ("Precursors: n/a", {**REMARK, "text": "Precursors: n/a"}, "VERIFIED"),
        ("No solvent is named.", {**REMARK, "text": "No solvent is named"}, "PARTIALLY_VERIFIED"),
        (
            f"{ACID} is one of the intermediates.",
            {"claim": "listed", "sentence": 2, "molecules": [ACID]},
            "PARTIALLY_VERIFIED",
        ),
        (
            "Each route has one intermediate.",
            {"claim": "count", "sentence": 2, "value": 1, "role": "intermediate", "steps": 2},
            "VERIFIED",
        ),
    ],
)
def test_an_answer_about_intermediates_may_only_name_the_reactions(
    sentence: str, claim: dict[str, Any], verdict: OverallVerdict
) -> None:
    routes = [{"claim": "route", "sentence": 1, "reactions": [each, each + 1]} for each in (5, 7)]
    answer = f"The routes are 5 → 6 and 7 → 8.\n\n{sentence}"
    way = (*WAY, (7, "CO", "C=O"), (8, "C=O", ACID))
    assert verdict_on_way(INTERMEDIATES, answer, *routes, claim, way=way) == verdict


@pytest.mark.parametrize(
    ("molecule", "verdict"),
    [
        ("ethyl ethanoacetate = CCOC(C)=O", "VERIFIED"),
        ("ethyl ethanoacetate = CCO", "UNVERIFIABLE"),
        ("methyl acetate = CCOC(C)=O", "PARTIALLY_VERIFIED"),
        ("ethyl ethanoacetate = no SMILES", "PARTIALLY_VERIFIED"),
        ("ethyl ethanoacetate", "PARTIALLY_VERIFIED"),
    ],
)
def test_a_name_may_have_the_smiles_that_the_model_knows(molecule: str, verdict: OverallVerdict) -> None:
    told = [{**each, "sentence": 1} for each in ALL[:2]]
    answer = f"In reaction 5, {ETHANOL} and {ACID} react. Ethyl ethanoacetate is formed."
    assert check(answer, *told, made(2, "product", molecule)).verification.verdict == verdict


BENZENE, ANILINE = "c1ccccc1", "Nc1cc(F)c(Cl)cc1F"
RING = Verifier(asking_reactions((Reaction(7, (ANILINE, ETHANOL), (ESTER,), (), (BENZENE,), (None,)),)))


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        (f"The aniline {ANILINE} reacts, too.", "PARTIALLY_VERIFIED"),
        ("The aniline reacts, too.", "PARTIALLY_VERIFIED"),
        ("The aryl fluoride reacts, too.", "VERIFIED"),
        ("The pyridine reacts, too.", "PARTIALLY_VERIFIED"),
        ("It reacts in aniline, too.", "PARTIALLY_VERIFIED"),
        ("The aryl fluoride reacts with an aryl iodide.", "PARTIALLY_VERIFIED"),
        (f"1a. The free amine {ANILINE} reacts, too.", "VERIFIED"),
        ("Card 1: The amine reacts, too.", "PARTIALLY_VERIFIED"),
        ("It has (1) a ring, (2) an amine.", "VERIFIED"),
        ("It has (1) a ring, (3) an amine.", "PARTIALLY_VERIFIED"),
        (f"{ANILINE} reacts metal-free.", "PARTIALLY_VERIFIED"),
    ],
)
def test_words_that_say_no_more_than_the_claims(sentence: str, verdict: OverallVerdict) -> None:
    told = [{**made(1, "reactant", each), "reaction": 7} for each in (ANILINE, ETHANOL)]
    again = {**told[0], "sentence": 2}
    question = f"From which direct precursors is {ESTER} made?"
    answer = f"Reaction 7 takes {ANILINE} and {ETHANOL}.\n\n{sentence}"
    stated = read_stated(json.dumps([*told, again]), 2)
    assert judge_answer(question, answer, RING, entries=stated.usable).verdict == verdict


@pytest.mark.parametrize(
    ("role", "more", "verdict"),
    [
        ("reactant", (), "VERIFIED"),
        ("solvent", (), "UNVERIFIABLE"),
        ("reactant", ({"claim": "count", "value": 1, "role": "reactant", "molecule": ETHANOL},), "VERIFIED"),
        (
            "reactant",
            ({"claim": "count", "value": 2, "role": "reactant", "molecule": ETHANOL},),
            "UNVERIFIABLE",
        ),
    ],
)
def test_what_is_said_of_no_reaction_does_not_refute(
    role: str, more: Sequence[dict[str, Any]], verdict: OverallVerdict
) -> None:
    entries = ({**made(2, role, ETHANOL), "reaction": None}, *({**each, "sentence": 2} for each in more))
    answer = f"{TRUE} It takes {ETHANOL}."
    assert check(answer, *ALL, *entries).verification.verdict == verdict


@pytest.mark.parametrize(
    ("order", "marks", "verdict"),
    [
        ((5, 6), ("1.", "2."), "VERIFIED"),
        ((6, 5), ("1.", "2."), "PARTIALLY_VERIFIED"),
        ((6, 5), ("-", "-"), "VERIFIED"),
    ],
)
def test_a_numbered_list_is_in_the_order_of_a_route(
    order: Sequence[int], marks: Sequence[str], verdict: OverallVerdict
) -> None:
    makes = {5: "CC=O", 6: ACID}
    items = "\n".join(f"{mark} {makes[each]} (from {each})" for mark, each in zip(marks, order, strict=True))
    made_by = [
        {**made(place, "product", makes[each]), "reaction": each} for place, each in enumerate(order, 2)
    ]
    route = {"claim": "route", "sentence": 1, "reactions": [5, 6]}
    question = f"Which multi-step reaction chains lead to {ACID} in exactly 2 reaction steps?"
    answer = f"The route is 5 → 6.\n\n{items}"
    assert verdict_on_way(question, answer, route, *made_by) == verdict


JUDGED = yaml.safe_load(Path(__file__).with_name("judged_answers.yaml").read_text("utf-8"))
PRECURSORS = f"From which direct precursors is {ACID} made?"
REACTIONS = f"Which reactions give {ACID} directly as a product?"
ROUTES = f"Which multi-step reaction chains lead to {ACID} in exactly 2 reaction steps?"


@pytest.fixture
def verifier() -> Verifier:
    return Verifier(asking_reactions())


@pytest.mark.parametrize(
    ("question", "verdict", "answer"),
    [(question, *judged) for question, answers in JUDGED.items() for judged in answers],
)
def test_an_answer(verifier: Verifier, question: str, verdict: OverallVerdict, answer: str) -> None:
    assert judge_answer(question, answer, verifier).verdict == verdict


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (ROUTES, f"Reaction 12 gives CC=O, which reaction 13 converts into {ACID}."),
        (REACTIONS, f"Reaction 12 gives CC=O, which reaction 13 converts into {ACID}. So does reaction 14."),
    ],
)
def test_a_true_answer_with_a_relative_clause_is_charged_with_nothing_false(
    verifier: Verifier, question: str, answer: str
) -> None:
    found = judge_answer(question, answer, verifier)
    assert {each.verdict for each in found.claims} <= {"SUPPORTED"}
    assert any("which reaction 13 converts" in each for each in found.shortcomings)


SENTENCES = yaml.safe_load(Path(__file__).with_name("sentences.yaml").read_text("utf-8"))
FIRST = f"Reaction 13: CC=O + OO -> {ACID} in O."


@pytest.mark.parametrize("joint", ["\n\n", " ", "\n- "])
@pytest.mark.parametrize("sentence", SENTENCES["true"])
def test_rules_refute_no_true_sentence(verifier: Verifier, sentence: str, joint: str) -> None:
    found = judge_answer(PRECURSORS, f"{FIRST}{joint}{sentence}", verifier)
    assert found.verdict != "REFUTED", found


@pytest.mark.parametrize("joint", ["\n\n", " ", "\n- "])
@pytest.mark.parametrize("sentence", SENTENCES["false"])
def test_rules_verify_no_false_sentence(verifier: Verifier, sentence: str, joint: str) -> None:
    found = judge_answer(PRECURSORS, f"{FIRST}{joint}{sentence}", verifier)
    assert found.verdict != "VERIFIED", found


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (INTERMEDIATES, "The intermediate is CC=O (via reactions 12, 13)."),
        (ROUTES, f"Reaction 13 makes {ACID} from CC=O, which is made in reaction 12."),
        (PRECURSORS, "In reaction 13: CC=O and OO."),
    ],
)
def test_rules_refute_nothing_that_they_do_not_read(verifier: Verifier, question: str, answer: str) -> None:
    found = judge_answer(question, answer, verifier)
    assert found.verdict != "REFUTED"
    said = [each.verdict for each in found.claims if each.claim.origin == "answer"]
    assert set(said) <= {"SUPPORTED"}


def test_an_answer_in_names_is_said_to_have_nothing_to_look_up(verifier: Verifier) -> None:
    found = judge_answer(PRECURSORS, "It is made from acetaldehyde.", verifier)
    assert found.support is None
    assert found.shortcomings[0].startswith("Not read: acetaldehyde in")
    assert found.shortcomings[1].startswith("Nothing can be looked up")


def test_molecules_outside_the_reactions_asked_for(verifier: Verifier) -> None:
    asked = f"Which intermediate molecules occur on the way to {ACID} made in exactly 2 reaction steps?"
    found = judge_answer(asked, "The intermediate is CC=O.", verifier)
    assert found.verdict == "PARTIALLY_VERIFIED"
    # A molecule that the graph does not know is in none of its reactions.
    lenient = Thresholds(verified=0.5)
    assert judge_answer(PRECURSORS, "CC=O, OO and CC#N", verifier, lenient).verdict == "VERIFIED"
    assert judge_answer(PRECURSORS, "CC=O, OO and CCC#N", verifier, lenient).verdict != "VERIFIED"


def test_one_false_claim_among_many_is_enough(verifier: Verifier) -> None:
    answer = (
        f"Reaction 13: CC=O + OO -> {ACID} in O. Reaction 14: CC#N -> {ACID}; agent Cl; solvents O, ClCCl."
    )
    found = judge_answer(REACTIONS, answer, verifier)
    assert found.verdict == "UNVERIFIABLE"
    assert found.support == pytest.approx(8 / 9)
    lenient = Thresholds(verified=0.8, false_claims=1)
    assert judge_answer(REACTIONS, answer, verifier, lenient).verdict == "VERIFIED"


def test_a_verdict_as_json(verifier: Verifier) -> None:
    found = judge_answer(ROUTES, "Route 1: reaction 13", verifier).to_json()
    assert found["verdict"] == "PARTIALLY_VERIFIED"
    assert found["counts"] == {"SUPPORTED": 1, "UNSUPPORTED": 0, "CONTRADICTED": 0, "UNCERTAIN": 0}
    assert found["shortcomings"] == ["The question asks for 2 steps; of another number: 13."]
    assert found["claims"][0]["origin"] == "question"
