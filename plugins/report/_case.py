"""What the page says of one case in its lists."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kg.labels import name_of
from kg.questions import TASKS
from plugins.records import was_run

_TEXT = 180


@dataclass(frozen=True, slots=True)
class Case:
    """One case in a list.

    Attributes:
        id: The case id.
        question_id: The question that was asked.
        text: How it was asked, cut where it is long.
        task: Its task.
        prompt: The prompt.
        shot: The shot.
        loop: The loop.
        model: The model's label.
        status: What came of the query.
        labels: Error labels with their details, the primary one first.
        f1: The score; None where there is none.
        failed: Whether it was scored and did not pass.
        trouble: Why it was not run, in words; None where it was.
        reason: What was said of it, cut where it is long; empty where there is none.
        model_s: Seconds that the calls of models took, now or when their answers were first had.
        query_s: Seconds that the scored query took.
        tokens: Tokens of all calls.
        cost: USD of all calls by list price; None where not known.
    """

    id: str
    question_id: str
    text: str
    task: str
    prompt: str
    shot: str
    loop: str
    model: str
    status: str
    labels: tuple[str, ...]
    f1: float | None
    failed: bool
    trouble: str | None
    reason: str
    model_s: float
    query_s: float
    tokens: int
    cost: float | None

    @property
    def label(self) -> str:
        """The primary label without its detail; empty where there is none."""
        return name_of(self.labels[0]) if self.labels else ""

    @property
    def place(self) -> tuple[Any, ...]:
        """Where it stands in a list: by task, question, and what it was asked with."""
        return (
            task_place(self.task),
            self.question_id,
            self.prompt,
            self.shot,
            self.loop,
            self.model,
            self.id,
        )


def case_of(record: Mapping[str, Any]) -> Case:
    """Return what a list says of a record."""
    rounds = record.get("rounds") or []
    costs = [turn["cost"] for turn in rounds if turn.get("cost") is not None]
    execution = record.get("execution") or {}
    # Of a case whose judge could not be asked, the section on the judge tells.
    error = None if was_run(record) else record["infrastructure_error"]
    return Case(
        id=str(record["case_id"]),
        question_id=str(record["question_id"]),
        text=shortened(str(record["question"]), _TEXT),
        task=str(record["task"]),
        prompt=str(record["prompt"]),
        shot=str(record["shot"]),
        loop=str(record["loop"]),
        model=str(record["model"]),
        status=str(execution.get("status") or "not run"),
        labels=tuple(map(str, record.get("errors") or ())),
        f1=(record.get("scores") or {}).get("f1"),
        failed=error is None and not record.get("passed"),
        trouble=None if error is None else " ".join(str(error.get(key)) for key in ("stage", "kind")),
        reason=shortened(str((error or {}).get("message") or ""), _TEXT),
        model_s=sum(float(turn.get("time_s") or 0) for turn in rounds if turn.get("messages_sha256")),
        query_s=float(execution.get("time_s") or 0),
        tokens=sum(sum((turn.get("tokens") or {}).values()) for turn in rounds),
        cost=sum(costs) if costs else None,
    )


def task_place(task: str) -> int:
    """Return where a task stands among the tasks; one that is not known comes last."""
    return TASKS.index(task) if task in TASKS else len(TASKS)


def shortened(text: str, length: int) -> str:
    """Return a text, cut where it is longer than ``length`` characters."""
    return text if len(text) <= length else f"{text[: length - 1]}…"
