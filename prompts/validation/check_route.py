"""Multi-step questions: whether routes of the right length join the right ends."""

from collections.abc import Iterator

from retrocypher.kg.semantics.builder import walk
from retrocypher.kg.semantics.query_model import (
    Call,
    Comprehension,
    Constant,
    HasLabel,
    Operation,
    PathTerm,
    PatternPath,
    QueryModel,
    Term,
)
from retrocypher.prompts.validation.check_text import type_names
from retrocypher.prompts.validation.finding import Case, Finding
from retrocypher.prompts.validation.graph_view import Link, labels_in
from retrocypher.prompts.validation.routes import Route, longest_route


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
        wanted = labels_in(term.where)
        length = path.hops.exact
        first = 0 if case.view.is_molecule(path.nodes[0]) else 1
        kinds = (case.domain.molecule, case.domain.reaction)
        if length is None or not wanted or len(wanted) > 1:
            continue
        listed = range(length + 1) if indices is None else indices
        if any(place > length or kinds[(place + first) % 2] not in wanted for place in listed):
            yield Finding.at(
                condition,
                "other",
                f"`{case.written(condition.start, condition.stop)}` cannot hold on a path of {length} "
                "relationships, where molecules and reactions take turns.",
            )


def _places(case: Case, test: Comprehension) -> tuple[PatternPath, range | None] | None:
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
    """Report paths that are limited to the shortest."""
    for path in case.reading.paths:
        if path.shortest:
            edge = case.reading.edges[path.edges[0]]
            yield case.finding(
                "duplicate_or_incomplete",
                f"Only shortest paths are found by {case.written(edge.start_offset, edge.stop_offset)}. "
                "Match the path without shortestPath to get all routes of the length asked for.",
                edge,
            )
            return


def target_name(case: Case) -> str:
    """The molecule that the routes have to lead to."""
    return next(m.name for m in case.asked.molecules if m.role == "target")


def start_name(case: Case) -> str | None:
    """The molecule that the routes have to start from; None where any will do."""
    return next((m.name for m in case.asked.molecules if m.role == "start"), None)


def find_route(case: Case) -> Route | None:
    """The chain that leads to the target, or from it where none leads to it; None where there is none."""
    targets = case.view.anchored(target_name(case))
    start = start_name(case)
    through = case.view.anchored(start) if start is not None else set()
    routes = [longest_route(case, node, upstream=True, through=through) for node in sorted(targets)]
    routes += [longest_route(case, node, upstream=False, through=through) for node in sorted(targets)]
    found = [route for route in routes if route.links]
    return found[0] if found else None


def check_route(case: Case, route: Route | None) -> Iterator[Finding]:
    """Ends, direction, types and length of the chain that the query follows."""
    target = target_name(case)
    if route is None:
        yield from _no_route(case, target)
        return
    backwards = target_at_start(case, route)
    if backwards:
        yield _backwards(case, route, target)
    else:
        yield from _start(case, route)
        yield from _goes_on(case, route, target)
    yield from _both_ways(case, route)
    wrong = [*_types(case, route), *_beside(case, route)]
    yield from wrong
    if not wrong:
        yield from _length(case, route)
    yield from check_shortest(case)
    yield from check_turns(case)


def target_at_start(case: Case, route: Route) -> bool:
    """Whether a route leads away from the target."""
    targets = case.view.anchored(target_name(case))
    return route.nodes[0] in targets and route.nodes[-1] not in targets


def _no_route(case: Case, target: str) -> Iterator[Finding]:
    if any(target in anchor.values for anchor in case.view.anchors):
        anchor = next(anchor for anchor in case.view.anchors if target in anchor.values)
        at = anchor.condition.start, anchor.condition.stop
        if not case.joined(anchor.node):
            yield case.apart(anchor.node)
            return
        yield Finding(
            "endpoint_anchoring",
            f"No route of the query leads to {case.view.name(anchor.node)}. It has to be the last node of "
            "the path.",
            *at,
        )
        return
    for condition in case.reading.conditions:
        tests = (isinstance(each, Comprehension) and each.kind != "list" for each in walk(condition.term))
        if any(tests) and _mentions(condition.term, target):
            yield Finding.at(
                condition,
                "endpoint_anchoring",
                f"{target} may stand anywhere on the path. It has to be its last node.",
            )
            return


def _mentions(term: Term, name: str) -> bool:
    return any(getattr(each, "value", None) == name for each in walk(term))


def _backwards(case: Case, route: Route, target: str) -> Finding:
    link = route.links[0]
    return case.finding(
        "endpoint_anchoring",
        f"{case.pattern(link)} leads away from {target}, which is what is made: it has to be the end of the "
        "path. Turn the arrow, or put the molecule at the other end.",
        link.edge,
    )


def _goes_on(case: Case, route: Route, target: str) -> Iterator[Finding]:
    """A target that the query follows further, to what is made of it."""
    consumed = case.domain.components["reactants"].type
    for link in case.view.links:
        onwards = link.start == route.nodes[-1] and consumed in link.types and link not in route.links
        if onwards and link.status == "required":
            yield case.finding(
                "endpoint_anchoring",
                f"{case.pattern(link)} leads on from {target}, which has to be the end of the route.",
                link.edge,
            )


def _start(case: Case, route: Route) -> Iterator[Finding]:
    start = start_name(case)
    if start is None:
        return
    nodes = case.view.anchored(start)
    if route.start in nodes:
        return
    link = route.links[0]
    if nodes and not any(map(case.joined, nodes)):
        yield case.apart(min(nodes))
    elif nodes:
        yield case.finding(
            "endpoint_anchoring",
            f"The path does not begin with {start}, from which the question starts: put it at the start of "
            f"{case.pattern(link)}.",
            link.edge,
        )
    elif any(isinstance(each, Comprehension) for c in case.reading.conditions for each in walk(c.term)):
        yield case.finding("endpoint_anchoring", f"{start} has to be the first node of the path.", link.edge)


def _both_ways(case: Case, route: Route) -> Iterator[Finding]:
    for link in route.links:
        if link.edge.agreement == "both":
            yield case.finding(
                "traversal_direction",
                f"{case.pattern(link)} has no arrow, so it also goes from products back to reactants. Give "
                "it an arrow that points from the precursor to the target.",
                link.edge,
            )
            return


def _types(case: Case, route: Route) -> Iterator[Finding]:
    components = case.domain.components
    made = {components["reactants"].type, components["products"].type}
    for link in route.links:
        extra = link.types - made
        if extra:
            yield case.finding(
                "wrong_relationship",
                f"{case.pattern(link)} follows `{'|'.join(sorted(extra))}`, which is no step from a "
                f"precursor to a product. Follow only `{'|'.join(sorted(made))}`.",
                link.edge,
            )
        elif not link.types and not _filtered_types(case, made) and _open_to_others(case, link):
            yield case.finding(
                "wrong_relationship",
                f"{case.pattern(link)} follows any relationship, also to agents and solvents. Follow only "
                f"`{'|'.join(sorted(made))}`.",
                link.edge,
            )
        elif link.types and link.types < made and link.hops.maximum != 1 and not link.edge.inner:
            yield case.finding(
                "wrong_relationship",
                f"{case.pattern(link)} repeats `{type_names(link.edge)}` alone, which never follows itself. "
                f"Follow `{'|'.join(sorted(made))}`.",
                link.edge,
            )


def _beside(case: Case, route: Route) -> Iterator[Finding]:
    """Agents and solvents that a reaction of the route has to have, perhaps in place of a reactant."""
    takes = case.domain.components["reactants"].type
    made = {takes, case.domain.components["products"].type}
    for link in case.view.links:
        extra = link.status == "required" and link not in route.links and link.types - made == link.types
        if extra and link.types and link.start in route.nodes and case.view.is_reaction(link.start):
            entered = any(other.end == link.start and takes in other.types for other in case.view.links)
            yield case.finding(
                "duplicate_or_incomplete" if entered else "wrong_relationship",
                f"{case.pattern(link)} is no part of a route: it keeps only reactions with such a molecule. "
                f"Follow `{'|'.join(sorted(made))}`.",
                link.edge,
            )


def _open_to_others(case: Case, link: Link) -> bool:
    """Whether an edge of any type can also be one to an agent or solvent."""
    return link.hops != (1, 1) or not case.view.is_molecule(link.start)


def _filtered_types(case: Case, made: set[str]) -> bool:
    for condition in case.reading.conditions:
        for each in walk(condition.term):
            if isinstance(each, Comprehension) and each.kind in ("all", "none") and each.where is not None:
                labels = labels_in(each.where)
                if (each.kind == "all" and labels and labels <= made) or (
                    each.kind == "none" and labels - made
                ):
                    return True
    return False


def _length(case: Case, route: Route) -> Iterator[Finding]:
    steps = case.asked.steps
    hops = route.hops
    if steps is None:
        return
    first = case.reading.nodes[route.start].labels
    allowed = {2 * steps}
    if case.domain.reaction in first:
        allowed = {2 * steps - 1} if len(first) == 1 else {2 * steps - 1, 2 * steps}
    if hops.exact in allowed:
        return
    link = max(route.links, key=lambda each: (each.hops.exact is None, each.hops.minimum))
    if hops.exact is None and _measured_otherwise(case.reading):
        return
    wanted = max(allowed)
    yield case.finding(
        "path_length",
        f"The path follows {_counted(hops.minimum, hops.maximum)}, in {case.pattern(link)}. "
        f"{'1 reaction step is' if steps == 1 else f'{steps} reaction steps are'} exactly {wanted} "
        "relationships, two for each step.",
        link.edge,
    )


def _counted(least: int, most: int | None) -> str:
    if most is None:
        return f"{least} or more relationships, without an upper bound"
    if most < least:
        return "a number of relationships that cannot be"
    return f"{least} relationships" if least == most else f"{least} to {most} relationships"


def _measured_otherwise(reading: QueryModel) -> bool:
    """Whether a condition measures a path in a way that is not read."""
    for condition in reading.conditions:
        for each in walk(condition.term) if isinstance(condition.term, Operation) else ():
            if isinstance(each, Call) and each.name in ("size", "length", "count"):
                inner = each.arguments[0] if each.arguments else None
                if isinstance(inner, Comprehension) and not isinstance(inner.where, HasLabel):
                    return any(isinstance(part, PathTerm) for part in walk(inner))
    return bool(reading.unread)
