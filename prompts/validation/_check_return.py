"""Whether multi-step questions get their routes back in a form that can be read as routes."""

from collections.abc import Iterator

from prompts.validation._case import Case
from prompts.validation._check_route import target_at_start
from prompts.validation._model import Finding
from prompts.validation._route import Route
from prompts.validation._route_parts import LISTS, Part, held


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
        yield from _as_asked(case, kinds, at)
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


def _as_asked(case: Case, kinds: set[str], at: tuple[int, int]) -> Iterator[Finding]:
    wanted = {*LISTS, "reaction", "element"}
    if case.asked.intent in ("intermediates", "multi_step_precursors"):
        wanted |= {"molecules", "molecule"}
    if not kinds & wanted:
        what = "molecules" if "molecule" in wanted else "routes"
        yield Finding("return_shape", f"The {what} that the question asks for are not returned.", *at)


def _single(case: Case, route: Route | None, parts: list[Part], at: tuple[int, int]) -> Iterator[Finding]:
    """Reactions returned one by one, as columns of their own."""
    if route is None:
        return
    on_route = [node for node in route.nodes if case.view.is_reaction(node)]
    if target_at_start(case, route):
        on_route.reverse()
    apart = [part for part in parts if part.kind == "reaction"]
    returned = list(dict.fromkeys(node for part in apart for node in part.nodes))
    if any(part.gathered for part in apart) and len(on_route) > 1:
        yield Finding(
            "return_shape",
            "The reactions of different routes are collected together. Return one row a route.",
            *at,
        )
        return
    long = any(link.hops.exact != 1 for link in route.links)
    if long or set(on_route) - set(returned):
        yield Finding(
            "return_shape",
            f"Only some of the reactions of a route are returned. Return all {case.asked.steps or ''} of "
            "them, from "
            "the precursor to the target.".replace("  ", " "),
            *at,
        )
    elif [node for node in returned if node in on_route] != on_route:
        yield Finding(
            "wrong_aggregation_or_order",
            "The reactions are not returned in the order of the route. Return them from the precursor to "
            "the target.",
            *at,
        )
