"""How sure the gold of a question is, and the gold of a graph without some of its facts."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from retrocypher.kg.evidence.evidence import Fact, facts_of
from retrocypher.kg.evidence.lookup import GraphEvidence
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
