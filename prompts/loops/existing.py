"""What exists in a graph now, for a reviewer: labels, relationship types, and the molecules named."""

from collections.abc import Sequence
from pathlib import Path

from retrocypher.kg.cypher.edits import string_literals
from retrocypher.kg.execution.execution import Execution
from retrocypher.prompts.loops.guarded import entities_in, molecules_in_graph
from retrocypher.prompts.loops.interface import Graph, LoopQuestion

_LISTS = Path(__file__).with_name("existing.cypher")
_TIMEOUT_S = 5.0
_MOST_NAMES = 20
_LONGEST_NAME = 500


def what_exists(case: LoopQuestion, query: str | None, graph: Graph) -> str:
    """Return in words what the graph has, as two guarded queries of at most 5 s find it.

    At most 100 labels, 100 types and 20 names are listed. Names are the molecules of the question and the
    strings of the query; graphs without molecules have none.
    """
    found = graph.run(_LISTS.read_text(encoding="utf-8").strip(), timeout_s=_TIMEOUT_S)
    lines = [_listed(found, "label", "Labels"), _listed(found, "type", "Relationship types")]
    return "\n".join([*lines, *(_molecules(case, query, graph) if case.of_reactions else ())])


def _listed(found: Execution, kind: str, heading: str) -> str:
    if found.status != "ok":
        return f"{heading}: not known ({found.status})"
    names = [str(name) for each, name in found.rows if each == kind]
    return f"{heading}: {', '.join(names) or 'none'}"


def _molecules(case: LoopQuestion, query: str | None, graph: Graph) -> list[str]:
    asked = {entity.text: entity.names for entity in entities_in(case.question)}
    schema = {*case.schema.labels, *case.schema.types, *case.schema.properties}
    written = (literal.value for literal in string_literals(query or ""))
    names: dict[str, Sequence[str]] = {**asked}
    for value in written:
        if value and value not in schema and len(value) <= _LONGEST_NAME:
            names.setdefault(value, (value,))
    shown = dict(list(names.items())[:_MOST_NAMES])
    known = molecules_in_graph((name for each in shown.values() for name in each), graph, _TIMEOUT_S)
    return [_line(text, each, known) for text, each in shown.items()]


def _line(text: str, names: Sequence[str], known: Sequence[str] | None) -> str:
    if known is None:
        return f"Molecule {text}: not known"
    found = next((name for name in names if name in known), None)
    if found is None:
        return f"Molecule {text}: not in the graph"
    return f"Molecule {text}: in the graph" + (f" as {found}" if found != text else "")
