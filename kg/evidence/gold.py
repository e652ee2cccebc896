"""How sure the gold of a question is, and the gold of a graph without some of its facts."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from retrocypher.kg.evidence.evidence import Fact, facts_of
from retrocypher.kg.evidence.lookup import GraphEvidence, evidence_of
from retrocypher.kg.graph.reaction import TYPE_OF_ROLE, Reaction
from retrocypher.kg.questions.gold import ReactionNetwork, traverse
from retrocypher.kg.questions.question import Question


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


class GraphConfidence:
    """How sure gold is that rests on the facts of a graph, by their evidence."""

    def __init__(self, evidence: GraphEvidence) -> None:
        self.evidence = evidence
        self._network = ReactionNetwork.of(evidence.reactions.values())

    def of_gold(self, question: Question) -> GoldConfidence | None:
        """Return how sure the gold of a question is; None for a question without gold in this graph."""
        facts = self.gold_facts(question)
        if not facts:
            return None
        least = min(facts, key=self.of)
        return GoldConfidence(len(facts), self.of(least), least, math.prod(map(self.of, facts)))

    def of(self, fact: Fact) -> float:
        """Return the confidence of a fact, 0 if the graph does not hold it."""
        return self.evidence.confidences.get(fact, 0.0)

    def gold_facts(self, question: Question) -> tuple[Fact, ...]:
        """Return the facts that the gold of a question rests on, each once.

        They are all relationships of the reactions of a single-step question, and the yield that
        ``best_yield`` asks for; for a route the relationships along it. Where a step or the beginning of a
        route may be one of several molecules, the most confident one counts.
        """
        if not self.related(question):
            return ()
        target = question.target
        found: dict[Fact, None] = {}
        for row in question.gold:
            if "route" in row:
                found.update(dict.fromkeys(self._along(row["route"], question)))
                continue
            reaction = self.evidence.reactions[row["id"]]
            found.update(dict.fromkeys(each for each in facts_of(reaction) if each.kind != "yield"))
            if "target_yield" in row:
                found[Fact(reaction.id, "yield", target)] = None
        return tuple(found)

    def _along(self, route: Sequence[int], question: Question) -> tuple[Fact, ...]:
        start = question.slots.get("start")
        starts = self.evidence.reactions[route[0]].reactants if start is None else (start,)
        begin = self.evidence.surest((Fact(route[0], "REACTS_IN", name),) for name in starts)
        links = self.evidence.along(route) or ()
        return (*begin, *links, Fact(route[-1], "PRODUCES", question.target))

    def related(self, question: Question) -> tuple[Reaction, ...]:
        """Return the reactions on which the gold of a question depends; empty if one is not in the graph."""
        ids = dict.fromkeys(number for row in question.gold for number in row.get("route", [row.get("id")]))
        reactions = self.evidence.reactions
        known = tuple(reactions[number] for number in ids if number in reactions)
        if len(known) < len(ids):
            return ()
        # Whether a yield is the best depends on the others.
        return self._network.makers_of(question.target) if question.task == "best_yield" else known


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


def graph_confidence(fingerprint: str | None) -> GraphConfidence | None:
    """Return how sure the gold of a graph is; None unless it is the default one, which alone has evidence.

    Raises:
        InputError: The stored graph or its evidence is damaged.
    """
    evidence = evidence_of(fingerprint)
    return None if evidence is None else GraphConfidence(evidence)
