"""What an answer tells: the gold rows of a question, in a form that can be told and falsified."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from kg.questions import Question
from kg.reactions import Reaction

Role = Literal["reactants", "products", "agents", "solvents"]
ROLES: tuple[Role, ...] = ("reactants", "products", "agents", "solvents")


@dataclass(frozen=True, slots=True)
class Row:
    """A reaction as an answer tells it; of a step of a route also what the next step takes up."""

    id: int
    reactants: tuple[str, ...]
    products: tuple[str, ...]
    agents: tuple[str, ...]
    solvents: tuple[str, ...]
    co_products: tuple[str, ...] = ()
    target_yield: float | None = None
    passed_on: tuple[str, ...] = ()

    def with_role(self, role: Role, names: tuple[str, ...]) -> "Row":
        """Return the row with other molecules in a role.

        A co-product that went is replaced, too, and what is passed on.
        """
        changed: dict[str, tuple[str, ...]] = {role: names}
        if role == "products":
            gone = dict(zip(self.products, names, strict=True))
            changed["co_products"] = tuple(gone.get(name, name) for name in self.co_products)
            changed["passed_on"] = tuple(gone.get(name, name) for name in self.passed_on)
        return replace(self, **changed)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Story:
    """What an answer tells of one question.

    Attributes:
        task: The task of the question.
        target: The molecule that is made.
        products: All molecules that one reaction makes, the target among them.
        steps: Number of steps of a route.
        start: Where routes start, where the question says so.
        role: For ``conditions``, the role asked for.
        rows: Reactions, for single-step questions.
        routes: Chains of reactions, first step first, for multi-step ones.
    """

    task: str
    target: str
    products: tuple[str, ...]
    steps: int
    start: str | None
    role: str | None
    rows: tuple[Row, ...] = ()
    routes: tuple[tuple[Row, ...], ...] = ()

    @property
    def best(self) -> bool:
        """Whether the best yield is told."""
        return self.task == "best_yield"


def story_of(question: Question, reactions: Mapping[int, Reaction]) -> Story:
    """Return what the gold answer of a question tells.

    Gold rows of routes hold ids alone; the molecules of their steps come from the graph.

    Args:
        question: The question.
        reactions: The reactions of the graph by id.
    """
    slots = question.slots
    routes = tuple(
        tuple(_steps([reactions[number] for number in gold["route"]]))
        for gold in question.gold
        if "route" in gold
    )
    rows = tuple(_gold_row(gold) for gold in question.gold if "id" in gold)
    products = tuple(slots.get("products", (question.target,)))
    target = slots.get("target", question.target)
    return Story(
        question.task, target, products, question.steps, slots.get("start"), slots.get("role"), rows, routes
    )


def _gold_row(gold: dict[str, Any]) -> Row:
    roles = {role: tuple(gold[role]) for role in ROLES}
    return Row(
        gold["id"],
        **roles,
        co_products=tuple(gold.get("co_products", ())),
        target_yield=gold.get("target_yield"),
    )


def _steps(chain: Sequence[Reaction]) -> Iterator[Row]:
    for place, each in enumerate(chain):
        taken = chain[place + 1].reactants if place + 1 < len(chain) else each.products
        passed_on = tuple(name for name in each.products if name in taken)
        yield Row(each.id, each.reactants, each.products, each.agents, each.solvents, passed_on=passed_on)
