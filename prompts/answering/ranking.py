"""Rows of a query as facts of the graph: their relevance, confidence and paths, and citations of them."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from retrocypher.kg.claims.sentences import Cited, Sentence, sentences_of
from retrocypher.kg.evidence.evidence import Fact, facts_of
from retrocypher.kg.evidence.lookup import GraphEvidence
from retrocypher.prompts.answering.passages import leaves, mentions_in
from retrocypher.prompts.answering.roles import Citations
from retrocypher.prompts.loops.guarded import entities_in

_IDS = re.compile(r"\breactions?\s+#?\d{1,9}(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)#?\d{1,9})*", re.IGNORECASE)


def reactions_in(text: str) -> set[int]:
    """Return the ids that stand behind the word reaction in a text."""
    return {int(number) for found in _IDS.findall(text) for number in re.findall(r"\d+", found)}


@dataclass(frozen=True, slots=True)
class Citable:
    """What a row or passage names: molecules, those on the path of a row included, and ids of reactions."""

    molecules: Set[str] = frozenset()
    reactions: Set[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedRow(Citable):
    """A row of a result.

    Attributes:
        number: Its place in the result, from 1.
        shown: The line that shows it.
        relevance: See `rank_rows`, from 0 to 1.
        confidence: That of its least confident fact, from 0 to 1; None if none is known, which counts as 1.
    """

    number: int
    shown: str
    relevance: float = 1.0
    confidence: float | None = None

    @property
    def score(self) -> float:
        """Confidence times relevance."""
        return self.relevance * (1.0 if self.confidence is None else self.confidence)


def rank_rows(
    evidence: GraphEvidence,
    question: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    lines: Sequence[str],
) -> list[RankedRow]:
    """Return how relevant and how sure the rows of a result are, in its order.

    **Relevance** is (1 + n) / (1 + N): N molecules and reactions are named in the question, and n of them in
    the row, a molecule also by the id of a reaction in which it takes part. The query that returned the row
    counts as one thing more that it fits.

    **Facts** of a row are the relationships between its reactions and the molecules that it or the question
    names, yields of these reactions that it states, and the relationships along its path. Its reactions, in
    the order in which it names them, form a path if a product of each reacts in the next.

    Args:
        rows: In the JSON form of a record.
        lines: Each row as it is shown without confidence and path.
    """
    asked, ids = [frozenset(each.names) for each in entities_in(question)], reactions_in(question)
    ranked = []
    for number, (row, line) in enumerate(zip(rows, lines, strict=True), 1):
        named = mentions_in("", columns, [row])
        known = [evidence.reactions[each] for each in named.reactions if each in evidence.reactions]
        part = {name for reaction in known for name in reaction.molecules}
        in_row = {*named.molecules, *part}
        fitting = sum(bool(names & in_row) for names in asked) + len(ids & {*named.reactions})
        molecules = {*named.molecules, *(name for names in asked for name in names & part)}
        numbers = {value for _, value in leaves("", list(row)) if type(value) in (int, float)}
        numbers -= {*named.reactions}
        facts = [
            each
            for reaction in known
            for each in facts_of(reaction)
            if each.molecule in molecules
            and (each.kind != "yield" or reaction.known_yields[each.molecule] in numbers)
        ]
        route = evidence.along(named.reactions) or ()
        confidence = evidence.least([*facts, *route])
        sure = "" if confidence is None else f" (confidence {confidence:.2f})"
        path = f" path: {_path(route, facts)}" if route else ""
        ranked.append(
            RankedRow(
                molecules={*named.molecules, *(each.molecule for each in route)},
                reactions={*named.reactions},
                number=number,
                shown=f"row {number}{sure}: {line}{path}",
                relevance=(1 + fitting) / (1 + len(asked) + len(ids)),
                confidence=confidence,
            )
        )
    return ranked


def _path(route: Sequence[Fact], facts: Sequence[Fact]) -> str:
    """Return a route as a path; it begins and ends with molecules of the row's facts if there are any."""
    first, last = route[0].reaction, route[-1].reaction
    begin = [each for each in facts if (each.reaction, each.kind) == (first, "REACTS_IN")][:1]
    end = [each for each in facts if (each.reaction, each.kind) == (last, "PRODUCES")][:1]
    path = begin[0].molecule if begin else f"reaction {first}"
    for each in (*begin, *route, *end):
        node = f"reaction {each.reaction}" if each.kind == "REACTS_IN" else each.molecule
        path += f" -[{each.kind}]-> {node}"
    return path


def check_citations(answer: str, given: Mapping[Cited, Citable]) -> Citations:
    """Check each citation of an answer against the rows and passages that were given.

    A citation is right if it was given and names a molecule, or the id of a reaction, that its sentence
    names. One in a sentence that names neither is right if it was given.
    """
    found = Citations()
    for sentence in sentences_of(answer).all:
        found.sentences += 1
        found.cited += bool(sentence.citations)
        for cited in sentence.citations:
            found.citations += 1
            if why := _wrong(cited, sentence, given):
                found.wrong.append(f"sentence {sentence.number}, {cited.kind} {cited.number}: {why}")
    return found


def _wrong(cited: Cited, sentence: Sentence, given: Mapping[Cited, Citable]) -> str:
    if cited not in given:
        return "not given"
    molecules = {each.text for each in sentence.tokens if each.kind == "molecule"}
    reactions = reactions_in(sentence.text)
    if not (molecules or reactions) or molecules & given[cited].molecules:
        return ""
    return "" if reactions & given[cited].reactions else "names no molecule or reaction of the sentence"
