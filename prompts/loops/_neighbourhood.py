"""Rows found without the model's query: the surroundings of the molecules that a question names."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kg.cypher import quote
from kg.execution import Execution
from prompts.loops._entities import Entity, entities_in
from prompts.loops._interface import Graph
from prompts.templates import fill

_FOLDER = Path(__file__).parent


def neighbourhood(question: str, graph: Graph, *, hops: int, cap: int, timeout_s: float) -> dict[str, Any]:
    """Return the reactions around the molecules of a question, as the ``fallback`` of a record.

    Args:
        question: The question as asked.
        graph: Guarded access to the graph.
        hops: How many relationships away the farthest molecules may be, at least 2: a reaction and what
            takes part in it.
        cap: How many reactions at most.
        timeout_s: Seconds that each of the two queries may take.

    Returns:
        ``entities`` (found in the question), ``resolved`` (names in the graph), ``hops``, and what came of
        the query: ``cypher``, ``status``, ``columns``, ``rows``, ``row_count``, ``truncated``, ``time_s``.

    Raises:
        GraphError: The graph cannot be asked.
    """
    entities = entities_in(question)
    resolved = _resolved(entities, graph, timeout_s)
    found: dict[str, Any] = {
        "entities": [entity.to_json() for entity in entities],
        "resolved": resolved,
        "hops": hops,
    }
    if not resolved:
        nothing = Execution("no_query", message="No molecule of the question is in the graph.")
        return {**found, "cypher": None, **_kept(nothing)}
    values = {"names": _listed(resolved), "reach": str(hops - 1), "cap": str(cap)}
    cypher = _query("neighbourhood", values)
    return {**found, "cypher": cypher, **_kept(graph.run(cypher, timeout_s=timeout_s, row_limit=cap))}


def _resolved(entities: Iterable[Entity], graph: Graph, timeout_s: float) -> list[str]:
    """The names of the graph that entities have, in the order of the question."""
    names = list(dict.fromkeys(name for entity in entities for name in entity.names))
    if not names:
        return []
    found = graph.run(_query("resolve", {"names": _listed(names)}), timeout_s=timeout_s)
    known = {row[0] for row in found.rows}
    return [name for name in names if name in known]


def _query(name: str, values: Mapping[str, str]) -> str:
    return fill((_FOLDER / f"{name}.cypher").read_text(encoding="utf-8"), values)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(quote, names))


def _kept(execution: Execution) -> dict[str, Any]:
    kept = execution.to_json()
    kept.pop("code")
    return kept
