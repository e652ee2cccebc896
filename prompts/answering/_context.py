"""What a model may answer from: facts of the graph and passages of patents, within a budget."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from statistics import fmean
from typing import Any

from prompts.answering._facts import facts_of
from prompts.retrieval import Found

_CUT = " … (cut)"
_OF_A_FACT = 1.0
"""Relevance of a row: it is what the query returned. That of a passage is at most as much."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a model is given.

    Attributes:
        rows: Rows, at most.
        characters: Of rows and passages together.
        passages: Passages, at most.
        text_weight: Weight of passages against facts, where both are given.
        graph_weight: Weight of facts.
    """

    rows: int = 50
    characters: int = 6_000
    passages: int = 3
    text_weight: float = 0.6
    graph_weight: float = 0.4


@dataclass(frozen=True, slots=True)
class Context:
    """What a model is given.

    Attributes:
        facts: Rows, a line each.
        row_count: How many rows there were.
        passages: Passages, the most relevant first.
        characters: What both take.
        combined: Weighted mean relevance of passages and facts (Hybrid retrieval of GraphBuilder-RAG: weight
            of the text times the mean score of its chunks, plus weight of the graph times that of its
            matches); None where no passages were looked for.
    """

    facts: tuple[str, ...]
    row_count: int
    passages: tuple[Found, ...] = field(default=())
    characters: int = 0
    combined: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what a record says of it."""
        told: dict[str, Any] = {"rows": len(self.facts), "of": self.row_count, "characters": self.characters}
        if self.combined is not None:
            told["passages"] = [each.to_json() for each in self.passages]
            told["combined_score"] = round(self.combined, 6)
        return told


def context_of(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    row_count: int,
    found: Sequence[Found] | None,
    limits: Limits,
) -> Context:
    """Choose what fits: by weight times relevance, facts and passages in one order.

    Rows keep their order, and the first that does not fit ends them; so do passages. One row is given at
    least, its end cut off where it alone is too long.

    Args:
        columns: Column names.
        rows: Rows, one at least.
        row_count: How many rows there were, those not kept among them.
        found: Passages with their relevance; None where none were looked for.
        limits: How much.
    """
    facts = list(islice(facts_of(columns, rows), limits.rows))
    passages = sorted(found or (), key=lambda each: -each.score)[: limits.passages]
    if len(facts[0]) > limits.characters:
        facts = [facts[0][: max(0, limits.characters - len(_CUT))] + _CUT]
    ranked = [(limits.graph_weight * _OF_A_FACT, 0, number, len(fact)) for number, fact in enumerate(facts)]
    ranked += [
        (limits.text_weight * each.score, 1, number, len(each.passage.text))
        for number, each in enumerate(passages)
    ]
    ranked.sort(key=lambda each: (-each[0], *each[1:]))
    # The first row before all else: without it there is nothing to answer from.
    ranked.sort(key=lambda each: each[1:3] != (0, 0))
    room, taken, full = limits.characters, [0, 0], [False, False]
    for _, kind, _, size in ranked:
        if full[kind] or size > room:
            full[kind] = True
            continue
        room -= size
        taken[kind] += 1
    kept = tuple(passages[: taken[1]])
    combined = None
    if found is not None:
        of_text = fmean(each.score for each in kept) if kept else 0.0
        combined = limits.text_weight * of_text + limits.graph_weight * _OF_A_FACT
    return Context(tuple(facts[: taken[0]]), row_count, kept, limits.characters - room, combined)
