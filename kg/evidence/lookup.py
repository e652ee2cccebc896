"""What the stored evidence says of facts of the default graph and of gold: how sure they are, and where."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from retrocypher.kg.evidence.compact import read_evidence
from retrocypher.kg.evidence.confidence import default_model
from retrocypher.kg.evidence.evidence import Fact, facts_of
from retrocypher.kg.graph.compact import read_graph, read_manifest
from retrocypher.kg.graph.reaction import TYPE_OF_ROLE, Reaction
from retrocypher.kg.questions.gold import ReactionNetwork, traverse
from retrocypher.kg.questions.question import Question


@dataclass(frozen=True, slots=True)
class GraphEvidence:
    """The evidence of a graph, by fact.

    Attributes:
        confidences: Confidence of each fact, from 0 to 1.
        spans: Of facts that a procedure text states: first character and the one after the last, from 0.
    """

    reactions: Mapping[int, Reaction]
    confidences: Mapping[Fact, float]
    spans: Mapping[Fact, tuple[int, int]]

    def least(self, facts: Iterable[Fact]) -> float | None:
        """Return the confidence of the least confident of some facts; None if none is known."""
        return min((self.confidences[each] for each in facts if each in self.confidences), default=None)

    def surest(self, alternatives: Iterable[Sequence[Fact]]) -> tuple[Fact, ...]:
        """Return the alternative whose least confident fact is the most confident; the first of equals."""
        return tuple(max(alternatives, key=lambda facts: self.least(facts) or 0.0, default=()))

    def along(self, route: Sequence[int]) -> tuple[Fact, ...] | None:
        """Return the relationships that link the reactions of a route; None where two are not linked.

        Where several molecules link two reactions, the surest of them does.
        """
        facts: list[Fact] = []
        for one, other in pairwise(route):
            if one not in self.reactions or other not in self.reactions:
                return None
            shared = {*self.reactions[one].products} & {*self.reactions[other].reactants}
            if not shared:
                return None
            facts += self.surest(
                (Fact(one, "PRODUCES", name), Fact(other, "REACTS_IN", name)) for name in sorted(shared)
            )
        return tuple(facts)


def evidence_of(fingerprint: str | None) -> GraphEvidence | None:
    """Return the evidence of a graph; None unless it is the default graph, which alone has evidence.

    Raises:
        InputError: The stored graph or its evidence is missing or damaged.
    """
    if fingerprint != read_manifest()["fingerprint"]:
        return None
    reactions = read_graph()
    found = read_evidence(None, reactions)
    return GraphEvidence(
        {each.id: each for each in reactions},
        default_model().confidences(found),
        {each.fact: each.span for each in found if each.span is not None},
    )


@dataclass(frozen=True, slots=True)
class GoldConfidence:
    """How sure the gold of a question is.

    Attributes:
        facts: Number of facts that it rests on.
        least: Confidence of the least confident one, from 0 to 1.
        least_fact: That fact.
        whole: Probability that all of them are right, if facts are right or wrong independently.
    """

    facts: int
    least: float
    least_fact: Fact
    whole: float


def gold_confidence(evidence: GraphEvidence, question: Question) -> GoldConfidence | None:
    """Return how sure the gold of a question is; None for a question without gold in this graph."""
    known = {fact: evidence.confidences.get(fact, 0.0) for fact in gold_facts(evidence, question)}
    if not known:
        return None
    least = min(known, key=lambda fact: known[fact])
    return GoldConfidence(len(known), known[least], least, math.prod(known.values()))


def gold_facts(evidence: GraphEvidence, question: Question) -> tuple[Fact, ...]:
    """Return the facts that the gold of a question rests on, each once.

    They are all relationships of the reactions of a single-step question, and the yield that ``best_yield``
    asks for; for a route the relationships along it. Where a step or the beginning of a route may be one of
    several molecules, the most confident one counts.
    """
    if not related(evidence, question):
        return ()
    found: list[Fact] = []
    for row in question.gold:
        if "route" in row:
            found += _along(evidence, row["route"], question)
            continue
        reaction = evidence.reactions[row["id"]]
        found += (each for each in facts_of(reaction) if each.kind != "yield")
        if "target_yield" in row:
            found.append(Fact(reaction.id, "yield", question.target))
    return tuple(dict.fromkeys(found))


def _along(evidence: GraphEvidence, route: Sequence[int], question: Question) -> tuple[Fact, ...]:
    start = question.slots.get("start")
    starts = evidence.reactions[route[0]].reactants if start is None else (start,)
    begin = evidence.surest((Fact(route[0], "REACTS_IN", name),) for name in starts)
    return (*begin, *(evidence.along(route) or ()), Fact(route[-1], "PRODUCES", question.target))


def related(evidence: GraphEvidence, question: Question) -> tuple[Reaction, ...]:
    """Return the reactions on which the gold of a question depends; empty if one is not in the graph."""
    ids = dict.fromkeys(number for row in question.gold for number in row.get("route", [row.get("id")]))
    reactions = evidence.reactions
    if not ids.keys() <= reactions.keys():
        return ()
    if question.task == "best_yield":
        # Whether a yield is the best depends on the others.
        return tuple(each for each in reactions.values() if question.target in each.products)
    return tuple(reactions[number] for number in ids)


def gold_without(
    question: Question, reactions: Iterable[Reaction], is_right: Callable[[Fact], bool]
) -> list[dict[str, Any]]:
    """Return the gold of a question if only some facts of these reactions are in the graph."""
    kept = [_kept(each, is_right) for each in reactions]
    return traverse(ReactionNetwork.of(kept), question.task, question.slots)


def _kept(reaction: Reaction, is_right: Callable[[Fact], bool]) -> Reaction:
    kept = reaction.only(lambda role, name: is_right(Fact(reaction.id, TYPE_OF_ROLE[role], name)))
    known = {name: v for name, v in kept.known_yields.items() if is_right(Fact(reaction.id, "yield", name))}
    return replace(kept, yields=tuple(map(known.get, kept.products)))
