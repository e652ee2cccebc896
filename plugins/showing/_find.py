"""A case of a run by its id, or a part of it."""

import difflib
from collections.abc import Collection
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.records import locate_cases, read_case_at

_LISTED = 10
_NEAR = 5


def find_case(run: Path, name: str) -> dict[str, Any]:
    """Return the record of a case.

    Args:
        run: The run directory.
        name: The case's id, its beginning, or any part of it; upper and lower case do not matter. Where it
            is the beginning of one id, that one is meant, whatever other ids it is a part of.

    Raises:
        InputError: If the folder is not a run, or no case or several have the name; says which are near.
    """
    places: dict[str, tuple[int, int]] = {}
    for number, offset, case in locate_cases(run):
        if case == name:
            return read_case_at(run, number, offset)
        places[case] = number, offset
    for found, do in ((_beginning(name, places), "begin with"), (_holding(name, places), "contain")):
        if len(found) == 1:
            return read_case_at(run, *places[found[0]])
        if found:
            raise InputError(f"{run}: {len(found):,} cases {do} {name!r}: {_listed(found)}. Name one.")
    near = difflib.get_close_matches(name, places, _NEAR, cutoff=0.4)
    choice = f"Near are {_listed(near)}" if near else f"It has {_listed(list(places)) or 'none'}"
    raise InputError(f"{run}: no case is called {name!r}. {choice}.")


def _beginning(name: str, ids: Collection[str]) -> list[str]:
    return [each for each in ids if each.lower().startswith(name.lower())]


def _holding(name: str, ids: Collection[str]) -> list[str]:
    return [each for each in ids if name.lower() in each.lower()]


def _listed(ids: list[str]) -> str:
    more = len(ids) - _LISTED
    return ", ".join(ids[:_LISTED]) + (f" and {more:,} more" if more > 0 else "")
