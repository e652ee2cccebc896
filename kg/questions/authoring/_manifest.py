"""What a question set says of itself."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import median
from typing import Any

from kg.questions._model import Question
from kg.questions.authoring._candidate import Kind
from kg.questions.authoring._choose import Plan


def describe(questions: Sequence[Question], plan: Plan) -> dict[str, Any]:
    """Return counts, trivial shares, shared targets and sizes of gold, for the manifest.

    Args:
        questions: The set.
        plan: What was asked for; where product sets were too few, the counts differ from it.
    """
    found = Counter(_kind(each) for each in questions)
    by_task: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        by_task[question.task].append(question)
    return {
        "questions": len(questions),
        "counts": {str(kind): found[kind] for kind in plan},
        # Product sets that the graph lacks are made up for by smaller ones.
        "not_as_planned": {
            str(kind): {"planned": count, "made": found[kind]}
            for kind, count in plan.items()
            if found[kind] != count
        },
        "trivial": {task: _trivial(own) for task, own in by_task.items()},
        "targets": _targets(questions),
        "gold_rows": {task: _sizes(own) for task, own in by_task.items()},
    }


def _kind(question: Question) -> Kind:
    slots = question.slots
    return Kind(question.task, question.steps, len(slots.get("products", ())), slots.get("role", ""))


def _trivial(questions: Sequence[Question]) -> dict[str, float]:
    trivial = sum(not each.discriminating for each in questions)
    return {"questions": trivial, "share": round(trivial / len(questions), 4)}


def _targets(questions: Sequence[Question]) -> dict[str, Any]:
    asked = Counter(each.target for each in questions)
    tasks: dict[str, set[str]] = defaultdict(set)
    for question in questions:
        tasks[question.target].add(question.task)
    return {
        "distinct": len(asked),
        "questions_sharing_a_target": sum(count for count in asked.values() if count > 1),
        "targets_by_questions": _histogram(asked.values()),
        "targets_by_tasks": _histogram(map(len, tasks.values())),
    }


def _histogram(values: Any) -> dict[str, int]:
    return {str(value): count for value, count in sorted(Counter(values).items())}


def _sizes(questions: Sequence[Question]) -> dict[str, float]:
    rows = [len(each.gold) for each in questions]
    return {"least": min(rows), "median": median(rows), "most": max(rows)}
