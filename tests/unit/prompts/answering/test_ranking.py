"""Rows ranked by confidence and relevance, their paths, and citations of them."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.evidence import evidence_of

from retrocypher.kg.claims.sentences import Cited, sentences_of
from retrocypher.kg.evidence.evidence import Fact
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.graph.passages import Passage
from retrocypher.prompts.answering.passages import FoundPassage
from retrocypher.prompts.answering.ranking import Citable, RankedRow, check_citations, rank_rows
from retrocypher.prompts.answering.writing import AnswerWriter, Limits, context_of, facts_of
from retrocypher.prompts.loops.interface import Step
from retrocypher.prompts.models.interface import Completion, Message

QUESTION = "Which solvents are used when CC=O is made from CCO?"
UNSURE = {Fact(12, "USES_SOLVENT", "ClCCl"): 0.3, Fact(13, "PRODUCES", "CC(=O)O"): 0.5}
EVIDENCE = evidence_of(0.9, UNSURE)


def ranked(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], question: str = QUESTION
) -> list[RankedRow]:
    return rank_rows(EVIDENCE, question, columns, rows, list(facts_of(columns, rows)))


@pytest.mark.parametrize(
    ("row", "relevance", "confidence"),
    [
        # Two molecules are asked about; the row names none, one, or both, also by the id of a reaction.
        ({"name": "O"}, 1 / 3, None),
        ({"name": "CC=O"}, 2 / 3, None),
        ({"one": "CC=O", "other": "CCO"}, 1.0, None),
        ({"id": 12}, 1.0, 0.9),
        ({"id": 13}, 2 / 3, 0.9),
        ({"id": 99}, 1 / 3, None),
        # The least confident of the relationships between what the row and the question name.
        ({"id": 12, "solvents": ["ClCCl"]}, 1.0, 0.3),
        ({"id": 13, "products": ["CC(=O)O"]}, 2 / 3, 0.5),
        # A yield counts where the row states it.
        ({"id": 12, "yield": 81.5}, 1.0, 0.9),
    ],
)
def test_relevance_and_confidence(row: dict[str, Any], relevance: float, confidence: float | None) -> None:
    (found,) = ranked(list(row), [list(row.values())])
    assert found.relevance == pytest.approx(relevance)
    assert found.confidence == confidence
    assert found.score == pytest.approx(relevance * (1.0 if confidence is None else confidence))


def test_a_yield_that_is_stated_is_one_of_the_facts() -> None:
    evidence = evidence_of(0.9, {Fact(12, "yield", "CC=O"): 0.2})
    (with_yield, without) = (
        rank_rows(evidence, QUESTION, ["id", "y"], [[12, value]], ["{}"])[0].confidence for value in (81.5, 7)
    )
    assert (with_yield, without) == (0.2, 0.9)


def test_reactions_that_a_question_names_count() -> None:
    found = ranked(["id"], [[12], [13]], "Do reactions 13 and 14 use water?")
    # Reaction 12 makes the water, 13 is named and uses it.
    assert [each.relevance for each in found] == [2 / 4, 3 / 4]


def test_reactions_that_are_linked_are_shown_as_a_path() -> None:
    (found,) = ranked(["route"], [[[12, 13]]])
    assert found.shown == (
        'row 1 (confidence 0.90): {"route": [12, 13]} path: CCO -[REACTS_IN]-> reaction 12 -[PRODUCES]-> '
        "CC=O -[REACTS_IN]-> reaction 13"
    )
    assert (found.molecules, found.reactions) == (frozenset({"CC=O"}), frozenset({12, 13}))
    (apart,) = ranked(["first", "second"], [[13, 12]])
    assert " path: " not in apart.shown
    (unsure,) = ranked(["route", "end"], [[[12, 13], "CC(=O)O"]])
    assert unsure.confidence == 0.5
    assert unsure.shown.endswith("reaction 13 -[PRODUCES]-> CC(=O)O")


def test_a_path_that_a_query_returns_has_confidence_and_path() -> None:
    nodes = [
        {"id": "a", "labels": ["Molecule"], "properties": {"name": "CCO"}},
        {"id": "b", "labels": ["Reaction"], "properties": {"id": 12}},
        {"id": "c", "labels": ["Molecule"], "properties": {"name": "ClCCl"}},
        {"id": "d", "labels": ["Reaction"], "properties": {"id": 77}},
    ]
    links = [
        {"type": kind, "start": start, "end": end, "properties": {}}
        for kind, start, end in (
            ("REACTS_IN", "a", "b"),
            ("USES_SOLVENT", "b", "c"),
            ("USES_AGENT", "d", "c"),
        )
    ]
    (found,) = ranked(["p"], [[{"$path": {"nodes": nodes, "relationships": links}}]])
    shown, _, path = found.shown.partition(": ")[2].partition(" path: ")
    assert json.loads(shown)["p"][1:4] == ["REACTS_IN", {"id": 12}, "USES_SOLVENT"]
    assert path == ""
    assert found.confidence == 0.3


def test_the_best_rows_are_given_in_the_order_of_the_result() -> None:
    rows = [[13, "CC(=O)O"], [12, "ClCCl"], [12, "CC=O"], [99, "O"]]
    found = ranked(["id", "name"], rows)
    context = context_of(["id", "name"], rows, 4, [], Limits(rows=2), found)
    assert [each.number for each in context.ranked or ()] == [1, 3]
    assert [fact[:6] for fact in context.facts] == ["row 1 ", "row 3 "]
    scores = [2 / 3 * 0.5, 0.9]
    assert context.combined == pytest.approx(0.4 * sum(scores) / 2)
    # A passage that is as relevant comes before rows that are less sure.
    passage = FoundPassage(Passage(12, "p" * 100, "a", 1), 0.9)
    narrow = context_of(["id", "name"], rows, 4, [passage], Limits(characters=200), found)
    assert [each.number for each in narrow.ranked or ()] == [3]
    assert narrow.passages == (passage,)


GIVEN = {
    Cited("row", 1): Citable(frozenset({"CCO"}), frozenset({12})),
    Cited("row", 2): Citable(frozenset({"CC=O"}), frozenset({13})),
    Cited("passage", 1): Citable(frozenset({"ClCCl"}), frozenset({12})),
}


@pytest.mark.parametrize(
    ("answer", "cited", "citations", "wrong"),
    [
        ("Reaction 12 consumes CCO [row 1].", 1, 1, []),
        ("Reaction 12 consumes CCO [row 1, passage 1]. It is slow.", 1, 2, []),
        ("Reaction 12 consumes CCO. [row 1][passage 1] Reaction 13 gives CC=O [Row 2].", 2, 3, []),
        ("Reaction 12 consumes CCO.", 0, 0, []),
        ("It is made from CCO [row 7].", 1, 1, ["sentence 1, row 7: not given"]),
        ("It is made from CCO [passage 2].", 1, 1, ["sentence 1, passage 2: not given"]),
        (
            "Yes. Reactions 12 and 40 consume CCO [rows 1, 2].",
            1,
            2,
            ["sentence 2, row 2: names no molecule or reaction of the sentence"],
        ),
        # Nothing to compare.
        ("The yield is 80 % [row 2].", 1, 1, []),
    ],
)
def test_citations_are_checked(answer: str, cited: int, citations: int, wrong: list[str]) -> None:
    found = check_citations(answer, GIVEN)
    assert (found.cited, found.citations, found.wrong) == (cited, citations, wrong)
    assert found.sentences >= found.cited


@given(st.lists(st.sampled_from(["Reaction 12 consumes CCO", "The solvent is ClCCl", "Yes"]), min_size=1))
def test_citations_are_no_part_of_what_is_claimed(said: list[str]) -> None:
    plain = sentences_of(" ".join(f"{each}." for each in said)).all
    cited = sentences_of(" ".join(f"{each} [row 3, passage 12]." for each in said)).all
    assert [each.text for each in cited] == [each.text for each in plain]
    kinds = [[(token.kind, token.text) for token in each.tokens] for each in plain]
    assert [[(token.kind, token.text) for token in each.tokens] for each in cited] == kinds
    assert all(each.citations == (Cited("row", 3), Cited("passage", 12)) for each in cited)


def test_an_answer_from_a_hybrid_context_cites_what_it_was_given() -> None:
    asked: list[list[Message]] = []
    steps: list[Step] = []

    def ask(messages: list[Message]) -> Completion:
        asked.append(messages)
        return Completion("Reaction 12 gives CC=O from CCO [row 1]. It uses water [row 4].", time_s=0.1)

    passage = FoundPassage(Passage(12, "Ethanol was oxidised.", "a", 1), 0.5)
    writer = AnswerWriter(Limits(), lambda *_: [passage], EVIDENCE)
    rows = Execution("ok", columns=["id", "solvents"], rows=[[12, ["ClCCl"]]], row_count=1)
    written = writer.write(QUESTION, rows, ask, steps.append)
    shown = 'row 1 (confidence 0.30): {"id": 12, "solvents": ["ClCCl"]}'
    assert shown in asked[0][1]["content"].splitlines()
    assert "[row 3, passage 2]" in asked[0][0]["content"]
    assert written.given == (shown, "Ethanol was oxidised.")
    assert written.citations is not None
    assert written.citations.cited == 2
    assert written.citations.wrong == ["sentence 2, row 4: not given"]
    # Who lists the claims sees no citation.
    assert "[row" not in asked[1][1]["content"]
    assert "[1] Reaction 12 gives CC=O from CCO." in asked[1][1]["content"]
