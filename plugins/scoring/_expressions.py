"""What an unaliased RETURN expression, which Neo4j makes a column name, hands back."""

from collections.abc import Sequence

from kg.cypher import tokens

_CLOSING = {"(": ")", "[": "]", "{": "}"}


def reduce_expression(column: str, transparent: frozenset[str], molecule_properties: frozenset[str]) -> str:
    """Reduce a column name that is a Cypher expression to the variable or property that gives its values.

    ``collect(DISTINCT reactant.name)`` gives ``reactant``, ``rel.yield`` gives ``yield``, ``r.id`` gives
    ``id``. Whatever is neither a name nor built in that way is returned as it stands.

    Args:
        column: Column name.
        transparent: Lower-case names of functions that hand on their first argument.
        molecule_properties: Lower-case properties that stand for the molecule itself.
    """
    if column.replace("_", "").isalnum():
        return column
    parts = [token.text for token in tokens(column)]
    return _reduce(parts, transparent, molecule_properties) or column


def _reduce(parts: list[str], transparent: frozenset[str], molecule_properties: frozenset[str]) -> str | None:
    while len(parts) > 1:
        opening = _opening(parts)
        if opening == 0 and parts[0] == "(":
            parts = parts[1:-1]
        elif opening == 0 and parts[0] == "[":
            return _comprehension(parts[1:-1], transparent, molecule_properties)
        elif opening and parts[-1] == "]":
            parts = parts[:opening]
        elif opening == 1 and parts[-1] == "}":
            parts = parts[:1]
        elif opening and parts[-1] == ")":
            if "".join(parts[:opening]).lower() not in transparent:
                return None
            parts = _until(parts[opening + 1 : -1], ",")
            parts = parts[1:] if parts and parts[0].upper() == "DISTINCT" else parts
        elif len(parts) > 2 and parts[-2] == ".":
            if parts[-1].strip("`").lower() not in molecule_properties:
                return parts[-1].strip("`") if _is_access(parts) else None
            parts = parts[:-2]
        else:
            return None
    return parts[0].strip("`") if parts and _is_word(parts[0]) else None


def _comprehension(
    parts: list[str], transparent: frozenset[str], molecule_properties: frozenset[str]
) -> str | None:
    """Reduce ``x IN list WHERE ... | x.property``: a molecule's name gives the list, else the property."""
    if len(parts) < 3 or parts[1].upper() != "IN":
        return None
    projected = _until(parts[::-1], "|")[::-1] if "|" in parts else parts[:1]
    if len(projected) == 3 and projected[1] == "." and projected[2].lower() not in molecule_properties:
        return projected[2].strip("`")
    source = _until(_until(parts[2:], "|"), "WHERE")
    return _reduce(source, transparent, molecule_properties)


def _opening(parts: Sequence[str]) -> int | None:
    """Return where the bracket opens that the last part closes, None where it closes none."""
    if parts[-1] not in _CLOSING.values():
        return None
    depth = 0
    for index in range(len(parts) - 1, -1, -1):
        if parts[index] in _CLOSING.values():
            depth += 1
        elif parts[index] in _CLOSING:
            depth -= 1
            if depth == 0:
                return index
    return None


def _until(parts: list[str], end: str) -> list[str]:
    """Return the parts before the first ``end`` outside brackets, read from the left."""
    depth = 0
    for index, part in enumerate(parts):
        if depth == 0 and part.upper() == end:
            return parts[:index]
        depth += (part in _CLOSING) - (part in _CLOSING.values())
    return parts


def _is_access(parts: Sequence[str]) -> bool:
    """Return whether the parts are a chain such as ``a.b.c``, or end one."""
    return all(part == "." for part in parts[-2:0:-2]) and all(_is_word(part) for part in parts[::-2])


def _is_word(part: str) -> bool:
    return part[0] == "`" or part[0] == "_" or part[0].isalpha()
