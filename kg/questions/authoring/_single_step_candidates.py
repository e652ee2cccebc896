"""Single-step questions that could be asked of a network."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from kg.questions.authoring._candidate import Candidate, Kind
from kg.questions.authoring._network import ReactionNetwork
from kg.questions.authoring._traversal import makers_of_all, yield_of
from kg.reactions import Reaction

ROLES = ("reactants", "products", "agents", "solvents")
# Yields nearer than this are one value to the scores, so the best would not be unique.
YIELD_TOLERANCE = 1e-6
View = Callable[[Reaction], frozenset[object]]


def single_step_candidates(
    network: ReactionNetwork, kind: Kind, is_target: Callable[[str], bool]
) -> Iterator[Candidate]:
    """Yield the unambiguous, answerable questions of one single-step kind.

    Args:
        network: The reactions.
        kind: What to look for.
        is_target: Whether a molecule may be asked for.
    """
    if kind.task == "multi_product":
        yield from _product_sets(network, kind, is_target)
        return
    for target, makers in network.makers.items():
        if is_target(target) and (tier := _TIERS[kind.task](kind, target, makers)) is not None:
            slots = {"target": target, "role": kind.role} if kind.role else {"target": target}
            yield Candidate(kind, slots, target, tier, discriminating=tier < _FIRST_TRIVIAL[kind.task])


def no_one_suffices(makers: Sequence[Reaction], view: View) -> bool:
    """Return whether no single reaction holds all that the reactions together hold."""
    whole = frozenset().union(*map(view, makers))
    return all(view(each) != whole for each in makers)


def context(reaction: Reaction) -> frozenset[object]:
    """Return every molecule of a reaction together with its role."""
    return frozenset((role, name) for role in ROLES for name in getattr(reaction, role))


def _precursors(_kind: Kind, _target: str, makers: Sequence[Reaction]) -> int | None:
    if not all(each.reactants for each in makers):
        return None
    return 0 if no_one_suffices(makers, lambda each: frozenset(each.reactants)) else 1


def _producing_reactions(_kind: Kind, _target: str, makers: Sequence[Reaction]) -> int | None:
    return 0 if no_one_suffices(makers, context) else 1


def _best_yield(_kind: Kind, target: str, makers: Sequence[Reaction]) -> int | None:
    known = [found for each in makers if (found := yield_of(each, target)) is not None]
    if not known or sum(found > max(known) - YIELD_TOLERANCE for found in known) > 1:
        return None
    if len(known) > 1:
        return 0
    return 1 if len(makers) > 1 else 2


def _co_products(_kind: Kind, target: str, makers: Sequence[Reaction]) -> int | None:
    if not all(len(each.products) > 1 for each in makers):
        return None
    return 0 if no_one_suffices(makers, lambda each: frozenset(each.products) - {target}) else 1


def _conditions(kind: Kind, _target: str, makers: Sequence[Reaction]) -> int | None:
    if not all(getattr(each, kind.role) for each in makers):
        return None
    return 0 if no_one_suffices(makers, lambda each: frozenset(getattr(each, kind.role))) else 1


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


_TIERS: dict[str, Callable[[Kind, str, Sequence[Reaction]], int | None]] = {
    "precursors": _precursors,
    "producing_reactions": _producing_reactions,
    "best_yield": _best_yield,
    "co_products": _co_products,
    "conditions": _conditions,
}
_FIRST_TRIVIAL = {
    "precursors": 1,
    "producing_reactions": 1,
    "best_yield": 2,
    "co_products": 1,
    "conditions": 1,
}
