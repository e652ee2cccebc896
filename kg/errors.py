"""The errors that a user is meant to read."""

from typing import ClassVar


class RetroCypherError(Exception):
    """An error with a message for the user: what is wrong, where, and what to do about it."""

    exit_status: ClassVar[int] = 2
    """Exit status of a command that ends with it."""


class InputError(RetroCypherError):
    """A file, option or value the user gave cannot be used."""


class GraphError(RetroCypherError):
    """The graph or its server cannot be used."""


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, at most 200 characters, or else the name of its type."""
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
