"""The questions that could be asked of a graph: unambiguous, answerable, ranked by what they tell."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from rdkit import Chem

from retrocypher.kg.graph.reaction import ROLES, Reaction
from retrocypher.kg.questions.gold import (
    ReactionNetwork,
    Route,
    Walk,
    is_simple,
    makers_of_all,
    route_of,
    yield_of,
)
from retrocypher.kg.questions.question import seeded_rank

MINIMUM_HEAVY_ATOMS = 8
COMMON_AUXILIARY_USES = 10
# Yields nearer than this are one value to the scores, so the best would not be unique.
YIELD_TOLERANCE = 1e-6

MAXIMUM_ROUTES = 100
# A target with more is a hub; none of its starts is looked at.
_ROUTES_LOOKED_AT = 1000


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question that the plan counts on its own; steps is 1 for single-step tasks.

    ``products`` is the size of the product set, 0 where the task has none; ``role`` is ``agents``,
    ``solvents`` or empty.
    """

    task: str
    steps: int = 1
    products: int = 0
    role: str = ""

    def __str__(self) -> str:
        parts = [self.task]
        if self.steps > 1:
            parts.append(f"{self.steps} steps")
        if self.products:
            parts.append(f"{self.products} products")
        if self.role:
            parts.append(self.role)
        return " ".join(parts)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A question that could be asked: unambiguous and with an answer. Two are equal only if identical.

    It clusters by ``target``. ``tier`` says how much it would tell about a query, 0 most; it is
    discriminating where a wrong choice among the target's reactions would show.
    """

    kind: Kind
    slots: Mapping[str, Any]
    target: str
    tier: int
    discriminating: bool


def is_synthesis_target(name: str) -> bool:
    """Return whether a molecule is one that a chemist would set out to make.

    That is one connected molecule with a carbon atom and at least eight atoms other than hydrogen: it leaves
    out counter-ions, water, mineral acids and small reagents, which patents list as products of hundreds
    of unrelated reactions.
    """
    molecule = Chem.MolFromSmiles(name)
    if molecule is None or len(Chem.GetMolFrags(molecule)) != 1:
        return False
    has_carbon = any(atom.GetAtomicNum() == 6 for atom in molecule.GetAtoms())
    return has_carbon and molecule.GetNumHeavyAtoms() >= MINIMUM_HEAVY_ATOMS


def common_auxiliaries(reactions: Iterable[Reaction]) -> frozenset[str]:
    """Return the molecules that at least ten reactions use as agent or solvent.

    Toluenesulfonic acid or a carbodiimide is a product here and there, but nobody plans a route through it.
    """
    uses = Counter(name for each in reactions for name in {*each.agents, *each.solvents})
    return frozenset(name for name, count in uses.items() if count >= COMMON_AUXILIARY_USES)


def single_step_candidates(
    network: ReactionNetwork, kind: Kind, is_target: Callable[[str], bool]
) -> Iterator[Candidate]:
    """Yield the unambiguous, answerable questions of one single-step kind."""
    if kind.task == "multi_product":
        yield from _product_sets(network, kind, is_target)
        return
    first_trivial = 2 if kind.task == "best_yield" else 1
    for target, makers in network.makers.items():
        if is_target(target) and (tier := _tier(kind, target, makers)) is not None:
            slots = {"target": target, "role": kind.role} if kind.role else {"target": target}
            yield Candidate(kind, slots, target, tier, discriminating=tier < first_trivial)


def context(reaction: Reaction) -> frozenset[object]:
    """Return every molecule of a reaction together with its role."""
    return frozenset((role, name) for role in ROLES for name in getattr(reaction, role))


def _tier(kind: Kind, target: str, makers: Sequence[Reaction]) -> int | None:
    """How much a question would tell, 0 most; None where it has no answer or an ambiguous one."""
    if kind.task == "best_yield":
        return _best_yield(target, makers)
    views = [_VIEWS[kind.task](kind, target, each) for each in makers]
    if not all(views):
        return None
    # At best no single reaction holds all that the reactions together hold.
    return 1 if frozenset().union(*views) in views else 0


def _best_yield(target: str, makers: Sequence[Reaction]) -> int | None:
    known = [found for each in makers if (found := yield_of(each, target)) is not None]
    if not known or sum(found > max(known) - YIELD_TOLERANCE for found in known) > 1:
        return None
    if len(known) > 1:
        return 0
    return 1 if len(makers) > 1 else 2


_VIEWS: dict[str, Callable[[Kind, str, Reaction], frozenset[object]]] = {
    "precursors": lambda _kind, _target, each: frozenset(each.reactants),
    "producing_reactions": lambda _kind, _target, each: context(each),
    "co_products": lambda _kind, target, each: frozenset(each.products) - {target},
    "conditions": lambda kind, _target, each: frozenset(getattr(each, kind.role)),
}
"""What each task asks of a reaction; a question has an answer where every reaction has some of it."""


def _product_sets(
    network: ReactionNetwork, kind: Kind, is_target: Callable[[str], bool]
) -> Iterator[Candidate]:
    made = {each.products for makers in network.makers.values() for each in makers}
    sets = {chosen for each in made for chosen in combinations(sorted(each), kind.products)}
    for products in sorted(sets):
        # Of the molecules worth asking for, the one that fewest reactions make tells the sets apart best.
        target = min(products, key=lambda name: (not is_target(name), len(network.makers_of(name)), name))
        answer = _context_of(makers_of_all(network, products))
        wrong = sum(_context_of(network.makers_of(name)) != answer for name in products)
        # Ions and small molecules come last, and they come at all because product sets are few.
        worth_asking = sum(map(is_target, products))
        tier = (0 if wrong else 3) + (0 if worth_asking == len(products) else 1 if worth_asking else 2)
        ordered = sorted(products, key=lambda name: (-len(name), name))
        yield Candidate(kind, {"products": ordered}, target, tier, discriminating=wrong > 0)


def _context_of(reactions: Sequence[Reaction]) -> frozenset[object]:
    return frozenset().union(*map(context, reactions))


class _TooManyRoutesError(Exception):
    pass


def multi_step_candidates(
    network: ReactionNetwork, kind: Kind, is_target: Callable[[str], bool], seed: int
) -> Iterator[Candidate]:
    """Yield the unambiguous, answerable questions of one multi-step kind.

    A question is kept where every walk of the asked length is a simple path (then walks, trails and simple
    paths are the same), it has at most 100 routes, and every intermediate may be asked for itself. The seed
    decides between equally good starts.
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
