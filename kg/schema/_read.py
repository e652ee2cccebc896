"""Reading the schema text that prompts show."""

import re
from collections.abc import Iterator

from kg.errors import InputError
from kg.schema._model import Connection, Properties, Schema

_NAME = r"(?:`(?:[^`]|``)*`|[^\W\d]\w*)"
_LABELS = rf"\(\s*((?::\s*{_NAME}\s*)*)"
_ITEM = rf"\s*{_NAME}\s*:[^,:{{}}`]+"
_BRACES = rf"(?:\{{((?:{_ITEM}(?:,{_ITEM})*)?\s*)\}}\s*)?"
_LINES = {
    "Nodes and their properties:": re.compile(rf"{_LABELS}{_BRACES}\)"),
    "Relationships and their properties:": re.compile(rf"\[\s*:\s*({_NAME})\s*{_BRACES}\]"),
    "Directions:": re.compile(rf"{_LABELS}\)\s*-\[\s*:\s*({_NAME})\s*\]->\s*{_LABELS}\)"),
}
_NODES, _TYPES, _DIRECTIONS = _LINES
_WHAT = {
    _NODES: "a node such as (:Molecule {name: STRING})",
    _TYPES: "a type such as [:PRODUCES {yield: FLOAT}]",
    _DIRECTIONS: "a direction such as (:Molecule)-[:REACTS_IN]->(:Reaction)",
}
_PROPERTY = re.compile(rf"\s*({_NAME})\s*:([^,]+)")
_ONE_NAME = re.compile(_NAME)
_SPACE = re.compile(r"\s*")
_BAR = re.compile(r"\|(?![^<]*>)")  # not one within LIST<...>


def parse_schema(text: str) -> Schema:
    """Read a schema text as ``kg.store.schema_text`` writes it.

    Blank lines and space are free; labels and types that only the directions name are taken up too.

    Args:
        text: Three headings, each followed by lines of its own kind.

    Raises:
        InputError: A line is not what its heading promises, or a heading is missing.
    """
    nodes: dict[frozenset[str], Properties] = {}
    types: dict[str, Properties] = {}
    connections: set[Connection] = set()
    for heading, groups in _entries(text):
        if heading == _NODES:
            nodes[_labels(groups[0])] = _properties(groups[1])
        elif heading == _TYPES:
            types[_plain(groups[0])] = _properties(groups[1])
        else:
            connections.add(Connection(_labels(groups[0]), _plain(groups[1]), _labels(groups[2])))
    for start, kind, end in connections:
        types.setdefault(kind, {})
        nodes.setdefault(start, {})
        nodes.setdefault(end, {})
    return Schema(nodes, types, frozenset(connections))


def _entries(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each entry with its heading; a name in backticks may hold any character, so lines are not cut first."""
    heading: str | None = None
    missing = list(_LINES)
    position = _after_space(text, 0)
    while position < len(text):
        found = next((name for name in missing if text.startswith(name, position)), None)
        if found is not None:
            heading = found
            missing.remove(found)
            position += len(found)
        else:
            match = None if heading is None else _LINES[heading].match(text, position)
            if heading is None or match is None:
                wanted = f"the heading '{missing[0]}'" if heading is None else _WHAT[heading]
                line = text[position:].splitlines()[0][:200]
                number = text.count("\n", 0, position) + 1
                raise InputError(f"Schema text, line {number}: '{line}' is not {wanted}. {_REMEDY}")
            yield heading, match.groups(default="")
            position = match.end()
        position = _after_space(text, position)
    if missing:
        raise InputError(f"The schema text has no heading '{missing[0]}'. {_REMEDY}")


_REMEDY = "Give the schema as prompts show it; docs/direction.md has an example."


def _after_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _labels(text: str) -> frozenset[str]:
    return frozenset(_plain(name) for name in _ONE_NAME.findall(text))


def _properties(text: str) -> Properties:
    return {
        _plain(name): frozenset(kind.strip() for kind in _BAR.split(types))
        for name, types in _PROPERTY.findall(text)
    }


def _plain(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name
