"""True written answers: the gold rows of a question, written in several wordings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.questions.question import Question

Role = Literal["reactants", "products", "agents", "solvents"]
ROLES: tuple[Role, ...] = ("reactants", "products", "agents", "solvents")

WORDINGS = ("sentences", "list", "table", "brief", "letter", "json", "notes")
"""The templates in ``wordings``; the last three were added when the claims reader could read the others."""


@dataclass(frozen=True, slots=True)
class ReactionFacts:
    """What an answer states of a reaction; ``passed_on`` are products that the next step of a route uses."""

    id: int
    reactants: tuple[str, ...]
    products: tuple[str, ...]
    agents: tuple[str, ...]
    solvents: tuple[str, ...]
    co_products: tuple[str, ...] = ()
    target_yield: float | None = None
    passed_on: tuple[str, ...] = ()

    def with_role(self, role: Role, names: tuple[str, ...]) -> "ReactionFacts":
        """Return a copy with other molecules in a role; new products also replace co-products."""
        changed: dict[str, Any] = {role: names}
        if role == "products":
            new = dict(zip(self.products, names, strict=True))
            changed["co_products"] = tuple(new.get(name, name) for name in self.co_products)
            changed["passed_on"] = tuple(new.get(name, name) for name in self.passed_on)
        return replace(self, **changed)


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    """What an answer to a question states.

    Attributes:
        task: The task of the question.
        target: The molecule that is made.
        products: All molecules that one reaction makes, including the target.
        steps: Number of steps of a route.
        start: The molecule from which routes start, where the question names one.
        role: For ``conditions``, the role asked for.
        rows: Reactions, for single-step questions.
        routes: Chains of reactions, first step first, for multi-step questions.
    """

    task: str
    target: str
    products: tuple[str, ...]
    steps: int
    start: str | None
    role: str | None
    rows: tuple[ReactionFacts, ...] = ()
    routes: tuple[tuple[ReactionFacts, ...], ...] = ()

    @property
    def best(self) -> bool:
        """Whether the answer states the best yield."""
        return self.task == "best_yield"


def facts_of(question: Question, reactions: Mapping[int, Reaction]) -> AnswerFacts:
    """Return what the gold answer of a question states.

    Gold rows of routes contain only ids; the molecules of their steps come from the graph.

    Args:
        question: The question.
        reactions: The reactions of the graph by id.
    """
    slots = question.slots
    return AnswerFacts(
        task=question.task,
        target=slots.get("target", question.target),
        products=tuple(slots.get("products", (question.target,))),
        steps=question.steps,
        start=slots.get("start"),
        role=slots.get("role"),
        rows=tuple(_gold_row(gold) for gold in question.gold if "id" in gold),
        routes=tuple(
            tuple(_steps([reactions[number] for number in gold["route"]]))
            for gold in question.gold
            if "route" in gold
        ),
    )


def write_answer(facts: AnswerFacts, wording: str) -> str:
    """Return an answer that states the facts in one of `WORDINGS`."""
    return _templates().get_template(f"{wording}.txt").render(facts=facts).strip()


def true_answers(questions: Sequence[Question], reactions: Sequence[Reaction]) -> list[tuple[Question, str]]:
    """Return questions with true answers, in one wording after another.

    Args:
        questions: The questions, whose gold rows are written as answers.
        reactions: The reactions of the graph.
    """
    by_id = {each.id: each for each in reactions}
    return [
        (question, write_answer(facts_of(question, by_id), WORDINGS[number % len(WORDINGS)]))
        for number, question in enumerate(questions)
    ]


@cache
def _templates() -> Environment:
    loader = FileSystemLoader(Path(__file__).parent / "wordings")
    # Plain text, never shown as markup.
    return Environment(loader=loader, undefined=StrictUndefined, autoescape=False)


def _gold_row(gold: Mapping[str, Any]) -> ReactionFacts:
    roles = {role: tuple(gold[role]) for role in ROLES}
    return ReactionFacts(
        gold["id"],
        **roles,
        co_products=tuple(gold.get("co_products", ())),
        target_yield=gold.get("target_yield"),
    )


def _steps(chain: Sequence[Reaction]) -> Iterator[ReactionFacts]:
    for place, each in enumerate(chain):
        used = chain[place + 1].reactants if place + 1 < len(chain) else each.products
        passed_on = tuple(name for name in each.products if name in used)
        yield ReactionFacts(
            each.id, each.reactants, each.products, each.agents, each.solvents, passed_on=passed_on
        )
