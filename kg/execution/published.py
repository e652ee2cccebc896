"""What CypherBench's published evaluator makes of queries and values, its faults included.

Only the compatibility mode of the metrics uses this module. It works on text, as that evaluator does:
lower-case keywords are missed, keywords within strings count, and lists are sorted.
"""

import os
import re
from collections.abc import Callable
from typing import Any

UNREADABLE = b"\0" * 16
"""In place of a hash: the evaluator cannot read the value and scores the prediction 0."""

FATAL = b"\1" * 16
"""In place of a hash: the evaluator ends with an exception when it compares the value."""

_END_OF_TURN = "<end_of_turn>"
_STARTS = ("MATCH", "OPTIONAL MATCH")
_HEADS = re.compile(
    r"\b(?:MATCH|OPTIONAL MATCH|WHERE|RETURN|UNION|WITH|CREATE|SET|DELETE|MERGE|UNWIND|ORDER BY|LIMIT|SKIP|"
    r"FOREACH|CALL|YIELD)\b"
)
_SUBQUERY = re.compile(r"CALL\s*\{(.*?)\}\s*(?:WITH|RETURN|WHERE|UNWIND)", re.DOTALL)
_UNION = re.compile(r"\bUNION\b")
_UNNAMED_RELATIONSHIP = re.compile(r"\[(?=:.*?\])")
_UNNAMED_NODE = re.compile(r"\((?=:[A-Za-z]+(?:\s*\{.*?\})?\))")
_MAP = re.compile(r"\{[^}]*\}")
_NAMED_NODE = re.compile(r"\((\w+)(?::[^)]*|\))")


def prediction(completion: str) -> str:
    """The query that the evaluator takes out of a prediction."""
    return completion.removesuffix(_END_OF_TURN).strip() if completion.endswith(_END_OF_TURN) else completion


def is_ordered(gold: str) -> bool:
    """Whether the order of rows counts."""
    return "order by" in gold.lower()


def provenance_text(query: str, most: int) -> str:
    """The query of the provenance subgraph, of at most so many nodes: a list of element ids for each branch.

    It is empty for the empty set.
    """
    parts = [_matching(part.strip()) for part in _branches(query)]
    return " UNION ".join(_element_ids(part, most) for part in parts if part)


def _branches(query: str) -> list[str]:
    if not query.strip().startswith("CALL"):
        return _UNION.split(query)
    inner = _SUBQUERY.search(query)
    return _UNION.split(inner.group(1)) if inner else [query]


def _clauses(text: str) -> list[str]:
    starts = [head.start() for head in _HEADS.finditer(text)]
    return [text[start:stop].strip() for start, stop in zip(starts, [*starts[1:], len(text)], strict=True)]


def _matching(branch: str) -> str:
    """The MATCH part of a branch; empty where it does not begin with one."""
    kept: list[str] = []
    if branch.startswith("MATCH"):
        for clause in _clauses(branch):
            is_with = clause.startswith("WITH")
            if not clause.startswith((*_STARTS, "WITH", "WHERE")) or (is_with and " as " in clause.lower()):
                break
            kept.append("WITH *" if is_with else clause)
    while kept and kept[-1].startswith("WITH"):
        kept.pop()
    return " ".join(kept)


def _element_ids(matching: str, most: int) -> str:
    clauses = _clauses(matching)
    names: set[str] = set()
    numbers = {"r": 0, "n": 0}

    def named(kind: str, bracket: str) -> str:
        numbers[kind] += 1
        return f"{bracket}{kind}tmp{numbers[kind] - 1}"

    for place, clause in enumerate(clauses):
        if clause.startswith(_STARTS):
            clause = _UNNAMED_RELATIONSHIP.sub(lambda _: named("r", "["), clause)
            clauses[place] = _UNNAMED_NODE.sub(lambda _: named("n", "("), clause)
    # Maps are blanked in the whole text, before it is cut again: a map may hold a keyword.
    for clause in _clauses(_MAP.sub("{}", " ".join(clauses))):
        if clause.startswith(_STARTS):
            names.update(_NAMED_NODE.findall(clause))
    # The evaluator collects the ids of each name. This gives the same set and takes less time to plan.
    found, node = " ".join(clauses), "node"
    while node in found:
        node += "_"
    only = f" WITH {node} WHERE {node} IS NOT NULL" if "OPTIONAL" in found else ""
    nodes = f"[{', '.join(sorted(names))}] AS {node}{only}"
    limit = f"WITH DISTINCT {node} LIMIT {most}"
    return f"{found} UNWIND {nodes} {limit} RETURN collect(elementId({node})) AS id"


def published_form(value: Any, digest: Callable[[bytes], bytes]) -> bytes:
    """The hash of a value in its JSON form, equal where the evaluator finds two values equal."""
    try:
        return digest(_encoded(_comparable(value), digest))
    except TypeError:
        return UNREADABLE
    except _Fatal:
        return FATAL


class _Fatal(Exception):  # noqa: N818 - a signal, not an error
    pass


def _comparable(value: Any) -> Any:
    """The Python value that the evaluator compares; raise TypeError where it does."""
    if isinstance(value, list):
        return tuple(sorted(_comparable(item) for item in value))
    if not isinstance(value, dict):
        return value
    kind: str = next(iter(value)) if len(value) == 1 else ""
    content: Any = value.get(kind)
    match kind:
        case "$node":
            return _pairs(content["properties"])
        case "$relationship":
            return ({}, content["type"], {})
        case "$path":
            steps = [_pairs(node["properties"]) for node in content["nodes"]]
            return tuple(sorted([*steps, *(edge["type"] for edge in content["relationships"])]))
        case "$temporal" if content["type"] == "date":
            return content["value"]
        case "$temporal" if content["type"] == "duration":
            return ("$duration", content["value"])
        case "$point":
            return tuple(content["coordinates"])
        case "$float":
            return float(content)
        case "$map":
            return _pairs(content)
        case _ if kind.startswith("$"):
            raise TypeError(kind)
    return _pairs(value)


def _pairs(values: dict[str, Any]) -> Any:
    return tuple(sorted((key, _comparable(item)) for key, item in values.items()))


def _encoded(value: Any, digest: Callable[[bytes], bytes]) -> bytes:
    if isinstance(value, tuple):
        return b"(" + b"".join(digest(_encoded(item, digest)) for item in value)
    if isinstance(value, dict):
        raise _Fatal
    if isinstance(value, str):
        return b"text" + value.encode("utf-8", "surrogatepass")
    if isinstance(value, float):
        # NaN equals nothing, itself included; any other float equals the integer of its value.
        value = os.urandom(16) if value != value else int(value) if value.is_integer() else value
    return repr(int(value) if isinstance(value, bool) else value).encode()
