"""Multi-step questions that could be asked of a network."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from kg.questions._sampling import seeded_rank
from kg.questions.authoring._candidate import Candidate, Kind
from kg.questions.authoring._network import ReactionNetwork, Route, Walk, is_simple, route_of

MAXIMUM_ROUTES = 100
# A target with more is a hub; none of its starts is looked at.
_ROUTES_LOOKED_AT = 1000


class _TooManyRoutesError(Exception):
    pass


def multi_step_candidates(
    network: ReactionNetwork, kind: Kind, is_target: Callable[[str], bool], seed: int
) -> Iterator[Candidate]:
    """Yield the unambiguous, answerable questions of one multi-step kind.

    A question is kept where every walk of the asked length is a simple path (then walks, trails and simple
    paths are the same), it has at most 100 routes, and every intermediate may be asked for itself.

    Args:
        network: The reactions.
        kind: What to look for.
        is_target: Whether a molecule may be asked for, or stand in the middle of a route.
        seed: Decides between equally good starts.
    """
    for target in sorted(network.makers):
        if not is_target(target):
            continue
        try:
            walks = _walks(network, target, kind.steps)
        except _TooManyRoutesError:
            continue
        if kind.task == "chains_between":
            yield from _starts(kind, target, walks, is_target, seed)
        else:
            yield from _whole(kind, target, walks, is_target)


def _walks(network: ReactionNetwork, target: str, steps: int) -> list[Walk]:
    walks: list[Walk] = []
    routes: set[Route] = set()
    for walk in network.walks_to(target, steps):
        walks.append(walk)
        routes.add(route_of(walk))
        if len(routes) > _ROUTES_LOOKED_AT:
            raise _TooManyRoutesError
    return walks


def _whole(
    kind: Kind, target: str, walks: list[Walk], is_target: Callable[[str], bool]
) -> Iterator[Candidate]:
    routes = _unambiguous(walks, is_target)
    if routes:
        several = len(routes) > 1
        yield Candidate(kind, {"target": target, "steps": kind.steps}, target, 0 if several else 1, several)


def _starts(
    kind: Kind, target: str, walks: list[Walk], is_target: Callable[[str], bool], seed: int
) -> Iterator[Candidate]:
    """Yield a question for each start of the best tier, no two with the same routes; else one question."""
    by_start: dict[str, list[Walk]] = defaultdict(list)
    for walk in walks:
        by_start[str(walk[0])].append(walk)
    every = {route_of(walk) for walk in walks}
    options: list[Candidate] = []
    seen: set[frozenset[Route]] = set()
    for start in sorted(by_start, key=lambda name: seeded_rank(seed, str(kind), target, name)):
        routes = _unambiguous(by_start[start], is_target) if is_target(start) else None
        if routes and routes not in seen:
            seen.add(routes)
            # At best the start matters (others lead to the target, too), and so does finding all routes.
            tier = (len(routes) < 2) + (len(routes) == len(every))
            slots = {"start": start, "target": target, "steps": kind.steps}
            options.append(Candidate(kind, slots, target, tier, discriminating=len(every) > 1))
    telling = [each for each in options if each.tier == 0]
    yield from telling or sorted(options, key=lambda each: each.tier)[:1]


def _unambiguous(walks: Iterable[Walk], is_target: Callable[[str], bool]) -> frozenset[Route] | None:
    """Return the routes of some walks, or None where the question would be ambiguous or too large."""
    routes: set[Route] = set()
    for walk in walks:
        if not is_simple(walk) or not all(is_target(str(name)) for name in walk[2:-1:2]):
            return None
        routes.add(route_of(walk))
    return frozenset(routes) if 0 < len(routes) <= MAXIMUM_ROUTES else None
