"""The errors a user is meant to read."""


class RetroCypherError(Exception):
    """An error with a message for the user: what is wrong, where, and what to do about it."""


class InputError(RetroCypherError):
    """A file, option or value the user gave cannot be used."""


class GraphError(RetroCypherError):
    """The graph or its server cannot be used."""
