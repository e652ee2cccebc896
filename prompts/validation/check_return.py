"""Multi-step questions: what a returned value holds of the routes."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from retrocypher.kg.semantics.builder import walk
from retrocypher.kg.semantics.query_model import (
    Call,
    Comprehension,
    Constant,
    EdgeTerm,
    Element,
    GroupTerm,
    HasLabel,
    ListTerm,
    MapTerm,
    NodeTerm,
    Operation,
    PathTerm,
    Property,
    Term,
    Unknown,
)
from retrocypher.kg.semantics.query_model import Case as CaseTerm
from retrocypher.prompts.validation.check_route import target_at_start, target_name
from retrocypher.prompts.validation.finding import Case, Finding
from retrocypher.prompts.validation.graph_view import calls, labels_in
from retrocypher.prompts.validation.routes import Places, Route

LISTS = ("path", "nodes", "reactions")
"""The kinds that hold a whole route."""

_PLURAL = {"reaction": "reactions", "molecule": "molecules"}


class Part(NamedTuple):
    """What a value holds of a route.

    Attributes:
        kind: ``path``, ``nodes``, ``reactions`` or ``molecules`` for lists in path order; ``reaction`` or
            ``molecule`` for one node; ``element`` for a node taken out of its list; ``value`` for anything
            else; ``unknown`` where it cannot be told.
        nodes: For single nodes and lists written out, the nodes.
        backwards: Whether a list runs from the target to the precursor.
        gathered: Whether single nodes are collected over rows.
        place: For a node taken out of a path of fixed length, the path and its place there.
    """

    kind: str
    nodes: tuple[int, ...] = ()
    backwards: bool = False
    gathered: bool = False
    place: tuple[int, int] | None = None


def held(case: Case, term: Term) -> list[Part]:
    """What a value holds of the routes."""
    placed = _placed(case, term)
    if placed is not None:
        return [placed]
    match term:
        case PathTerm(key):
            return [Part("path", backwards=runs_back(case, key))]
        case Call("nodes", (PathTerm(key),)):
            return [Part("nodes", backwards=runs_back(case, key))]
        case Call("reverse", (inner,)):
            return [part._replace(backwards=not part.backwards) for part in held(case, inner)]
        case Call("head" | "last", (inner,)):
            return [_one(part) for part in held(case, inner)]
        case Call("slice", (inner, *bounds)):
            return [_cut(part, bounds) for part in held(case, inner)]
        case Call("tail", (inner,)):
            return [_cut(part, [Constant(1)]) for part in held(case, inner)]
        case Call("collect", (inner,)):
            parts = held(case, inner)
            if _by_path(case, term):
                return [part._replace(kind="reactions") if part.kind == "element" else part for part in parts]
            return [part._replace(gathered=True) for part in parts]
        case Call("coalesce" | "tostring" | "tointeger" | "apoc.coll.toset", arguments):
            return [part for argument in arguments for part in held(case, argument)]
        case Call("relationships" | "count" | "size" | "length" | "type" | "labels" | "id" | "elementid", _):
            return [Part("value")]
        case Operation("[]", (inner, _)):
            return [_one(part) for part in held(case, inner)]
        case Operation("+" | "union", operands):
            return [part for operand in operands for part in held(case, operand)]
        case NodeTerm(key):
            return [_node(case, key)]
        case Property(NodeTerm(key), name):
            reaction = case.view.is_reaction(key)
            own = name == (case.domain.reaction_id if reaction else case.domain.molecule_name)
            return [_node(case, key) if own else Part("value")]
        case Property(Element() as element, name):
            return [part for part in held(case, element) if name == case.domain.reaction_id] or [
                Part("molecule")
            ]
        case GroupTerm(inner):
            return [_several(part, case) for part in held(case, inner)]
        case Element(inner, _):
            return [Part("element")] if any(p.kind in LISTS for p in held(case, inner)) else held(case, inner)
        case ListTerm(items):
            # A list written out counts as its items: their order is checked against the route.
            return [part for item in items for part in held(case, item)]
        case MapTerm(entries, everything):
            values = [value for _, value in entries] + ([] if everything is None else [everything])
            return [part for value in values for part in held(case, value)]
        case Comprehension("list", element, where, projection):
            return [_comprehension(case, element, where, projection)]
        case CaseTerm(branches, default):
            values = [then for _, then in branches] + ([] if default is None else [default])
            return [part for value in values for part in held(case, value)]
        case Unknown():
            return [Part("unknown")]
        case Property(Operation("[]", (inner, _)) | Call("head" | "last", (inner,))):
            return [Part("unknown" if any(p.kind in LISTS for p in held(case, inner)) else "value")]
        case Constant() | EdgeTerm() | Operation() | HasLabel() | Property():
            return [Part("value")]
    return [Part("unknown")]


def _placed(case: Case, term: Term) -> Part | None:
    """A node that is taken out of a path of fixed length."""
    places = Places(case)
    found = places.one(term)
    if found is None:
        return None
    reaction = places.is_reaction(*found)
    own = case.domain.reaction_id if reaction else case.domain.molecule_name
    if isinstance(term, Property) and term.name != own:
        return Part("value")
    return Part("reaction" if reaction else "molecule", place=found)


def _cut(part: Part, bounds: Sequence[Term]) -> Part:
    """A list without its ends: of all nodes the ends may go, since they are molecules."""
    first, *rest = (each.value if isinstance(each, Constant) else None for each in bounds)
    ends_only = part.kind == "nodes" and first in (0, 1) and rest in ([], [-1])
    return part if ends_only or part.kind not in LISTS else part._replace(kind="some")


def _by_path(case: Case, gathered: Term) -> bool:
    """Whether values are collected path by path."""
    for projection in case.reading.projections:
        terms = [item.term for item in projection.items]
        if gathered in terms and any(
            isinstance(each, PathTerm) for term in terms for each in _key_parts(term)
        ):
            return True
    return False


def _key_parts(term: Term) -> Iterator[Term]:
    """What a grouping key is made of; an aggregate is none."""
    return iter(()) if isinstance(term, Call) and term.name == "collect" else walk(term)


def _one(part: Part) -> Part:
    singular = {"reactions": "reaction", "nodes": "element", "molecules": "molecule", "path": "path"}
    return part._replace(kind=singular.get(part.kind, part.kind))


def _several(part: Part, case: Case) -> Part:
    backwards = any(edge.inner and edge.leftward for edge in case.reading.edges)
    return Part(_PLURAL.get(part.kind, part.kind), backwards=backwards)


def _node(case: Case, key: int) -> Part:
    return Part("reaction" if case.view.is_reaction(key) else "molecule", (case.view.node(key),))


def _comprehension(case: Case, element: Element, where: Term | None, projection: Term | None) -> Part:
    source = element.of
    backwards = False
    cut = False
    while isinstance(source, Call) and source.name in ("reverse", "slice", "tail") and source.arguments:
        backwards ^= source.name == "reverse"
        ends = [Constant(1)] if source.name == "tail" else source.arguments[1:]
        cut |= source.name != "reverse" and _cut(Part("nodes"), ends).kind == "some"
        source = source.arguments[0]
    match source:
        case Call("nodes", (PathTerm(key),)):
            backwards ^= runs_back(case, key)
            kept = _nodes_kept(case, where, projection)
            return Part("some" if cut and kept in LISTS else kept, backwards=backwards)
        case Call("relationships", (PathTerm(key),)):
            backwards ^= runs_back(case, key)
            return Part(_ends_kept(case, where, projection), backwards=backwards)
        case Call("range", _):
            return _by_place(case, Comprehension("list", element, where, projection))
    inner = held(case, projection if projection is not None and _has_node(projection) else source)
    part = inner[0] if inner else Part("unknown")
    return part._replace(kind=_PLURAL.get(part.kind, part.kind), backwards=part.backwards ^ backwards)


def _has_node(term: Term) -> bool:
    return any(isinstance(each, NodeTerm) for each in walk(term))


def _nodes_kept(case: Case, where: Term | None, projection: Term | None) -> str:
    labels = set() if where is None else _labels(case, where)
    if projection is not None:
        looked_up = {each.name for each in walk(projection) if isinstance(each, Property)}
        tested = labels_in(projection)
        if calls(projection, "id", "elementid"):
            return "value"
        if isinstance(projection, MapTerm) and projection.everything is not None:
            looked_up = set()
        if looked_up and case.domain.reaction_id not in looked_up:
            return "molecules"
        if case.domain.molecule in labels:
            return "molecules"
        if tested and not looked_up and case.domain.reaction not in tested:
            return "molecules"
    if not labels:
        return "nodes"
    return "reactions" if case.domain.reaction in labels else "molecules"


def _labels(case: Case, where: Term) -> set[str]:
    match where:
        case HasLabel(_, labels):
            return set(labels)
        case Operation("not", (HasLabel(_, labels),)):
            return {case.domain.molecule, case.domain.reaction} - set(labels)
        case Operation("and" | "or", operands):
            return {label for operand in operands for label in _labels(case, operand)}
    return set()


def _ends_kept(case: Case, where: Term | None, projection: Term | None) -> str:
    """Which nodes are taken from the ends of a path's relationships."""
    if projection is None:
        return "value"
    ends = {each.name for each in walk(projection) if isinstance(each, Call)} & {"startnode", "endnode"}
    if not ends:
        return "value"
    types = set() if where is None else _labels(case, where)
    reacts = case.domain.components["reactants"].type
    if len(types) != 1 or len(ends) != 1:
        return "nodes"
    of_reaction = (types == {reacts}) == (ends == {"endnode"})
    return "reactions" if of_reaction else "molecules"


def _by_place(case: Case, counted: Comprehension) -> Part:
    """A list made by counting through the nodes of a path."""
    places = Places(case)
    found = places.listed(counted)
    if found is None:
        return Part("unknown")
    path, taken = found
    reactions = places.reactions(path)
    backwards = runs_back(case, path)
    if taken in (reactions, reactions[::-1]):
        return Part("reactions", backwards=backwards ^ (taken != reactions))
    if not any(places.is_reaction(path, each) for each in taken):
        return Part("molecules")
    return Part("nodes" if set(reactions) <= set(taken) else "some", backwards=backwards)


def runs_back(case: Case, key: int) -> bool:
    """Whether a path is written from the target's side."""
    path = case.reading.paths[key]
    targets = case.view.anchored(target_name(case))
    first, last = (case.view.node(path.nodes[place]) for place in (0, -1))
    if (first in targets) != (last in targets):
        edges = [case.reading.edges[edge] for edge in path.edges]
        if all(edge.leftward for edge in edges):
            return True
        if not any(edge.leftward for edge in edges):
            return False
        return first in targets
    return bool(path.edges) and all(case.reading.edges[edge].leftward for edge in path.edges)


def check_return(case: Case, route: Route | None) -> Iterator[Finding]:
    """Whether the reactions of each route are returned, in their order."""
    returned = case.returned
    if returned is None or case.reading.unread:
        return
    parts = [part for item in returned.items for part in held(case, item.term)]
    kinds = {part.kind for part in parts}
    if "unknown" in kinds or not parts:
        return
    at = returned.start, returned.stop
    if not case.full:
        yield from _as_asked(case, route, parts, at)
        return
    lists = [part for part in parts if part.kind in LISTS]
    if lists:
        if all(part.backwards and part.kind != "path" for part in lists):
            yield Finding(
                "wrong_aggregation_or_order",
                "The reactions come in the order from the target back, because the path is written from the "
                "target's side. Return them from the precursor to the target: reverse() the list, or write "
                "the path the other way round.",
                *at,
            )
        return
    if kinds & {"reaction", "some"}:
        yield from _single(case, route, parts, at)
    elif "element" in kinds:
        yield Finding(
            "return_shape",
            "The nodes of all routes are returned one by one, so the routes cannot be told apart. Return "
            "for each path the list of its reactions.",
            *at,
        )
    else:
        yield Finding(
            "return_shape",
            "No reactions are returned. Return for each path the list of its reactions, such as [n IN "
            f"nodes(path) WHERE n:{case.domain.reaction}].",
            *at,
        )


def _as_asked(case: Case, route: Route | None, parts: list[Part], at: tuple[int, int]) -> Iterator[Finding]:
    kinds = {part.kind for part in parts}
    wanted = {*LISTS, "reaction", "element"}
    if case.asked.intent in ("intermediates", "multi_step_precursors"):
        wanted |= {"molecules", "molecule"}
    if not kinds & wanted:
        what = "molecules" if "molecule" in wanted else "routes"
        yield Finding("return_shape", f"The {what} that the question asks for are not returned.", *at)
    elif kinds & wanted == {"molecule"}:
        yield from _elsewhere(case, route, [part for part in parts if part.kind == "molecule"], at)


def _elsewhere(case: Case, route: Route | None, parts: list[Part], at: tuple[int, int]) -> Iterator[Finding]:
    """Molecules that stand at another place of the routes than those the question asks for."""
    stands = {_stands(case, route, part) for part in parts}
    if case.asked.intent == "intermediates" and stands <= {"start", "end"}:
        yield Finding(
            "return_shape",
            "What is returned stands at an end of the routes and is no intermediate. Return the molecules "
            "between two reactions.",
            *at,
        )
    elif case.asked.intent == "multi_step_precursors" and stands <= {"between", "end"}:
        yield Finding(
            "return_shape",
            "What is returned is no precursor from which the routes start. Return their first molecule.",
            *at,
        )


def _stands(case: Case, route: Route | None, part: Part) -> str | None:
    """Whether a molecule is the start or the end of the routes or between; None where it cannot be told."""
    if route is None or case.asked.steps is None or target_at_start(case, route):
        return None
    hops = 2 * case.asked.steps
    if part.place is not None:
        path, place = part.place
        if case.reading.paths[path].hops.exact != hops:
            return None
        place = hops - place if runs_back(case, path) else place
        return {0: "start", hops: "end"}.get(place, "between")
    if len(part.nodes) != 1 or part.nodes[0] not in route.nodes:
        return None
    place = route.nodes.index(part.nodes[0])
    if place == 0:
        return "start" if route.hops.exact == hops else None
    return "end" if place == len(route.nodes) - 1 else "between"


def _single(case: Case, route: Route | None, parts: list[Part], at: tuple[int, int]) -> Iterator[Finding]:
    """Reactions returned one by one, as columns of their own."""
    if route is None:
        return
    on_route = [node for node in route.nodes if case.view.is_reaction(node)]
    if target_at_start(case, route):
        on_route.reverse()
    apart = [part for part in parts if part.kind == "reaction"]
    if any(part.place is not None for part in apart):
        yield from _picked(case, apart, at)
        return
    returned = list(dict.fromkeys(node for part in apart for node in part.nodes))
    if any(part.gathered for part in apart) and len(on_route) > 1:
        yield _together(at)
        return
    long = any(link.hops.exact != 1 for link in route.links)
    if long or set(on_route) - set(returned):
        yield _some(case, at)
    elif [node for node in returned if node in on_route] != on_route:
        yield _disordered(at)


def _picked(case: Case, apart: list[Part], at: tuple[int, int]) -> Iterator[Finding]:
    """Reactions taken one by one out of a path."""
    places = list(dict.fromkeys(part.place for part in apart))
    picked = [place for place in places if place is not None]
    path = picked[0][0]
    if len(picked) < len(places) or any(each != path for each, _ in picked):
        return
    wanted = Places(case).reactions(path)
    taken = [place for _, place in picked]
    if any(part.gathered for part in apart) and len(wanted) > 1:
        yield _together(at)
    elif set(wanted) - set(taken):
        yield _some(case, at)
    elif taken != (wanted[::-1] if runs_back(case, path) else wanted):
        yield _disordered(at)


def _together(at: tuple[int, int]) -> Finding:
    return Finding(
        "return_shape",
        "The reactions of different routes are collected together. Return one row a route.",
        *at,
    )


def _some(case: Case, at: tuple[int, int]) -> Finding:
    count = f"all {case.asked.steps}" if case.asked.steps else "all"
    return Finding(
        "return_shape",
        f"Only some of the reactions of a route are returned. Return {count} of them, from the precursor to "
        "the target.",
        *at,
    )


def _disordered(at: tuple[int, int]) -> Finding:
    return Finding(
        "wrong_aggregation_or_order",
        "The reactions are not returned in the order of the route. Return them from the precursor to the "
        "target.",
        *at,
    )
