"""The errors that a user is meant to read."""

import re
from typing import ClassVar


class RetroCypherError(Exception):
    """An error with a message for the user: what is wrong, where, and what to do about it."""

    exit_status: ClassVar[int] = 2
    """Exit status of a command that ends with it."""


class InputError(RetroCypherError):
    """A file, option or value the user gave cannot be used."""


class GraphError(RetroCypherError):
    """The graph or its server cannot be used."""


def conversion_fault(error: Exception) -> str:
    """Return what msgspec says of a value, without its notation: ``uri: expected `str`, got `int```."""
    what, _, where = str(error).partition(" - at `$")
    where = where.strip(".`")
    if missing := re.fullmatch(r"Object missing required field `(\w+)`", what):
        return f"{where}{'.' if where else ''}{missing[1]} is missing"
    what = what.replace("Object contains ", "")
    return f"{where}: {what[0].lower()}{what[1:]}" if where else what


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, at most 200 characters, or else the name of its type."""
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
