"""Rows of a query as facts of the graph: their relevance, their confidence, and the paths they lead along."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from retrocypher.kg.evidence.evidence import Fact, facts_of
from retrocypher.kg.evidence.lookup import GraphEvidence
from retrocypher.prompts.answering.passages import leaves, mentions_in
from retrocypher.prompts.loops.guarded import entities_in

UNKNOWN_CONFIDENCE = 1.0
"""What counts for a row whose facts have no known confidence: as much as each row counted before."""
_IDS = re.compile(r"\breactions?\s+#?\d{1,9}(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)#?\d{1,9})*", re.IGNORECASE)


def reactions_in(text: str) -> set[int]:
    """Return the ids that stand behind the word reaction in a text."""
    return {int(number) for found in _IDS.findall(text) for number in re.findall(r"\d+", found)}


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A row of a result.

    Attributes:
        number: Its place in the result, from 1.
        shown: The line that shows it.
        relevance: See `RowRanking`, from 0 to 1.
        confidence: That of its least confident fact, from 0 to 1; None if none is known.
        molecules: What it names, the molecules on its path included.
        reactions: The ids that it names.
    """

    number: int
    shown: str
    relevance: float
    confidence: float | None
    molecules: frozenset[str]
    reactions: frozenset[int]

    @property
    def score(self) -> float:
        """Confidence times relevance."""
        return self.relevance * (UNKNOWN_CONFIDENCE if self.confidence is None else self.confidence)


@dataclass(frozen=True, slots=True)
class RowRanking:
    """Says of each row of a result how relevant and how sure it is.

    **Relevance** is (1 + n) / (1 + N): N molecules and reactions are named in the question, and n of them in
    the row, a molecule also by the id of a reaction in which it takes part. The query that returned the row
    counts as one thing more that it fits.

    **Facts** of a row are the relationships between its reactions and the molecules that it or the question
    names, yields of these reactions that it states, and the relationships along its path. Its reactions, in
    the order in which it names them, form a path if a product of each reacts in the next.
    """

    evidence: GraphEvidence

    def rows(
        self, question: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], facts: Sequence[str]
    ) -> list[RankedRow]:
        """Return the rows, in the JSON form of a record, in their order; `facts` shows each on a line."""
        asked = [frozenset(each.names) for each in entities_in(question)]
        rank = partial(self._row, asked, reactions_in(question), columns)
        return [*map(rank, range(1, len(rows) + 1), rows, facts)]

    def _row(
        self,
        asked: Sequence[frozenset[str]],
        ids: set[int],
        columns: Sequence[str],
        number: int,
        row: Sequence[Any],
        fact: str,
    ) -> RankedRow:
        named = mentions_in("", columns, [row])
        known = [self.evidence.reactions[each] for each in named.reactions if each in self.evidence.reactions]
        part = {name for reaction in known for name in reaction.molecules}
        in_row = {*named.molecules, *part}
        fitting = sum(bool(names & in_row) for names in asked) + len(ids & {*named.reactions})
        relevance = (1 + fitting) / (1 + len(asked) + len(ids))
        route = self.evidence.along(named.reactions) if len(named.reactions) > 1 else None
        molecules = {*named.molecules, *(name for names in asked for name in names & part)}
        numbers = _numbers(row) - {*named.reactions}
        facts = [
            each
            for reaction in known
            for each in facts_of(reaction)
            if each.molecule in molecules
            and (each.kind != "yield" or reaction.known_yields[each.molecule] in numbers)
        ]
        confidence = self.evidence.least([*facts, *(route or ())])
        path = self._path(named.reactions, route, molecules) if route else ""
        sure = "" if confidence is None else f" (confidence {confidence:.2f})"
        on_path = {each.molecule for each in route or ()}
        return RankedRow(
            number,
            f"row {number}{sure}: {fact}{path and f' path: {path}'}",
            relevance,
            confidence,
            frozenset({*named.molecules, *on_path}),
            frozenset(named.reactions),
        )

    def _path(self, reactions: Sequence[int], route: Sequence[Fact], molecules: set[str]) -> str:
        """Return a route as a path; it begins and ends with molecules that the row or the question names."""
        first, last = (self.evidence.reactions[reactions[place]] for place in (0, -1))
        links = [each.molecule for each in route if each.kind == "PRODUCES"]
        start = next((f"{each} -[REACTS_IN]-> " for each in first.reactants if each in molecules), "")
        end = next((f" -[PRODUCES]-> {each}" for each in last.products if each in molecules), "")
        middle = "".join(
            f" -[PRODUCES]-> {link} -[REACTS_IN]-> reaction {number}"
            for link, number in zip(links, reactions[1:], strict=True)
        )
        return f"{start}reaction {reactions[0]}{middle}{end}"


def _numbers(row: Sequence[Any]) -> set[float]:
    values = (value for _, value in leaves("", list(row)))
    return {each for each in values if isinstance(each, (int, float)) and not isinstance(each, bool)}


def path_text(nodes: Sequence[Mapping[str, Any]], relationships: Sequence[Mapping[str, Any]]) -> str:
    """Return a path that a query returned, as ``A -[REACTS_IN]-> reaction 12 -[PRODUCES]-> B``."""
    text = _node(nodes[0])
    for (one, other), between in zip(pairwise(nodes), relationships, strict=True):
        forward = between.get("start") == one["id"]
        arrow = f"-[{between['type']}]->" if forward else f"<-[{between['type']}]-"
        text += f" {arrow} {_node(other)}"
    return text


def _node(node: Mapping[str, Any]) -> str:
    held = node["properties"]
    if "name" in held:
        return str(held["name"])
    return f"reaction {held['id']}" if "id" in held else json.dumps(held, ensure_ascii=False)
