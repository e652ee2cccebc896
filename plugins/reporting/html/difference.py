"""Differences of a result from gold on the page of a case: cells, molecules, routes, pictures."""

import json
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from retrocypher.kg.graph.compact import read_graph, read_manifest
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.formatting.text import shortened
from retrocypher.plugins.reporting.html.drawing import Depictions, Step, draw_route
from retrocypher.plugins.runs.record import RecordedExecution, Scores
from retrocypher.plugins.scoring.single_step import Values

ROWS, COLUMNS, PIECES, CHARACTERS = 30, 12, 40, 240
"""Maximum numbers shown: rows, columns, values of a cell, characters of a value."""

_DEEPEST = 6


class Piece(NamedTuple):
    """One value within a cell: its text, and ``right``, ``extra`` or nothing."""

    text: str
    mark: str


class Rows(NamedTuple):
    """The rows of a result that are shown, with a note on those that are not."""

    columns: list[str]
    rows: list[list[list[Piece]]]
    note: str


def returned_rows(
    execution: RecordedExecution | None, scores: Scores | None, values: Mapping[str, Values]
) -> Rows:
    """Return the rows of a result; values of columns that count are marked right or too much."""
    if execution is None:
        return Rows([], [], "")
    by_key = (scores.per_key or {}) if scores is not None else {}
    keys = {column: key for key, found in by_key.items() for column in found.columns}
    steps = _steps(values)
    shown = []
    for row in execution.rows[:ROWS]:
        cells = row if isinstance(row, list) else [row]
        shown.append(
            [
                list(
                    _cell(value, steps if steps is not None else _texts_of(values, keys.get(column), "gold"))
                )
                for column, value in zip(execution.columns[:COLUMNS], cells, strict=False)
            ]
        )
    return Rows(execution.columns[:COLUMNS], shown, _note(execution))


def expected_rows(gold: Sequence[Mapping[str, Any]], values: Mapping[str, Values]) -> Rows:
    """Return the rows that were expected; values that the answer lacks are marked missing."""
    columns = list(gold[0]) if gold else []
    shown = [[_expected(column, row.get(column), values) for column in columns] for row in gold[:ROWS]]
    note = f"{len(gold):,} rows are expected; the first {ROWS} are shown." if len(gold) > ROWS else ""
    return Rows(columns, shown, note)


def text_of(value: Any) -> str:
    """Return a single value as text; numbers that are scored as equal have the same text."""
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".")
    return value if isinstance(value, str) else str(value)


def _expected(column: str, value: Any, values: Mapping[str, Values]) -> list[Piece]:
    if column == "route" and column in values:
        mark = "right" if tuple(value) in values[column].returned else "missing"
        return [Piece(text, mark) for text, _ in _cell(value, None)]
    pieces = _cell(value, _texts_of(values, column, "returned"))
    return [Piece(text, "missing" if mark == "extra" else mark) for text, mark in pieces]


def _steps(values: Mapping[str, Values]) -> set[str] | None:
    """Return the reactions of all expected routes; None if the question does not ask for routes."""
    routes = values.get("route")
    if routes is None:
        return None
    return {text_of(step) for route in routes.gold if isinstance(route, tuple) for step in route}


def _texts_of(values: Mapping[str, Values], key: str | None, side: str) -> set[str] | None:
    return (
        None if key is None or key not in values else {text_of(each) for each in getattr(values[key], side)}
    )


def _note(execution: RecordedExecution) -> str:
    count, columns = execution.row_count or len(execution.rows), len(execution.columns)
    parts = []
    if count > ROWS:
        parts.append(f"{count:,} rows came back; the first {ROWS} are shown.")
    if execution.truncated:
        parts.append("The result was cut at the cap for rows when it was run.")
    if columns > COLUMNS:
        parts.append(f"{columns} columns came back; the first {COLUMNS} are shown.")
    return " ".join(parts)


def _cell(value: Any, wanted: Collection[str] | None) -> Iterator[Piece]:
    for number, text in enumerate(_texts(value, 0)):
        if number == PIECES:
            yield Piece("and more", "")
            return
        mark = "" if wanted is None else "right" if text in wanted else "extra"
        yield Piece(text if len(text) <= CHARACTERS else f"{text[:CHARACTERS]}…", mark)


def _texts(value: Any, depth: int) -> Iterator[str]:
    if value is None:
        return
    if isinstance(value, list) and depth < _DEEPEST:
        for item in value:
            yield from _texts(item, depth + 1)
    elif isinstance(value, dict) and depth < _DEEPEST:
        yield from _of_map(value, depth)
    else:
        yield text_of(value) if isinstance(value, str | int | float) else json.dumps(value)[: 2 * CHARACTERS]


def _of_map(value: Mapping[str, Any], depth: int) -> Iterator[str]:
    node = value.get("$node")
    path = value.get("$path")
    if isinstance(path, dict):
        for item in path.get("nodes") or ():
            yield from _texts({"$node": item}, depth + 1)
    elif isinstance(node, dict) and isinstance(node.get("properties"), dict):
        properties = node["properties"]
        yield from _texts(properties.get("name", properties.get("id")), depth + 1)
    else:
        for item in value.values():
            yield from _texts(item, depth + 1)


_OVER = 3


class Reactions:
    """The reactions of the default graph by id; of another graph only the gold answers are known."""

    def __init__(self, fingerprint: str | None) -> None:
        known = fingerprint is not None and fingerprint == read_manifest().get("fingerprint")
        self._graph: Mapping[int, Reaction] = {each.id: each for each in read_graph()} if known else {}

    @property
    def known(self) -> bool:
        """Whether the graph is the default one, so that every reaction can be drawn."""
        return bool(self._graph)

    def steps(self, route: Iterable[Any], found: Iterable[Hashable], state: str) -> list[Step]:
        """Return a route for a picture; its reactions that were not `found` have the state."""
        there = {*map(str, found)}
        return [self._step(number, "" if str(number) in there else state) for number in route]

    def gold(self, question: Question, values: Mapping[str, Values], most: int) -> list[Step]:
        """Return the reactions that a single-step question wants, those that are not right first."""
        steps = [_of_row(row, values) for row in question.gold]
        return sorted(steps, key=lambda step: not (step.missing or step.state))[:most]

    def _step(self, number: Any, state: str) -> Step:
        reaction = self._graph.get(number) if isinstance(number, int) else None
        if reaction is None:
            return Step(str(number), state=state)
        yields = [each for each in reaction.yields if each is not None]
        over = _over(reaction.agents, reaction.solvents, yields[0] if yields else None)
        return Step(str(number), reaction.reactants, reaction.products, over, state)


def _of_row(row: Mapping[str, Any], values: Mapping[str, Values]) -> Step:
    ids = values.get("id")
    known = ids is None or not ids.returned or row.get("id") in ids.returned
    lacking = frozenset(
        name
        for key in ("reactants", "products", "agents", "solvents")
        for name in _names(row, key)
        if key in values and name not in values[key].returned
    )
    return Step(
        id=str(row.get("id", "")),
        reactants=_names(row, "reactants"),
        products=_names(row, "products"),
        over=_over(_names(row, "agents"), _names(row, "solvents"), row.get("target_yield")),
        state="" if known else "missing",
        missing=lacking,
    )


def _names(row: Mapping[str, Any], key: str) -> list[str]:
    value = row.get(key)
    return [str(name) for name in value] if isinstance(value, list) else []


def _over(agents: Sequence[str], solvents: Sequence[str], yield_percent: Any) -> list[str]:
    names = [*agents, *solvents]
    more = [f"and {len(names) - _OVER} more"] if len(names) > _OVER else []
    return [
        *names[:_OVER],
        *more,
        *([f"{yield_percent:g} %"] if isinstance(yield_percent, int | float) else []),
    ]


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
    """Return the routes of a multi-step case as text: missing, right or extra."""
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
    known = ids.returned - ids.gold if ids is not None and reactions.known else ()
    extra = sorted(value for value in known if isinstance(value, int))
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
