"""Hashes of the values that a query returns, in the JSON form of `to_json_value`.

Two values have one hash if they are equal in this sense:

- A number equals a number of the same value: 1 is 1.0. It never equals true or a text.
- Integers are exact. Floats are rounded to nine significant digits, and between a billion and 10^15 to
  integers. The edges of rounding lie where no short decimal is, so that noise in the last bits does not
  separate two sums that would be ``1.0000000005``.
- NaN equals NaN, and null equals null.
- Dates, times and durations are equal if their type and ISO text are. They equal no text.
- Nodes and relationships are equal if they are one element of the graph, paths if they run through the same
  elements. A node does not equal the map of its properties.
- Lists are equal in order, or as multisets where the order means nothing. Maps are equal by key.
"""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Any, Literal

from retrocypher.kg.execution.published import published_form

HASH_BYTES = 16
HASHED_ROWS = 100_000
"""Rows of a result that are hashed; a longer result is truncated."""

HASHED_BYTES = 64 * 1024**2
"""Size of all hashes of a result: 40 columns of the most rows."""

Values = Literal["ordered_lists", "unordered_lists", "published", "members"]
"""How values are compared.

``published`` does as CypherBench's own evaluator. ``members`` compares the members of all lists, each once.
"""

_EXACT_FROM, _EXACT_TO = 1e9, 1e15
_OFF_THE_HALF = 0.2137
"""Moves numbers that are rounded to integers, so that neither ...5 nor an amount with cents is the edge."""
_OFF_THE_EDGE = 1 - 2e-10
"""Moves numbers by a fiftieth of the last digit that counts, so that ...5 is not the edge."""


def compared_rows(rows: Iterable[list[Any]], values: Values) -> Iterable[list[Any]]:
    """Return the rows that are compared."""
    if values == "members":
        return [[member] for member in dict.fromkeys(chain.from_iterable(chain.from_iterable(rows)))]
    return rows


def hash_value(value: Any, values: Values) -> bytes:
    """Return the hash of a value in its JSON form; the same in every process."""
    if values == "published":
        return published_form(value, _digest)
    return _hash(value, values == "ordered_lists")


def _hash(value: Any, ordered: bool) -> bytes:
    if isinstance(value, list):
        parts = [_hash(item, ordered) for item in value]
        return _digest(b"list" + b"".join(parts if ordered else sorted(parts)))
    if not isinstance(value, dict):
        return _scalar(value)
    kind: str = next(iter(value)) if len(value) == 1 else ""
    content: Any = value.get(kind)
    if kind in ("$node", "$relationship"):
        return _digest(f"{kind} {content['id']}".encode())
    if kind == "$path":
        ids = [[part["id"] for part in content[side]] for side in ("nodes", "relationships")]
        return _digest(b"$path" + _hash(ids, True))
    if kind == "$map":
        return _map(content, ordered)
    if kind.startswith("$"):
        return _digest(kind.encode() + _hash(content, True))
    return _map(value, ordered)


def _map(value: dict[str, Any], ordered: bool) -> bytes:
    parts = sorted(_scalar(key) + _hash(item, ordered) for key, item in value.items())
    return _digest(b"map" + b"".join(parts))


@lru_cache(maxsize=100_000, typed=True)
def _scalar(value: str | float | bool | None) -> bytes:
    if isinstance(value, float):
        return _digest(f"int {_number(value)}".encode())
    return _digest(f"{type(value).__name__} {value}".encode())


def _number(value: float) -> str:
    size = abs(value)
    if _EXACT_FROM <= size < _EXACT_TO:
        return str(round(value * (1 - _OFF_THE_HALF / size)))
    rounded = float(f"{value * _OFF_THE_EDGE:.8e}")
    return str(int(rounded)) if rounded.is_integer() else repr(rounded)


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=HASH_BYTES).digest()
