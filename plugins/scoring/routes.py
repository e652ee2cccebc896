"""The routes of a multi-step result, and their scores."""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from retrocypher.kg.questions.question import Question
from retrocypher.plugins.runs.record import JsonValue, Scores
from retrocypher.plugins.scoring.columns import ID_KEY, Words, column_names, plain_name, resolve, stem_name
from retrocypher.plugins.scoring.table import (
    MAX_DEPTH,
    compare_sets,
    map_of,
    may_hold,
    node_of,
    path_of,
    reaction_number,
    relationship_of,
    scalar_atom,
    whole_number,
)

# Maps around the id of a reaction; more would be searched again at each depth.
_DEEPEST_REACTION = 5

_NUMBERED = re.compile(r"([^\W\d]*)(\d+)")


class Kind(Enum):
    """What a column's numbers are, as far as its name tells."""

    REACTION = "reaction"
    OTHER = "other"
    POSITION = "position"
    QUANTITY = "quantity"


class StepName(NamedTuple):
    """A column's name as part of a route.

    Attributes:
        stem: The name without the last number in it.
        number: That number; None without one.
        of_step: Whether the name says that its numbers are those of steps: ``step2``, ``second_reaction``.
        of_route: Whether it names a route: ``route``, ``path_id``.
    """

    kind: Kind
    stem: str
    number: int | None
    of_step: bool
    of_route: bool


@lru_cache(maxsize=16384)
def step_name(column: str) -> StepName:
    """Read a column's name."""
    name, table = plain_name(column), column_names()
    ordinals, parts = table.ordinals, name.split("_")
    words, number, place = [], None, 0
    for index, part in enumerate(parts):
        word = part
        if part in ordinals:
            word, number, place = "", ordinals[part], index
        elif numbered := _NUMBERED.fullmatch(part):
            # More than eight digits number no column, and int() refuses very long ones.
            word, number, place = numbered[1], int(numbered[2][:8]), index
        words.append(word)
    if number is not None:
        parts[place] = words[place]
    stems = tuple(stem_name(word) for word in words if word)
    of_step = not table.step_words.isdisjoint(stems) or not ordinals.keys().isdisjoint(name.split("_"))
    of_route = not of_step and not table.route_words.isdisjoint(stems)
    return StepName(_kind(name, stems), "_".join(part for part in parts if part), number, of_step, of_route)


def _kind(name: str, words: Words) -> Kind:
    table = column_names()
    if resolve(name, (ID_KEY,)) is not None:
        return Kind.REACTION
    if any(words[: len(head)] == head and len(words) > len(head) for head in table.count_words):
        return Kind.QUANTITY
    position, reaction = _longest(words, table.positions), _longest(words, table.reaction_words)
    if reaction > position:
        return Kind.REACTION
    if not table.quantities.isdisjoint(words):
        return Kind.QUANTITY
    return Kind.POSITION if position else Kind.OTHER


def _longest(words: Words, tails: Iterable[Words]) -> int:
    """Return how many words the longest tail has that the name ends in, 0 where it ends in none."""
    return max((len(tail) for tail in tails if words[-len(tail) :] == tail), default=0)


Cell = tuple[str, JsonValue]
_Step = tuple[StepName, JsonValue, int]


def single_steps(cells: Sequence[Cell]) -> tuple[int, ...]:
    """Return the reactions of a row's single values.

    They are the Reaction nodes, the maps of reactions and the ids in columns that are named like a
    reaction's. One id or none gives way to numbered columns of one stem (``step1``, ``step2``). Else
    they are the numbers in columns that are not named like a quantity or a place in the route. A number
    that is the id of a node or map in the same row (``r1, r1.id``) says the same reaction again. They are in
    column order, unless all their names number the steps.
    """
    steps = _each_once((step_name(column), value, step) for column, value in cells for step in step_of(value))
    found = [each for each in steps if each[0].kind is Kind.REACTION or isinstance(each[1], dict)]
    if len(found) < 2:
        found = max(found, most_numbered((column for column, _ in cells), steps), key=len)
    found = found or [each for each in steps if each[0].kind is Kind.OTHER]
    if all(name.of_step and name.number is not None for name, _, _ in found):
        found.sort(key=lambda each: each[0].number or 0)
    return tuple(step for _, _, step in found)


def most_numbered(columns: Iterable[str], steps: Iterable[_Step]) -> list[_Step]:
    """Return the steps in numbered columns of the stem with most of them, of two columns at least.

    A name of a place in the route (``step1``) gives way to one of something else.
    """
    numbers: dict[str, set[int | None]] = {}
    for name in map(step_name, columns):
        if name.number is not None and name.kind is not Kind.QUANTITY:
            numbers.setdefault(name.stem, set()).add(name.number)
    families: dict[str, list[_Step]] = {}
    for each in steps:
        if each[0].number in numbers.get(each[0].stem, ()) and len(numbers[each[0].stem]) > 1:
            families.setdefault(each[0].stem, []).append(each)
    return max(families.values(), key=lambda each: (each[0][0].kind is Kind.OTHER, len(each)), default=[])


def _each_once(steps: Iterable[_Step]) -> list[_Step]:
    found = list(steps)
    in_maps = {step for _, value, step in found if isinstance(value, dict)}
    return [each for each in found if isinstance(each[1], dict) or each[2] not in in_maps]


def step_of(value: JsonValue, depth: int = 0) -> tuple[int, ...]:
    """Return the reaction a single value stands for; molecules and all else give none."""
    if isinstance(value, dict):
        node = node_of(value)
        if node is None:
            entries = map_of(value)
            return () if entries is None or depth > _DEEPEST_REACTION else reaction_of(entries, depth)
        number = reaction_number(node)
    else:
        number = whole_number(value)
    return () if number is None else (number,)


def reaction_of(entries: Mapping[str, JsonValue], depth: int = 0) -> tuple[int, ...]:
    """Return the reaction of a map; none for a map with two reactions, or with a route.

    It is that of the entry named like an id (``r {.id}``, ``{reaction: r {.id}}``), else of one named like a
    reaction (``{r: r.id}``), else of a node or map in any other entry.
    """
    if any(_is_list_of_reactions(entry, value, depth) for entry, value in entries.items()):
        return ()
    ranks: list[set[int]] = [set(), set(), set()]
    for entry, value in entries.items():
        kind = step_name(entry).kind
        if kind is Kind.REACTION or isinstance(value, dict):
            named = resolve(plain_name(entry), (ID_KEY,)) is not None
            ranks[0 if named else 1 if kind is Kind.REACTION else 2].update(step_of(value, depth + 1))
    found = next(filter(None, ranks), ())
    return tuple(found) if len(found) == 1 else ()


def by_number(entries: Mapping[str, JsonValue]) -> list[Cell]:
    """Return a map's entries, numbered ones in the order of their numbers: maps have none of their own."""
    return sorted(entries.items(), key=lambda entry: step_name(entry[0]).number or 0)


def is_bare(value: JsonValue, depth: int = 0) -> bool:
    """Return whether a value holds ids as numbers and no node or map, which would tell what they are."""
    if isinstance(value, list) and depth <= MAX_DEPTH:
        return all(is_bare(item, depth + 1) for item in value)
    return not isinstance(value, dict)


def _is_list_of_reactions(entry: str, value: JsonValue, depth: int) -> bool:
    if not isinstance(value, list) or step_name(entry).kind is Kind.QUANTITY:
        return False
    return any(step_of(item, depth + 1) for item in value)


Route = tuple[int, ...]


def routes(columns: Sequence[str], rows: Iterable[JsonValue]) -> set[Route]:
    """Return the distinct routes of a result, each a sequence of reaction ids as it was returned.

    One row gives one route, unless it holds several paths or lists, or one step of a route. Where a row holds
    paths, the paths are its routes; else its lists that hold reactions are; else its single reactions.
    """
    table = [list(zip(columns, row if isinstance(row, list) else [row], strict=False)) for row in rows]
    steps = _routes_of_steps(columns, table)
    return {route for cells in table for route in _routes_of_row(cells, 0)} if steps is None else steps


def _routes_of_steps(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> set[Route] | None:
    """Return the routes of rows that each hold one step with its place (``route, step, reaction_id``).

    None for other rows: those without one column of places, or with two reactions in a place.
    """
    places = [column for column in columns if _is_place(step_name(column))]
    if len(places) != 1:
        return None
    found: dict[Hashable, dict[int, int]] = {}
    for cells in rows:
        place = whole_number(next((value for column, value in cells if column == places[0]), None))
        labels = tuple(scalar_atom(value) for column, value in cells if _is_label(column, value))
        others = [cell for cell in cells if cell[0] != places[0] and not _is_label(*cell)]
        steps = _routes_of_row(others, 0)
        if place is None or len(steps) != 1 or len(steps[0]) != 1:
            return None
        route = found.setdefault(labels, {})
        if route.setdefault(place, steps[0][0]) != steps[0][0]:
            return None
    return {tuple(route[place] for place in sorted(route)) for route in found.values()} or None


def _is_place(name: StepName) -> bool:
    return name.kind is Kind.POSITION and not name.of_route and name.number is None


def _is_label(column: str, value: JsonValue) -> bool:
    """Return whether a value tells a route from others, and holds none."""
    name = step_name(column)
    return name.of_route and name.kind is not Kind.QUANTITY and not isinstance(value, list | dict)


def _routes_of_row(cells: Sequence[Cell], depth: int) -> list[Route]:
    if depth > MAX_DEPTH:
        return []
    paths = [route for _, value in cells if may_hold(value) for route in _path_routes(value, depth)]
    if paths:
        return paths
    lists = _lists(cells, depth)
    for kind in (Kind.REACTION, Kind.OTHER, Kind.POSITION):
        if kind in lists:
            return lists[kind]
    steps = single_steps(cells)
    if steps:
        return [steps]
    # A quantity is no list of whole numbers, if there is nothing else.
    return lists.get(Kind.QUANTITY, []) if depth == 0 else []


def _lists(cells: Sequence[Cell], depth: int) -> dict[Kind, list[Route]]:
    """Return the routes of a row's lists by what the lists are; one of nodes or maps is of reactions."""
    found: dict[Kind, list[Route]] = {}
    for column, value in cells:
        inner = _list_routes(value, depth) if may_hold(value) else []
        kind = step_name(column).kind if is_bare(value) else Kind.REACTION
        if inner and not (kind is Kind.QUANTITY and _has_float(value)):
            found.setdefault(kind, []).extend(inner)
    return found


def _has_float(value: JsonValue, depth: int = 0) -> bool:
    if isinstance(value, list) and depth <= MAX_DEPTH:
        return any(_has_float(item, depth + 1) for item in value)
    return isinstance(value, float)


def _path_routes(value: JsonValue, depth: int) -> list[Route]:
    """Return the route of each path in a value that may hold others."""
    if depth > MAX_DEPTH:
        return []
    items: Iterable[JsonValue] | None = value if isinstance(value, list) else None
    if items is None:
        path = path_of(value)
        if path is not None:
            route = _oriented(path)
            return [route] if route else []
        items = (map_of(value) or {}).values()
    return [route for item in items if may_hold(item) for route in _path_routes(item, depth + 1)]


def _list_routes(value: JsonValue, depth: int) -> list[Route]:
    """Return the routes of a list, or of a map that is no reaction: its entries are read as a row."""
    if not isinstance(value, list):
        entries = map_of(value)
        if entries is None or reaction_of(entries):
            return []
        return _routes_of_row(by_number(entries), depth + 1)
    if depth > MAX_DEPTH:
        return []
    inner = [route for item in value if may_hold(item) for route in _list_routes(item, depth + 1)]
    if inner:
        return inner
    steps = tuple(step for item in value for step in step_of(item))
    return [steps] if steps else []


def _oriented(path: Mapping[str, JsonValue]) -> Route:
    """Return a path's reactions in the direction of most of its relationships; as returned in a tie."""
    nodes = _tagged(path.get("nodes"), "$node")
    links = _tagged(path.get("relationships"), "$relationship")
    steps = [step for node in nodes for step in step_of(node)]
    balance = 0
    for node, link in zip(nodes, links, strict=False):
        along = (relationship_of(link) or {}).get("start") == (node_of(node) or {}).get("id")
        balance += 1 if along else -1
    return tuple(steps[::-1] if balance < 0 else steps)


def _tagged(value: JsonValue, tag: str) -> list[JsonValue]:
    """A path's nodes or relationships as they stand elsewhere: within a path they have no tag."""
    items = value if isinstance(value, list) else []
    return [item if isinstance(item, dict) and tag in item else {tag: item} for item in items]


def multi_step_scores(question: Question, columns: Sequence[str], rows: Iterable[JsonValue]) -> Scores:
    """Return the scores of a result against the question's gold routes."""
    gold = {tuple(row["route"]) for row in question.gold}
    returned = routes(columns, rows)
    exact = compare_sets(returned, gold)
    return Scores(
        precision=exact.precision,
        recall=exact.recall,
        f1=exact.f1,
        exact_path_precision=exact.precision,
        exact_path_recall=exact.recall,
        exact_path_f1=exact.f1,
        partial_path_recall=partial_path_recall(returned, gold),
    )


def partial_path_recall(returned: set[Route], gold: set[Route]) -> float:
    """Return the mean, over gold routes, of the longest common suffix with a returned route ÷ its length.

    In [0, 1]; 1 without a route on either side.
    """
    if not gold:
        return 0.0 if returned else 1.0
    longest = max(len(route) for route in gold)
    suffixes = {route[-length:] for route in returned for length in range(1, min(len(route), longest) + 1)}
    total = 0.0
    for route in gold:
        lengths = range(len(route), 0, -1)
        total += next((length for length in lengths if route[-length:] in suffixes), 0) / len(route)
    return total / len(gold)
