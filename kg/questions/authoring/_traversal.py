"""Gold answers by a walk over the reactions in memory; knows nothing of Cypher or of Neo4j."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kg.questions.authoring._network import ReactionNetwork, route_of
from kg.reactions import Reaction

Row = dict[str, Any]
Slots = Mapping[str, Any]


def traverse(network: ReactionNetwork, task: str, slots: Slots) -> list[Row]:
    """Return the gold rows of a question: reactions by ascending id, routes in lexical order of ids.

    Args:
        network: The reactions.
        task: Name of the task.
        slots: What the question's template is filled with.

    Raises:
        KeyError: If the task is unknown or a slot is missing.
    """
    return _ANSWERS[task](network, slots)


def reaction_row(reaction: Reaction) -> Row:
    """Return the full context of a reaction, names in alphabetical order."""
    return {
        "id": reaction.id,
        "reactants": sorted(reaction.reactants),
        "products": sorted(reaction.products),
        "agents": sorted(reaction.agents),
        "solvents": sorted(reaction.solvents),
    }


def yield_of(reaction: Reaction, product: str) -> float | None:
    """Return the yield of one product in percent; None where unknown."""
    return reaction.yields[reaction.products.index(product)]


def makers_of_all(network: ReactionNetwork, products: Sequence[str]) -> tuple[Reaction, ...]:
    """Return the reactions that make every one of some products, by ascending id."""
    first, *others = products
    return tuple(each for each in network.makers_of(first) if set(others) <= set(each.products))


def _every_maker(network: ReactionNetwork, slots: Slots) -> list[Row]:
    return [reaction_row(each) for each in network.makers_of(slots["target"])]


def _best_yield(network: ReactionNetwork, slots: Slots) -> list[Row]:
    target = slots["target"]
    known = [
        (found, each) for each in network.makers_of(target) if (found := yield_of(each, target)) is not None
    ]
    if not known:
        return []
    best, reaction = max(known, key=lambda pair: pair[0])
    return [{**reaction_row(reaction), "target_yield": best}]


def _multi_product(network: ReactionNetwork, slots: Slots) -> list[Row]:
    return [reaction_row(each) for each in makers_of_all(network, slots["products"])]


def _co_products(network: ReactionNetwork, slots: Slots) -> list[Row]:
    target = slots["target"]
    return [
        {**reaction_row(each), "co_products": sorted(set(each.products) - {target})}
        for each in network.makers_of(target)
    ]


def _routes(network: ReactionNetwork, slots: Slots) -> list[Row]:
    start = slots.get("start")
    routes = {
        route_of(walk)
        for walk in network.walks_to(slots["target"], slots["steps"])
        if start is None or walk[0] == start
    }
    return [{"route": list(route)} for route in sorted(routes)]


_ANSWERS: Mapping[str, Callable[[ReactionNetwork, Slots], list[Row]]] = {
    "precursors": _every_maker,
    "producing_reactions": _every_maker,
    "best_yield": _best_yield,
    "multi_product": _multi_product,
    "co_products": _co_products,
    "conditions": _every_maker,
    "chains_to_target": _routes,
    "chains_between": _routes,
    "intermediates": _routes,
    "multi_step_precursors": _routes,
}
