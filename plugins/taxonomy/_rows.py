"""Labels that the rows alone give, where the text tells no cause."""

from collections.abc import Iterator, Mapping
from typing import Any

from kg.labels import with_detail
from kg.questions import Question
from plugins.taxonomy._evidence import Evidence


def row_labels(question: Question, shown: Evidence, scores: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the rows of a wrong answer show, the most telling first."""
    if shown.status != "ok":
        return
    if shown.empty:
        yield "empty_result"
        return
    if not shown.readable:
        yield "return_shape"
        return
    if question.setting == "multi_step":
        yield from _of_routes(question, shown)
    else:
        yield from _of_reactions(shown, scores)


def _of_routes(question: Question, shown: Evidence) -> Iterator[str]:
    if shown.reversed:
        yield "wrong_aggregation_or_order"
    elif shown.lengths != {question.steps}:
        yield "path_length"
    if shown.answers == "fewer":
        yield "duplicate_or_incomplete"


def _of_reactions(shown: Evidence, scores: Mapping[str, Any]) -> Iterator[str]:
    for key in _in_order(scores, shown.absent):
        yield with_detail("missing_component", key)
    if shown.answers in ("equal", "unknown"):
        for key in _in_order(scores, shown.lacking):
            yield with_detail("missing_component", key)
        for key in _in_order(scores, shown.surplus):
            yield with_detail("extra_component", key)
    if shown.answers == "fewer":
        yield "duplicate_or_incomplete"
    if not (shown.absent or shown.lacking or shown.surplus):
        # Every value is there, but not in rows of one reaction each.
        yield "wrong_aggregation_or_order"


def _in_order(scores: Mapping[str, Any], keys: frozenset[str]) -> list[str]:
    return [key for key in scores.get("per_key") or {} if key in keys]
