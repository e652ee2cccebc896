"""The schema of the default graph, for work without a server."""

from importlib import resources

from kg.schema._model import Schema
from kg.schema._read import parse_schema


def default_schema() -> Schema:
    """Return the schema of the default graph, as ``default.txt`` holds it."""
    return parse_schema(default_schema_text())


def default_schema_text() -> str:
    """Return the text of ``default.txt``, as prompts show it."""
    return resources.files(__package__).joinpath("default.txt").read_text("utf-8")
