"""Queries of which it is known whether they are right: what a judge is calibrated on."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeVar

import yaml

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.labels.error_labels import name_of
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.judge.bank_candidates import BankEntry

_ROUTES = "reaction_nodes"
"""The column in which references of routes return them."""


def gold_execution(question: Question) -> Execution:
    """Return the result of a question's reference query, without a graph.

    A gold answer is what the reference returned when the question was made. Rows of the graph differ in their
    order, and in the ids that a database gives its nodes.
    """
    columns = list(question.gold[0]) if question.gold else []
    rows = [[row[name] for name in columns] for row in question.gold]
    if columns == ["route"]:
        columns, rows = [_ROUTES], [[[_reaction(number) for number in row["route"]]] for row in question.gold]
    return Execution("ok", columns=columns, rows=rows, row_count=len(rows))


def _reaction(number: int) -> Mapping[str, Any]:
    return {"$node": {"id": str(number), "labels": ["Reaction"], "properties": {"id": number}}}


OTHER = "other"

ItemKind = Literal["reference", "neutral", "error"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CalibrationItem:
    """A query of which it is known whether it is right."""

    id: str
    question: Question
    cypher: str
    execution: Execution
    kind: ItemKind
    """``reference``; ``neutral``, a reference that was changed and is as right; or ``error``."""
    group: str = ""
    """Of a neutral one, the group of its operator; of an error, its label without detail; else empty."""
    operator: str = ""
    """Who changed the reference; empty for the reference itself."""

    @property
    def right(self) -> bool:
        """Whether it answers its question."""
        return self.kind != "error"


@cache
def neutral_groups() -> Mapping[str, tuple[str, ...]]:
    """Return the groups of neutral operators by name, as ``sample.yaml`` lists them, and `OTHER`."""
    told = yaml.safe_load(resources.files(__package__).joinpath("calibration_sample.yaml").read_text("utf-8"))
    return {**{name: tuple(operators) for name, operators in told["neutral"].items()}, OTHER: ()}


def draw_sample(
    entries: Iterable[BankEntry], questions: Iterable[Question], per_error: int, seed: int = 0
) -> list[CalibrationItem]:
    """Draw planted errors of each label, and as many right queries or a few more.

    Right ones are neutral variants and the references of the same questions, so that what a variant changes
    can be told; where the bank has too few variants, references of the errors' questions make the numbers
    even. Operators and tasks take turns.

    Args:
        entries: A bank, or a part of one; matters of style are passed over.
        per_error: How many errors of each label, at least 1; fewer where the bank has fewer.
    """
    asked = {question.id: question for question in questions}
    errors: dict[str, list[BankEntry]] = defaultdict(list)
    neutral: dict[str, list[BankEntry]] = {name: [] for name in neutral_groups()}
    for entry in entries:
        if entry.question_id not in asked:
            continue
        if entry.kind == "error" and entry.label is not None:
            errors[name_of(entry.label)].append(entry)
        elif entry.kind == "neutral":
            neutral[_group(entry.operator)].append(entry)
    wrong = [
        _item(entry, asked, "error", label)
        for label, found in errors.items()
        for entry in _in_turn(found, per_error, random.Random(f"{seed}:{label}"))
    ]
    # Each variant brings a reference with it, so two right queries.
    each_group = -(-len(wrong) // (2 * len(neutral)))
    varied = [
        _item(entry, asked, "neutral", group)
        for group, found in neutral.items()
        for entry in _in_turn(found, each_group, random.Random(f"{seed}:{group}"))
    ]
    needed = dict.fromkeys(item.question.id for item in varied)
    for item in wrong:
        if len(needed) + len(varied) < len(wrong):
            needed[item.question.id] = None
    return [*(_reference(asked[name]) for name in needed), *varied, *wrong]


def _in_turn(entries: Sequence[BankEntry], count: int, chance: random.Random) -> list[BankEntry]:
    """Return some entries: operators take turns, and the tasks of each operator."""
    by_operator = _grouped(entries, lambda entry: entry.operator, chance)
    queues = [_turns(_grouped(found, lambda entry: entry.task, chance)) for found in by_operator]
    return _turns(queues)[:count]


def _grouped(things: Iterable[T], key: Callable[[T], str], chance: random.Random) -> list[list[T]]:
    groups: dict[str, list[T]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    found = list(groups.values())
    for group in found:
        chance.shuffle(group)
    chance.shuffle(found)
    return found


def _turns(queues: Sequence[Sequence[T]]) -> list[T]:
    longest = max(map(len, queues), default=0)
    return [queue[turn] for turn in range(longest) for queue in queues if turn < len(queue)]


def _group(operator: str) -> str:
    return next((name for name, operators in neutral_groups().items() if operator in operators), OTHER)


def _item(entry: BankEntry, asked: Mapping[str, Question], kind: ItemKind, group: str) -> CalibrationItem:
    name = "-".join(
        [entry.question_id, *([entry.base] if entry.base else []), entry.operator, str(entry.place)]
    )
    question = asked[entry.question_id]
    return CalibrationItem(name, question, entry.cypher, entry.execution, kind, group, entry.operator)


def _reference(question: Question) -> CalibrationItem:
    return CalibrationItem(
        f"{question.id}-reference",
        question,
        question.reference_cypher,
        gold_execution(question),
        "reference",
    )
