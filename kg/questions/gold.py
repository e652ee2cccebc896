"""Gold answers computed twice: by a walk over the reactions in memory, and by reference queries."""

import string
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.errors import GraphError
from retrocypher.kg.graph.reaction import ROLES, Reaction
from retrocypher.kg.questions.question import Question

if TYPE_CHECKING:
    import neo4j

Row = dict[str, Any]
Slots = Mapping[str, Any]

# Molecule, reaction id, molecule, reaction id, ..., molecule: from precursor to target.
Walk = tuple[str | int, ...]
Route = tuple[int, ...]

_SHOWN_ROWS = 5
_QUERIES_AT_ONCE = 4

_FOLDER = Path(__file__).with_name("cypher")


@dataclass(frozen=True, slots=True)
class ReactionNetwork:
    """For each molecule that is a product, the reactions that make it, by ascending id."""

    makers: Mapping[str, tuple[Reaction, ...]]

    @classmethod
    def of(cls, reactions: Iterable[Reaction]) -> "ReactionNetwork":
        """Index reactions by their products."""
        makers: dict[str, list[Reaction]] = defaultdict(list)
        for reaction in sorted(reactions, key=lambda each: each.id):
            for product in reaction.products:
                makers[product].append(reaction)
        return cls({name: tuple(found) for name, found in makers.items()})

    def reactions(self) -> Iterator[Reaction]:
        """Yield each reaction once; every reaction makes something."""
        for name, makers in self.makers.items():
            yield from (each for each in makers if each.products[0] == name)

    def makers_of(self, molecule: str) -> tuple[Reaction, ...]:
        """Return the reactions that make a molecule; empty where none does."""
        return self.makers.get(molecule, ())

    def walks_to(self, target: str, steps: int) -> Iterator[Walk]:
        """Yield every way of walking ``steps`` reactions forward that ends in ``target``.

        Nothing is left out: a walk may use a molecule or a reaction twice.
        """
        yield from self._extend((target,), steps)

    def _extend(self, tail: Walk, steps: int) -> Iterator[Walk]:
        if steps == 0:
            yield tail
            return
        for reaction in self.makers_of(str(tail[0])):
            for reactant in reaction.reactants:
                yield from self._extend((reactant, reaction.id, *tail), steps - 1)


def route_of(walk: Walk) -> Route:
    """Return the reaction ids of a walk, from precursor to target."""
    return cast(Route, walk[1::2])


def is_simple(walk: Walk) -> bool:
    """Return whether a walk visits no molecule and no reaction twice."""
    return len(set(walk)) == len(walk)


def traverse(network: ReactionNetwork, task: str, slots: Slots) -> list[Row]:
    """Return the gold rows of a question: reactions by ascending id, routes in lexical order of ids."""
    return _ANSWERS[task](network, slots)


def reaction_row(reaction: Reaction) -> Row:
    """Return the full context of a reaction, names in alphabetical order."""
    return {"id": reaction.id, **{role: sorted(getattr(reaction, role)) for role in ROLES}}


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


class GoldDifferenceError(GraphError):
    """The reference Cypher and the traversal answer a question differently; the message shows both."""


def ask(driver: "neo4j.Driver", question: Question, database: str = "neo4j") -> list[Row]:
    """Run a question's reference query and return its rows as gold writes them."""
    from neo4j import RoutingControl

    found = driver.execute_query(question.reference_cypher, database_=database, routing_=RoutingControl.READ)
    if question.setting == "multi_step":
        routes = sorted([node["id"] for node in record["reaction_nodes"]] for record in found.records)
        return [{"route": route} for route in routes]
    rows = [{key: _plain(value) for key, value in record.data().items()} for record in found.records]
    return sorted(rows, key=lambda row: row["id"])


def check_gold(driver: "neo4j.Driver", questions: Sequence[Question], database: str = "neo4j") -> None:
    """Compare gold with what the reference queries return; raise GoldDifferenceError if one differs."""
    with ThreadPoolExecutor(_QUERIES_AT_ONCE) as pool:
        answers = pool.map(lambda question: ask(driver, question, database), questions)
        try:
            for question, rows in zip(questions, answers, strict=True):
                if rows != question.gold:
                    raise GoldDifferenceError(_explain(question, rows))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, list) else value


def _explain(question: Question, rows: Sequence[Row]) -> str:
    return (
        f"gold of {question.id} differs between the reference Cypher and the traversal\n"
        f"question: {question.text}\n"
        f"reference:\n{question.reference_cypher}\n"
        f"only the reference returns: {_only(rows, question.gold)}\n"
        f"only the traversal returns: {_only(question.gold, rows)}"
    )


def _only(rows: Sequence[Row], others: Iterable[Row]) -> str:
    extra = [row for row in rows if row not in others]
    shown = ", ".join(map(str, extra[:_SHOWN_ROWS])) or "nothing"
    more = len(extra) - _SHOWN_ROWS
    return f"{shown} and {more} more" if more > 0 else shown


def reference_query(task: str, slots: Slots) -> str:
    """Return the reference query of a task with every value in place as a literal.

    Besides the slots the shipped template may use ``$hops``, the relationships in a route of ``steps``
    reactions, and ``$product_count``.
    """
    values = dict(slots)
    if "steps" in slots:
        values["hops"] = 2 * slots["steps"]
    if "products" in slots:
        values["product_count"] = len(slots["products"])
    return _template(task).substitute({name: _literal(value) for name, value in values.items()})


@cache
def _template(task: str) -> string.Template:
    return string.Template((_FOLDER / f"{task}.cypher").read_text(encoding="utf-8").strip())


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return str(value)
