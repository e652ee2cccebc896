"""Whether multi-step questions get their routes back in a form that can be read as routes."""

from collections.abc import Iterator

from prompts.validation._case import Case
from prompts.validation._check_route import target_at_start
from prompts.validation._model import Finding
from prompts.validation._places import Places
from prompts.validation._route import Route
from prompts.validation._route_parts import LISTS, Part, held, runs_back


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
                "the "
                "path the other way round.",
                *at,
            )
        return
    if kinds & {"reaction", "some"}:
        yield from _single(case, route, parts, at)
    elif "element" in kinds:
        yield Finding(
            "return_shape",
            "The nodes of all routes are returned one by one, so the routes cannot be told apart. Return "
            "for each "
            "path the list of its reactions.",
            *at,
        )
    else:
        yield Finding(
            "return_shape",
            "No reactions are returned. Return for each path the list of its reactions, such as [n IN "
            "nodes(path) "
            f"WHERE n:{case.domain.reaction}].",
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
