"""A case of a baseline as a line of a table."""

from collections.abc import Mapping, Sequence
from typing import Any

from plugins.comparison import MEASURES, Side, asked_as
from plugins.statistics import DIMENSIONS

SCHEMA_VERSION = 1
_NUMBERS = ("steps", "phrasing")
_HASHES = ("asked", "gold", "target")
COLUMNS = ("question_id", *DIMENSIONS, *_HASHES, *MEASURES)


def row_of(record: Mapping[str, Any], side: Side) -> list[str]:
    """Return a case as the cells of a line.

    Args:
        record: The case, scored, as in ``side.records``.
        side: The side it is of.
    """
    question = str(record["question_id"])
    hashes = (side.asked[asked_as(record)], side.golds[question], side.targets[question])
    labels = (str(record[name]) for name in DIMENSIONS)
    return [question, *labels, *hashes, *(_written(record["scores"][name]) for name in MEASURES)]


def record_of(cells: Sequence[str]) -> tuple[dict[str, Any], tuple[str, str, str]]:
    """Return a case as in ``records`` of a side, and its hashes: asked, gold and target.

    Args:
        cells: The cells of a line.

    Raises:
        ValueError: If there are too few, or a number is none.
    """
    named = dict(zip(COLUMNS, cells, strict=True))
    labels = {name: int(named[name]) if name in _NUMBERS else named[name] for name in DIMENSIONS}
    scores = {name: float(named[name]) if named[name] else None for name in MEASURES}
    asked, gold, target = (named[name] for name in _HASHES)
    return {"question_id": named["question_id"], **labels, "scores": scores}, (asked, gold, target)


def _written(score: float | None) -> str:
    """Return a score so that the same number is read back; whole ones without the point."""
    if score is None:
        return ""
    return str(int(score)) if score == int(score) else repr(float(score))
