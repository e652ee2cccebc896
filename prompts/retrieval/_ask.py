"""What a question and its rows name: words, molecules and reactions."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")

_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*", re.IGNORECASE)
_ENDS = ".,;:?!'\"`"
_IDS = frozenset({"id", "reaction", "route", "path", "chain"})


@dataclass(frozen=True, slots=True)
class Named:
    """What a question and its rows name.

    Attributes:
        words: Words of the question.
        molecules: What may be a molecule: whatever is one word with something in it that no English word has,
            and all texts of the rows. What is none is found nowhere.
        reactions: Numbers in columns, or properties, that are called an id, a reaction or a route.
    """

    words: tuple[str, ...]
    molecules: tuple[str, ...]
    reactions: tuple[int, ...]


def named(question: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Named:
    """Return what a question and its rows name, each once.

    Args:
        question: The question as asked.
        columns: Column names.
        rows: Rows in column order, in the JSON form of a record.
    """
    written = [bare(part) for part in question.split()]
    words = [each.lower() for each in written if _WORD.fullmatch(each)]
    molecules = [each for each in written if each and not (_WORD.fullmatch(each) and each[1:].islower())]
    reactions: list[int] = []
    for row in rows:
        for column, value in zip(columns, row, strict=True):
            for name, each in _leaves(column.rpartition(".")[2], value):
                if isinstance(each, str):
                    molecules.append(each)
                elif isinstance(each, int) and not isinstance(each, bool) and _is_id(name):
                    reactions.append(each)
    return Named(_once(words), _once(molecules), _once(reactions))


def bare(part: str) -> str:
    """Return a part of a text without the marks around it."""
    return part.strip(_ENDS)


def _once(values: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        for each in value:
            yield from _leaves(name, each)
    elif isinstance(value, dict):
        for inner, each in value.items():
            # Ids that the server gives its nodes, and labels, name nothing.
            if inner != "labels" and not (inner == "id" and isinstance(each, str)):
                yield from _leaves(inner, each)
    else:
        yield name, value


def _is_id(name: str) -> bool:
    return any(part.removesuffix("s") in _IDS for part in re.split(r"[^a-z]+", name.lower()))
