"""What the rows of an answer show, beside the gold answer."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kg.questions import Question
from plugins.scoring import Values, values_by_key

Comparison = Literal["equal", "fewer", "more", "other", "none", "unknown"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the rows show.

    Attributes:
        status: The execution's status.
        empty: Whether a query that ran returned no rows.
        readable: Whether anything in the rows could be read as a part of the answer.
        answers: The reactions (single-step) or routes (multi-step) that were returned, beside those of gold:
            all, ``fewer``, ``more``, some ``other``, ``none``; ``unknown`` where rows do not tell.
        absent: Keys for which gold has values and the result no column.
        lacking: Keys that have a column, without some of gold's values.
        surplus: Keys with values that gold does not have.
        counted: Keys of molecules with numbers for values.
        reversed: Whether routes of gold were returned from the target to the precursor.
        lengths: Numbers of steps of the returned routes.
    """

    status: str
    empty: bool
    readable: bool
    answers: Comparison
    absent: frozenset[str]
    lacking: frozenset[str]
    surplus: frozenset[str]
    counted: frozenset[str] = frozenset()
    reversed: bool = False
    lengths: frozenset[int] = frozenset()


def evidence(
    question: Question,
    execution: Mapping[str, Any],
    scores: Mapping[str, Any],
    values: Mapping[str, Values] | None = None,
) -> Evidence:
    """Read a result against gold.

    Args:
        question: The question with its gold answer.
        execution: The record's ``execution``.
        scores: The record's ``scores``.
        values: What `values_by_key` reads, without an encoder; None to read it.
    """
    found = values_by_key(question, execution) if values is None else values
    empty = execution["status"] == "ok" and not execution["rows"]
    return (
        _of_routes(question, execution["status"], empty, found["route"])
        if question.setting == "multi_step"
        else _of_reactions(execution["status"], empty, found, scores)
    )


def _of_routes(question: Question, status: str, empty: bool, routes: Values) -> Evidence:
    lengths = frozenset(len(route) for route in routes.returned if isinstance(route, tuple))
    turned = frozenset(route[::-1] for route in routes.returned if isinstance(route, tuple))
    return Evidence(
        status=status,
        empty=empty,
        readable=bool(routes.returned),
        answers=_compare(routes),
        absent=frozenset(),
        lacking=frozenset({"route"} if routes.gold - routes.returned else ()),
        surplus=frozenset({"route"} if routes.returned - routes.gold else ()),
        reversed=bool(turned & routes.gold) and not routes.returned & routes.gold,
        lengths=lengths,
    )


def _of_reactions(
    status: str, empty: bool, found: Mapping[str, Values], scores: Mapping[str, Any]
) -> Evidence:
    keys: Mapping[str, Mapping[str, Any]] = scores.get("per_key") or {}
    missing = {key for key, counts in keys.items() if counts["fn"]}
    absent = frozenset(key for key in missing if not keys[key]["columns"])
    ids = found["id"]
    return Evidence(
        status=status,
        empty=empty,
        readable=any(values.returned for values in found.values()),
        answers=_compare(ids) if ids.returned or empty else "unknown",
        absent=absent if status == "ok" else frozenset(),
        lacking=frozenset(missing - absent),
        surplus=frozenset(key for key, counts in keys.items() if counts["fp"]),
        counted=frozenset(key for key in keys if key != "target_yield" and _are_numbers(found[key].returned)),
    )


def _are_numbers(values: frozenset[Hashable]) -> bool:
    return bool(values) and all(isinstance(value, int | float) for value in values)


def _compare(values: Values) -> Comparison:
    gold: frozenset[Hashable] = values.gold
    if not values.returned:
        return "none"
    if values.returned == gold:
        return "equal"
    if values.returned < gold:
        return "fewer"
    return "more" if values.returned > gold else "other"
