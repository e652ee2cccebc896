"""Single reactions in the cells of a multi-step answer's row."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plugins.scoring._step_names import Kind, StepName, most_numbered, step_name
from plugins.scoring._table import is_reaction_id
from plugins.scoring._values import MAX_DEPTH, map_of, node_of, reaction_number, whole_number

Cell = tuple[str, Any]
_Step = tuple[StepName, Any, int]


def single_steps(cells: Sequence[Cell]) -> tuple[int, ...]:
    """Return the reactions of a row's single values, in column order.

    They are the Reaction nodes, the maps of reactions and the ids in columns that are named like a
    reaction's. One id or none gives way to numbered columns of one stem (``step1``, ``step2``). Else
    they are the numbers in columns that are not named like a quantity or a place in the route. A number
    that is the id of a node or map in the same row (``r1, r1.id``) says the same reaction again.
    """
    steps = _each_once((step_name(column), value, step) for column, value in cells for step in step_of(value))
    named = [step for name, value, step in steps if name.kind is Kind.REACTION or isinstance(value, dict)]
    if len(named) < 2:
        stem = most_numbered(column for column, _ in cells)
        numbered = [step for name, _, step in steps if name.number is not None and name.stem == stem]
        named = max(named, numbered, key=len)
    return tuple(named or [step for name, _, step in steps if name.kind is Kind.OTHER])


def _each_once(steps: Iterable[_Step]) -> list[_Step]:
    found = list(steps)
    told = {step for _, value, step in found if isinstance(value, dict)}
    return [each for each in found if isinstance(each[1], dict) or each[2] not in told]


def step_of(value: Any) -> tuple[int, ...]:
    """Return the reaction a single value stands for; molecules and all else give none."""
    if isinstance(value, dict):
        node = node_of(value)
        if node is None:
            entries = map_of(value)
            return () if entries is None else reaction_of(entries)
        number = reaction_number(node)
    else:
        number = whole_number(value)
    return () if number is None else (number,)


def reaction_of(entries: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the reaction that a map such as ``r{.id}`` stands for.

    None where the map has two different reactions, or an id beside a list of reactions: it holds a route.
    """
    found = {
        step for entry, value in entries.items() if is_reaction_id(entry, value) for step in step_of(value)
    }
    if len(found) != 1 or any(_is_list_of_reactions(entry, value) for entry, value in entries.items()):
        return ()
    return tuple(found)


def by_number(entries: Mapping[str, Any]) -> list[Cell]:
    """Return a map's entries, numbered ones in the order of their numbers: maps have none of their own."""
    return sorted(entries.items(), key=lambda entry: step_name(entry[0]).number or 0)


def is_bare(value: Any, depth: int = 0) -> bool:
    """Return whether a value holds ids as numbers and no node or map, which would tell what they are."""
    if isinstance(value, list) and depth <= MAX_DEPTH:
        return all(is_bare(item, depth + 1) for item in value)
    return not isinstance(value, dict)


def _is_list_of_reactions(entry: str, value: Any) -> bool:
    if not isinstance(value, list) or step_name(entry).kind is Kind.QUANTITY:
        return False
    return any(
        (whole_number(item) if (node := node_of(item)) is None else reaction_number(node)) is not None
        for item in value
    )
