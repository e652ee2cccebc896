"""What an answer lacks and what it has too much, value by value."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from kg.questions import Question
from plugins.report._case import shortened
from plugins.report.cases._cells import text_of
from plugins.report.cases._reactions import Reactions
from plugins.report.drawing import Depictions, draw_route
from plugins.scoring import Values

_CHIPS = 12
_CHARACTERS = 400
_ROUTES = 3
_LINES = 20
_MOLECULES = ("reactants", "products", "agents", "solvents", "co_products")


def keys_of(values: Mapping[str, Values], depictions: Depictions) -> list[dict[str, Any]]:
    """Return, for each key that differs, what is missing and what is too much; molecules with drawings."""
    parts = []
    for key, found in values.items():
        gold, returned = ({text_of(each) for each in side} for side in found)
        if key != "route" and gold != returned:
            parts.append(
                {
                    "key": key,
                    "right": len(gold & returned),
                    "gold": len(gold),
                    "missing": _chips(gold - returned, key, depictions),
                    "extra": _chips(returned - gold, key, depictions),
                }
            )
    return parts


def _chips(values: Iterable[str], key: str, depictions: Depictions) -> dict[str, Any]:
    names = sorted(values)
    drawn = [(name, depictions.number(name) if key in _MOLECULES else None) for name in names[:_CHIPS]]
    return {
        "shown": [(shortened(name, _CHARACTERS), number) for name, number in drawn],
        "more": max(0, len(names) - _CHIPS),
    }


def routes_of(values: Values) -> dict[str, Any]:
    """Return the routes of a multi-step case as text, each with what became of it."""
    both, gold, returned = (
        values.gold & values.returned,
        values.gold - values.returned,
        values.returned - values.gold,
    )
    lines = [
        {"route": " → ".join(map(str, _route(route))), "mark": mark}
        for mark, part in (("missing", gold), ("right", both), ("extra", returned))
        for route in _in_order(part)[:_LINES]
    ]
    return {
        "lines": lines,
        "more": sum(max(0, len(part) - _LINES) for part in (gold, both, returned)),
        "missing": len(gold),
        "right": len(both),
        "extra": len(returned),
    }


def pictures(
    question: Question, values: Mapping[str, Values], reactions: Reactions, depictions: Depictions
) -> list[dict[str, Any]]:
    """Return pictures of what was expected and of what was returned, some of each.

    Each part has ``title``, ``pictures``, and ``more``, how many are not drawn.
    """
    if "route" in values:
        return _of_routes(values["route"], reactions, depictions)
    steps = reactions.gold(question, values, _ROUTES)
    parts = [
        _part(
            "Expected reactions",
            [draw_route([step], depictions, f"expected reaction {step.id}") for step in steps],
            len(question.gold),
        )
    ]
    ids = values.get("id")
    extra = _numbers(ids.returned - ids.gold) if ids is not None and reactions.known else []
    if extra:
        drawn = [
            draw_route(reactions.steps([number], (), "extra"), depictions, f"reaction {number}, too much")
            for number in extra[:_ROUTES]
        ]
        parts.append(_part("Returned reactions that were not expected", drawn, len(extra)))
    return parts


def _of_routes(routes: Values, reactions: Reactions, depictions: Depictions) -> list[dict[str, Any]]:
    parts = []
    missing = _in_order(routes.gold - routes.returned) or _in_order(routes.gold)
    for title, part, other, state in (
        ("Expected routes", missing, routes.returned, "missing"),
        (
            "Returned routes that were not expected",
            _in_order(routes.returned - routes.gold),
            routes.gold,
            "extra",
        ),
    ):
        there = {step for route in other for step in _route(route)}
        drawn = [
            draw_route(reactions.steps(_route(route)[:8], there, state), depictions, f"route {route}")
            for route in part[:_ROUTES]
            if _route(route)
        ]
        if drawn:
            parts.append(_part(title, drawn, len(part)))
    return parts


def _part(title: str, drawn: Sequence[Markup], of: int) -> dict[str, Any]:
    return {"title": title, "pictures": drawn, "more": of - len(drawn)}


def _route(value: Hashable) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _in_order(routes: Iterable[Hashable]) -> list[Hashable]:
    return sorted(
        routes, key=lambda route: (len(_route(route)), [str(step).zfill(20) for step in _route(route)])
    )


def _numbers(values: Iterable[Hashable]) -> list[int]:
    return sorted(value for value in values if isinstance(value, int))
