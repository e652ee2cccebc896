"""What makes a JSON object a question."""

from typing import Any

from kg.questions._model import MULTI_STEP_TASKS, TASKS, Question, setting_of
from kg.questions._phrasings import wordings_of

ROUTE_STEPS = (2, 3, 4)
_FIELDS: tuple[tuple[str, type], ...] = (
    ("id", str),
    ("task", str),
    ("setting", str),
    ("steps", int),
    ("text", str),
    ("slots", dict),
    ("reference_cypher", str),
    ("gold", list),
    ("target", str),
    ("discriminating", bool),
)
_ROLES = ("reactants", "products", "agents", "solvents")


class MalformedQuestionError(ValueError):
    """A JSON value is not a question; the message says which field is wrong and what it should be."""


def question_of(value: Any) -> Question:
    """Return the question that a parsed JSON line holds; fields that are not a question's are ignored.

    Raises:
        MalformedQuestionError: If a field is missing or has an impossible value.
    """
    if not isinstance(value, dict):
        raise MalformedQuestionError("a question must be a JSON object")
    fields: dict[str, Any] = {}
    for name, kind in _FIELDS:
        if name not in value:
            raise MalformedQuestionError(f"field {name!r} is missing")
        found = value[name]
        # bool is an int to Python, but true is no number of steps
        if type(found) is not kind:
            raise MalformedQuestionError(f"field {name!r} must be of type {kind.__name__}")
        if kind is str and not found:
            raise MalformedQuestionError(f"field {name!r} is empty")
        fields[name] = found
    question = Question(**fields)
    _check_task(question)
    _check_slots(question)
    _check_gold(question)
    return question


def _check_task(question: Question) -> None:
    if question.task not in TASKS:
        raise MalformedQuestionError(f"unknown task {question.task!r}; one of {', '.join(TASKS)}")
    setting = setting_of(question.task)
    if question.setting != setting:
        raise MalformedQuestionError(
            f"setting of {question.task} must be {setting!r}, not {question.setting!r}"
        )
    allowed = ROUTE_STEPS if question.task in MULTI_STEP_TASKS else (1,)
    if question.steps not in allowed:
        raise MalformedQuestionError(
            f"steps of {question.task} must be {' or '.join(map(str, allowed))}, not {question.steps}"
        )


def _check_slots(question: Question) -> None:
    """Every wording of the task must be there to be asked, so each slot is needed, used here or not."""
    for name in wordings_of(question.task).slots:
        if name not in question.slots:
            raise MalformedQuestionError(f"slots of {question.task} must name {name!r}")
        found = question.slots[name]
        match name:
            case "steps":
                fits, wanted = (
                    type(found) is int and found == question.steps,
                    f"{question.steps}, as 'steps' is",
                )
            case "products":
                fits = _is_product_set(found) and question.target in found
                wanted = f"two or more different molecules, {question.target!r} among them"
            case "role":
                fits, wanted = found in ("agents", "solvents"), "'agents' or 'solvents'"
            case "target":
                fits, wanted = found == question.target, f"{question.target!r}, as 'target' is"
            case _:
                fits, wanted = type(found) is str and bool(found), "the name of a molecule"
        if not fits:
            raise MalformedQuestionError(f"slots: {name!r} must be {wanted}, not {found!r}")


def _is_product_set(found: Any) -> bool:
    return (
        isinstance(found, list)
        and all(type(name) is str and name for name in found)
        and len(set(found)) == len(found) >= 2
    )


def _check_gold(question: Question) -> None:
    if not question.gold:
        raise MalformedQuestionError("gold is empty")
    multi_step = question.setting == "multi_step"
    for row in question.gold:
        if not isinstance(row, dict):
            raise MalformedQuestionError("gold must be a list of objects")
        if multi_step:
            _check_route(row, question.steps)
        else:
            _check_reaction(row, question.task)


def _check_route(row: dict[str, Any], steps: int) -> None:
    route = row.get("route")
    if not isinstance(route, list) or len(route) != steps or any(type(item) is not int for item in route):
        raise MalformedQuestionError(f"gold: each row needs a route of {steps} reaction ids")


def _check_reaction(row: dict[str, Any], task: str) -> None:
    if type(row.get("id")) is not int:
        raise MalformedQuestionError("gold: each row needs a reaction id")
    for role in (*_ROLES, "co_products") if task == "co_products" else _ROLES:
        names = row.get(role)
        if not isinstance(names, list) or any(type(name) is not str for name in names):
            raise MalformedQuestionError(f"gold: each row needs {role!r}, a list of molecule names")
    if task == "best_yield" and type(row.get("target_yield")) not in (int, float):
        raise MalformedQuestionError("gold: each row needs 'target_yield', a number")
