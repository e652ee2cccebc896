"""Predictions for the suite ``flights`` on which evaluators are timed."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import TypeAlias

from retrocypher.benchmarks.instruments.mutants import applications
from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.suites.graph import PropertyGraph
from retrocypher.kg.suites.questions import read_questions
from retrocypher.kg.suites.suite import suite_folder

PROPERTIES = (
    "f.number",
    "f.scheduled_hour",
    "f.departure_delay_minutes",
    "f.arrival_delay_minutes",
    "f.air_time_minutes",
    "f.distance_miles",
    "p.year_built",
    "p.seats",
)
"""Eight columns whose values mostly differ between columns."""

FLAGS = (
    "f.scheduled_hour < 12",
    "f.departure_delay_minutes > 0",
    "f.arrival_delay_minutes > 0",
    "f.air_time_minutes > 120",
    "f.number > 1000",
    "f.number < 2000",
    "p.year_built < 2000",
    "p.seats > 100",
)
"""Eight columns of true and false, in which no value tells columns apart."""

Pair: TypeAlias = tuple[str, str]
"""A gold query and a prediction."""


def predictions(count: int, seed: int) -> list[Pair]:
    """Return the references themselves, and mutants of them by all operators alike, none of which writes."""
    queries = [each.cypher for each in read_questions(suite_folder("flights")) if each.cypher]
    pairs = [(query, query) for query in dict.fromkeys(queries)][:count]
    mutants = [each for each in applications(queries, seed, len(queries)) if each.mutant.label != "refused"]
    Random(seed).shuffle(mutants)
    seen: Counter[str] = Counter()
    turns: list[tuple[int, Pair]] = []
    for each in mutants:
        turns.append((seen[each.mutant.operator], (each.gold, each.mutant.query)))
        seen[each.mutant.operator] += 1
    turns.sort(key=lambda turn: turn[0])
    pairs += [pair for _, pair in turns[: count - len(pairs)]]
    Random(seed).shuffle(pairs)
    return pairs


def wide_pairs(graph: PropertyGraph, columns: Sequence[str], count: int, seed: int) -> list[Pair]:
    """Return pairs of queries of the same columns, in another order, each for a destination or an airline."""
    random = Random(seed)
    found = []
    for kind, label in (("ARRIVES_AT", "Airport"), ("OPERATED_BY", "Airline")):
        names = {node.id: str(node.properties["name"]) for node in graph.nodes if node.label == label}
        for end in sorted({each.end for each in graph.relationships if each.type == kind}):
            named = f"(:{label} {{name: {quote(names[end])}}})"
            match = f"MATCH {named}<-[:{kind}]-(f:Flight)-[:FLOWN_WITH]->(p:Plane)"
            other = random.sample(columns, len(columns))
            found.append((f"{match} RETURN {', '.join(columns)}", f"{match} RETURN {', '.join(other)}"))
    return random.sample(found, min(count, len(found)))
