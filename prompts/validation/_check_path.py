"""Whether a path is limited to the shortest, or tested in a way it cannot pass."""

from collections.abc import Iterator

from kg.reading.model import (
    Call,
    Comprehension,
    Constant,
    HasLabel,
    Operation,
    PathReading,
    PathTerm,
)
from kg.reading.simplify import walk
from prompts.validation._case import Case
from prompts.validation._model import Finding


def check_turns(case: Case) -> Iterator[Finding]:
    """Tests of a path's nodes that none of its nodes, or not all of them, can pass."""
    for condition in case.reading.conditions:
        term = condition.term
        if not isinstance(term, Comprehension) or term.kind != "all" or term.where is None:
            continue
        places = _places(case, term)
        if places is None:
            continue
        path, indices = places
        wanted = {label for each in walk(term.where) if isinstance(each, HasLabel) for label in each.labels}
        length = path.hops.exact
        first = 0 if case.view.is_molecule(path.nodes[0]) else 1
        kinds = (case.domain.molecule, case.domain.reaction)
        if length is None or not wanted or len(wanted) > 1:
            continue
        listed = range(length + 1) if indices is None else indices
        if any(place > length or kinds[(place + first) % 2] not in wanted for place in listed):
            yield Finding(
                "other",
                f"`{case.written(condition.start, condition.stop)}` cannot hold on a path of {length} "
                "relationships, "
                "where molecules and reactions take turns.",
                condition.start,
                condition.stop,
            )


def _places(case: Case, test: Comprehension) -> tuple[PathReading, range | None] | None:
    """The path whose nodes are tested, and at which places; None for the places where it is all of them."""
    match test.element.of, test.where:
        case Call("nodes", (PathTerm(key),)), HasLabel(of, _) if of == test.element:
            return case.reading.paths[key], None
        case (
            Call("range", (Constant(int() as first), Constant(int() as last), *step)),
            HasLabel(Operation("[]", (Call("nodes", (PathTerm(key),)), index)), _),
        ) if index == test.element:
            by = step[0].value if step and isinstance(step[0], Constant) else 1
            if isinstance(by, int) and by > 0:
                return case.reading.paths[key], range(first, last + 1, by)
    return None


def check_shortest(case: Case) -> Iterator[Finding]:
    for path in case.reading.paths:
        if path.shortest:
            edge = case.reading.edges[path.edges[0]]
            yield case.finding(
                "duplicate_or_incomplete",
                f"Only shortest paths are found by {case.written(edge.start_offset, edge.stop_offset)}. "
                "Match the path "
                "without shortestPath to get all routes of the length asked for.",
                edge,
            )
            return
