"""Plans of question sets: how many questions of each kind, from a file or by task."""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import yaml

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.reaction import MAX_PER_ROLE
from retrocypher.kg.questions.candidates import Kind
from retrocypher.kg.questions.question import MULTI_STEP_TASKS, TASKS, proportional_shares
from retrocypher.kg.questions.reading import ROUTE_STEPS

Plan = dict[Kind, int]

SHIPPED_PLAN = Path(__file__).with_name("plan.yaml")
"""The plan of the committed 2,400 questions."""

_COUNT = re.compile("[1-9][0-9]{0,8}")

_CHOICES: dict[str, tuple[str, Collection[int | str]]] = {
    **dict.fromkeys(MULTI_STEP_TASKS, ("steps", ROUTE_STEPS)),
    "multi_product": ("products", range(2, MAX_PER_ROLE + 1)),
    "conditions": ("role", ("agents", "solvents")),
}
"""What an entry of a task must choose beside its count, and the values there are."""


def read_plan(file: Path = SHIPPED_PLAN) -> Plan:
    """Read a plan, a YAML list of kinds and counts; raise InputError if it is malformed."""
    try:
        entries = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{file}: the plan cannot be read as YAML ({error})") from error
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{file}: a plan is a list of entries such as `- {{task: precursors, count: 5}}`")
    plan: Plan = {}
    for number, entry in enumerate(entries, start=1):
        try:
            kind, count = _kind_and_count(entry)
        except ValueError as error:
            raise InputError(f"{file}, entry {number}: {error}") from None
        if kind in plan:
            raise InputError(f"{file}, entry {number}: '{kind}' is there already; keep one entry of it")
        plan[kind] = count
    return plan


def _kind_and_count(entry: Any) -> tuple[Kind, int]:
    if not isinstance(entry, dict):
        raise ValueError("not a mapping such as {task: precursors, count: 5}")
    task, count = entry.get("task"), entry.get("count")
    if task not in TASKS:
        raise ValueError(f"there is no task {task!r}; choose from {', '.join(TASKS)}")
    if type(count) is not int or count < 1:
        raise ValueError(f"count must be a whole number of at least 1, not {count!r}")
    name, values = _CHOICES.get(task, ("", ()))
    if unknown := entry.keys() - {"task", "count", name}:
        raise ValueError(f"{task} takes no {unknown.pop()!r}; remove it")
    if not name:
        return Kind(task), count
    if not any(entry.get(name) == each and type(entry[name]) is type(each) for each in values):
        choices = ", ".join(map(str, values))
        raise ValueError(f"{name} of {task} must be one of {choices}, not {entry.get(name)!r}")
    return Kind(task, **{name: entry[name]}), count


def with_counts(plan: Plan, spec: str) -> Plan:
    """Return a plan of only the tasks that a text such as ``precursors=20,best_yield=5`` names.

    The kinds of a task keep their proportions, rounded by largest remainders. Raise InputError if the text
    is malformed, or names a task that the plan has not.
    """
    found: Plan = {}
    for part in spec.split(","):
        task, _, number = map(str.strip, part.partition("="))
        if task not in TASKS or not _COUNT.fullmatch(number):
            raise InputError(
                f"--counts: {part.strip()!r} is not TASK=N. Write precursors=20,best_yield=5 for example; "
                f"tasks are {', '.join(TASKS)}, and N is at least 1."
            )
        kinds = {kind: count for kind, count in plan.items() if kind.task == task}
        if not kinds:
            raise InputError(f"--counts: the plan has no entry of {task}; add one, or leave the task out.")
        if found.keys() & kinds.keys():
            raise InputError(f"--counts names {task} more than once; keep one of them.")
        order = list(kinds)
        shares = proportional_shares(kinds, int(number), order.index)
        found |= {kind: share for kind, share in shares.items() if share}
    return {kind: found[kind] for kind in plan if kind in found}
