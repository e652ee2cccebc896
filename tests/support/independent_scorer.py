"""A second scorer, written from docs/scores.md alone, to check that of the product."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from retrocypher.kg.questions.question import Question
from tests.support.independent_names import (
    MOLECULES,
    NUMBERS,
    ROLES,
    behind,
    is_role,
    kind,
    match,
    numbered,
    words_of,
)

Rows = Sequence[Sequence[Any]]
Cell = tuple[str, Any]
Reaction = dict[str, set[Any]]

MORE_KEYS = {"best_yield": "target_yield", "co_products": "co_products"}
FOCUS = {"precursors": "reactants", **MORE_KEYS}
STAGES = ("exact", "stem", "alias", "misspelling")

ROUTES = {"route", "route_id", "path_id"}


def whole(value: Any) -> int | None:
    """Return the whole number that a value is, also as a float or as text."""
    if isinstance(value, str) and re.fullmatch(r"\s*\d+(\.0)?\s*", value):
        return int(value.split(".")[0])
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and value == int(value) else None


def properties_of(value: Any, label: str = "") -> dict[str, Any] | None:
    """Return the properties of a node, if it has a label."""
    found = value.get("$node") if isinstance(value, dict) else None
    return found["properties"] if found and (not label or label in found["labels"]) else None


def is_map(value: Any) -> bool:
    return isinstance(value, dict) and not any(key.startswith("$") for key in value)


def ratios(hits: int, returned: int, expected: int) -> tuple[float, float, float]:
    """Return precision, recall and F1; 0 where a side is empty."""
    if not returned or not expected:
        return 0.0, 0.0, 0.0
    return hits / returned, hits / expected, 2 * hits / (returned + expected)


# --- single-step ---


class Leaf(NamedTuple):
    """A value in a row, with the label to report and the name to match; None is no value."""

    label: str
    name: str
    value: Any


class Reader:
    """Reads the rows of a result into leaves.

    A row is the leaves of a map with the id of a reaction, or none, and the leaves beside it.

    Attributes:
        named: Keys that columns are named like, entries of maps included; they have precedence over roles.
        told: Labels of columns of maps, and of those that were read as role or molecule in some row.
        valued: Labels of columns with a value that is not null.
    """

    def __init__(self, columns: Sequence[str], rows: Rows, task: str) -> None:
        self.task, self.told = task, set[str]()
        self.named: set[str | None] | None = None
        cells = [list(zip(columns, row, strict=True)) for row in rows]
        first = [leaf for own, beside in self.read(cells) for leaf in own + beside]
        self.valued = {leaf.label for leaf in first if leaf.value is not None}
        self.named = {self.key(leaf.name) for leaf in first if self.is_column(leaf)}
        self.rows = list(self.read(cells))

    def key(self, name: str) -> str | None:
        found = match(name, self.task)
        return found[0] if found else None

    def is_column(self, leaf: Leaf) -> bool:
        """Return whether a leaf says what its column is: a null does only where nothing else is in it."""
        return leaf.value is not None or leaf.label not in self.told | self.valued

    def read(self, rows: Iterable[list[Cell]]) -> Iterator[tuple[list[Leaf], list[Leaf]]]:
        for row in rows:
            maps: list[list[Leaf]] = []
            beside = [leaf for name, value in row for leaf in self.leaves(name, name, value, maps)]
            beside = self.with_roles(beside, dict(row))
            yield from [(own, beside) for own in maps or [[]]]

    def leaves(self, label: str, name: str, value: Any, maps: list[list[Leaf]]) -> Iterator[Leaf]:
        if isinstance(value, list):
            for each in value or [None]:
                yield from self.leaves(label, name, each, maps)
        elif (properties := properties_of(value)) is not None:
            is_reaction = properties_of(value, "Reaction") is not None
            found = properties.get("id") if is_reaction else properties.get("name", properties.get("id"))
            yield Leaf(label, "id" if is_reaction else name, found)
        elif isinstance(value, dict) and "$relationship" in value:
            self.told.add(label)
            yield from self.leaves(label, name, value["$relationship"]["properties"], maps)
        elif is_map(value):
            self.told.add(label)
            inner: list[Leaf] = []
            for entry, each in value.items():
                stands = entry in ("name", "names", "smiles") and self.key(name)
                inner += self.leaves(f"{label}.{entry}", name if stands else entry, each, maps)
            inner = self.with_roles(inner, {f"{label}.{entry}": each for entry, each in value.items()})
            if any(self.key(leaf.name) == "id" and whole(leaf.value) is not None for leaf in inner):
                maps.append(inner)
            else:
                yield from inner
        else:
            yield Leaf(label, name, None if isinstance(value, dict) and "$path" in value else value)

    def with_roles(self, leaves: list[Leaf], cells: dict[str, Any]) -> list[Leaf]:
        """Return the leaves of a row, those of molecules under the role that another one tells."""
        unmatched = [leaf for leaf in leaves if not self.key(leaf.name)]
        telling = [leaf for leaf in unmatched if is_role(cells.get(leaf.label))]
        molecules = [
            leaf for leaf in unmatched if {*words_of(leaf.name)[-1:]} & MOLECULES and behind(leaf.name)
        ]
        if self.named is None or len(telling) != 1 or not molecules:
            return leaves
        role = telling[0].value
        name = "" if self.key(role) in self.named else role
        self.told |= {leaf.label for leaf in (*telling, *molecules)}
        read = [leaf._replace(label=f"{leaf.label}[{role}]", name=name) for leaf in molecules]
        return [leaf for leaf in leaves if leaf not in telling and leaf not in molecules] + read


def comparable(value: Any, key: str) -> Any:
    """Return what a value of a key is compared by: a number of a yield, an id, or anything as it is."""
    if key == "target_yield" and isinstance(value, int | float | str) and not isinstance(value, bool):
        with suppress(ValueError):
            return float(value)
    if key == "id" and (found := whole(value)) is not None:
        return found
    return value if isinstance(value, str) else "\0" + json.dumps(value, sort_keys=True).removesuffix(".0")


def values_of(leaves: Iterable[Leaf], key: str, task: str) -> set[Any]:
    named = ((leaf.value, match(leaf.name, task)) for leaf in leaves if leaf.value is not None)
    values = {comparable(value, key) for value, found in named if found and found[0] == key}
    near, last = set(), -math.inf
    for value in sorted(value for value in values if isinstance(value, float)):
        near |= {value} if value - last <= 1e-6 else set()
        last = last if value in near else value
    return values - near


def common(left: set[Any], right: set[Any]) -> int:
    """Return how many values are in both; numbers are equal within 1e-6, one to one in ascending order."""
    a, b = (sorted(value for value in side if isinstance(value, float)) for side in (left, right))
    count = len({each for each in left if not isinstance(each, float)} & right)
    while a and b:
        close = abs(a[0] - b[0]) <= 1e-6
        count += close
        a, b = a[close or a[0] < b[0] :], b[close or b[0] < a[0] :]
    return count


def least_certain(columns: dict[str, str]) -> str | None:
    """Return the least certain stage by which a column matched."""
    return max(columns.values(), key=STAGES.index, default=None)


def row_f1(reader: Reader, gold: dict[int, Reaction], keys: list[str]) -> float:
    merged: dict[Any, Reaction] = {}
    for own, beside in reader.rows:
        values = {key: values_of(own + beside, key, reader.task) for key in keys}
        mark: Any = str([sorted(map(str, each)) for each in values.values()])
        if ids := values_of(own, "id", reader.task) or values_of(beside, "id", reader.task):
            mark = ("one", *ids) if len(ids) == 1 else ("several", frozenset(ids))
        known = merged.setdefault(mark, {key: set() for key in keys})
        for key in keys:
            known[key] |= values[key]
    right = 0
    found: set[int] = set()
    for mark, values in merged.items():
        equal = {
            identifier
            for identifier, expected in gold.items()
            if isinstance(mark, str) or mark == ("one", identifier)
            if all(
                common(values[key], expected[key]) == len(values[key]) == len(expected[key]) for key in keys
            )
        }
        right, found = right + bool(equal), found | equal
    precision, recall = right / len(merged), len(found) / len(gold)
    return 2 * precision * recall / (precision + recall) if found else 0.0


def single_step(question: Question, columns: Sequence[str], rows: Rows) -> dict[str, Any]:
    task = question.task
    keys = [*ROLES, *([MORE_KEYS[task]] if task in MORE_KEYS else [])]
    gold: dict[int, Reaction] = {row["id"]: {} for row in question.gold}
    for row in question.gold:
        for key in keys:
            values = row[key] if isinstance(row[key], list) else [row[key]]
            gold[row["id"]][key] = {comparable(value, key) for value in values}
    reader = Reader(columns, rows, task)
    leaves = [leaf for own, beside in reader.rows for leaf in own + beside if reader.is_column(leaf)]
    leaves = leaves if rows else [Leaf(column, column, None) for column in columns]
    matched = {leaf.label: found for leaf in leaves if (found := match(leaf.name, task))}
    per_key: dict[str, dict[str, Any]] = {}
    counts = [0, 0, 0]
    for key in keys:
        returned, expected = values_of(leaves, key, task), set().union(*(each[key] for each in gold.values()))
        count = common(returned, expected), len(returned), len(expected)
        counts = [a + b for a, b in zip(counts, count, strict=True)]
        used = {label: stage for label, (of, stage) in matched.items() if of == key}
        scores = ratios(*count) if returned or expected else (None, None, None)
        per_key[key] = {
            **dict(zip(("precision", "recall", "f1"), scores, strict=True)),
            **{"tp": count[0], "fp": count[1] - count[0], "fn": count[2] - count[0]},
            **{"stage": least_certain(used), "columns": used},
        }
    precision, recall, f1 = ratios(counts[0], counts[1], counts[2])
    asked = FOCUS.get(task) or question.slots.get("role", "id")
    ids = values_of(leaves, "id", task)
    focus = per_key[asked]["f1"] if asked in per_key else ratios(len(ids & {*gold}), len(ids), len(gold))[2]
    by_row = row_f1(reader, gold, keys) if rows else 0.0
    return {
        **{"precision": precision, "recall": recall, "f1": f1, "per_key": per_key, "row_f1": by_row},
        "focus_f1": None if asked == "id" and rows and not ids else focus,
        "unmatched_columns": sorted({leaf.label for leaf in leaves} - {*matched} - reader.told),
        "passed": f1 >= 1 and (not ids or by_row >= 1) and (asked != "id" or focus >= 1),
    }


# --- multi-step ---


def number_in(cell: Cell) -> int:
    return (numbered(cell[0]) or ("", 0))[1]


def map_id(value: Any, depth: int = 5) -> int | None:
    """Return the id of the reaction that a node or map is."""
    if (properties := properties_of(value, "Reaction")) is not None:
        return whole(properties.get("id"))
    if not is_map(value) or not depth:
        return None
    cells = list(value.items())
    if any(
        isinstance(each, list) and kind(name) != "quantity" and routes_in(name, each) for name, each in cells
    ):
        return None
    by_id = [each for name, each in cells if (found := match(name, "")) and found[0] == "id"]
    by_name = [each for name, each in cells if kind(name) == "reaction"]
    for group in (by_id, by_name, [each for _, each in cells if isinstance(each, dict)]):
        ids = {map_id(each, depth - 1) if isinstance(each, dict) else whole(each) for each in group} - {None}
        if ids:
            return ids.pop() if len(ids) == 1 else None
    return None


def routes_in(name: str, value: Any) -> list[tuple[int, list[int]]]:
    """Return the routes of a list or of a map that is no reaction, each with its rank, 0 the most certain."""
    if is_map(value):
        return [(0, route) for route in row_routes(sorted(value.items(), key=number_in))]
    rank = ("reaction", "other", "position", "quantity").index(kind(name))
    reactions: list[int] = []
    routes: list[tuple[int, list[int]]] = []
    for each in value:
        rank = 0 if isinstance(each, dict) else rank
        found = map_id(each) if isinstance(each, dict) else whole(each)
        if found is not None:
            reactions.append(found)
        elif isinstance(each, list) or is_map(each):
            routes += routes_in(name, each)
    floats = any(isinstance(each, float) for each in value)
    return [*routes, (rank, reactions)] if reactions and not (rank == 3 and floats) else routes


def paths_in(value: Any) -> list[list[int]]:
    if isinstance(value, dict) and "$path" in value:
        nodes = [each.get("$node", each) for each in value["$path"]["nodes"]]
        relationships = [each.get("$relationship", each) for each in value["$path"]["relationships"]]
        backwards = sum(
            each["start"] != start["id"] for each, start in zip(relationships, nodes, strict=False)
        )
        ids = [each["properties"]["id"] for each in nodes if "Reaction" in each["labels"]]
        return [ids[::-1] if 2 * backwards > len(relationships) else ids]
    inner = value if isinstance(value, list) else value.values() if is_map(value) else ()
    return [route for each in inner for route in paths_in(each) if route]


def row_routes(cells: list[Cell]) -> list[list[int]]:
    if paths := paths_in([value for _, value in cells]):
        return paths
    ranked = []
    for name, value in cells:
        if isinstance(value, list) or (is_map(value) and map_id(value) is None):
            ranked += routes_in(name, value)
    best = min((rank for rank, _ in ranked), default=3)
    if best < 3:
        return [route for rank, route in ranked if rank == best]
    return [route] if (route := single_values(cells)) else [route for _, route in ranked]


def single_values(cells: list[Cell]) -> list[int]:
    sure: list[Cell] = []
    others: list[Cell] = []
    stems: dict[tuple[bool, str], list[Cell]] = {}
    mapped = {found for _, value in cells if (found := map_id(value)) is not None}
    all_stems = [at[0] for at in {numbered(name) for name, _ in cells} if at]
    for name, value in cells:
        of, at = kind(name), numbered(name)
        if (found := map_id(value)) is not None:
            sure.append((name, found))
        elif (found := whole(value)) is None or of == "quantity" or (of == "reaction" and found in mapped):
            continue
        elif of == "reaction":
            sure.append((name, found))
        elif at and all_stems.count(at[0]) > 1:
            stems.setdefault((of == "position", at[0]), []).append((name, found))
        elif of == "other":
            others.append((name, found))
    series = min(stems.items(), key=lambda item: (item[0][0], -len(item[1])))[1] if stems else []
    read = sure if len(sure) > 1 or (sure and len(series) <= len(sure)) else series or others
    if all(numbered(name) and {*words_of(name)} & {"step", "steps", *NUMBERS} for name, _ in read):
        read = sorted(read, key=number_in)
    return [found for _, found in read]


def step_routes(columns: Sequence[str], rows: Rows) -> list[list[int]] | None:
    """Return the routes of a result with one reaction a row and a column for its step, or None."""
    listed = {
        name
        for row in rows
        for name, value in zip(columns, row, strict=True)
        if isinstance(value, list | dict)
    }
    grouping = [name for name in columns if name in ROUTES and name not in listed]
    steps = [
        each for each in columns if each not in ROUTES and kind(each) == "position" and not numbered(each)
    ]
    routes: dict[str, dict[int, int]] = {}
    for row in (dict(zip(columns, row, strict=True)) for row in rows):
        read = row_routes([(name, value) for name, value in row.items() if name not in grouping + steps])
        step = whole(row[steps[0]]) if len(steps) == 1 else None
        if step is None or [len(route) for route in read] != [1]:
            return None
        route = routes.setdefault(json.dumps([row[name] for name in grouping]), {})
        if route.setdefault(step, read[0][0]) != read[0][0]:
            return None
    return [[route[step] for step in sorted(route)] for route in routes.values()]


def multi_step(question: Question, columns: Sequence[str], rows: Rows) -> dict[str, Any]:
    read = step_routes(columns, rows)
    if read is None:
        read = [route for row in rows for route in row_routes(list(zip(columns, row, strict=True)))]
    returned = {tuple(route) for route in read if route}
    gold = {tuple(row["route"]) for row in question.gold}
    exact = dict(
        zip(
            ("precision", "recall", "f1"), ratios(len(returned & gold), len(returned), len(gold)), strict=True
        )
    )

    def suffix(left: tuple[int, ...], right: tuple[int, ...]) -> int:
        equal = [a == b for a, b in zip(left[::-1], right[::-1], strict=False)]
        return (*equal, False).index(False)

    partial = sum(max((suffix(g, r) for r in returned), default=0) / len(g) for g in gold) / len(gold)
    paths = {f"exact_path_{name}": value for name, value in exact.items()}
    return {**exact, **paths, "partial_path_recall": partial, "passed": exact["f1"] >= 1}


def score(question: Question, columns: Sequence[str], rows: Rows) -> dict[str, Any]:
    """Return the scores of a result and whether it passes, as docs/scores.md defines them."""
    return (single_step if question.setting == "single_step" else multi_step)(question, columns, rows)
