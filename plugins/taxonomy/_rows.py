"""Labels that the rows alone give."""

from collections.abc import Iterator, Mapping
from typing import Any

from kg.labels import with_detail
from kg.questions import Question
from plugins.taxonomy._asked import asked_of
from plugins.taxonomy._evidence import Evidence


def symptoms(shown: Evidence, scores: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is missing from the result of a query that ran or extra in it, whatever the cause."""
    if shown.empty:
        yield "empty_result"
        return
    if not shown.readable:
        return
    missing = shown.absent
    if shown.answers in ("equal", "unknown"):
        # With other reactions, other molecules are missing and extra as a matter of course.
        missing |= shown.lacking
        for key in _in_order(scores, shown.surplus - shown.counted):
            yield with_detail("extra_component", key)
    for key in _in_order(scores, missing - shown.counted):
        yield with_detail("missing_component", key)


def guesses(question: Question, shown: Evidence, scores: Mapping[str, Any]) -> Iterator[str]:
    """Yield the causes that fit the rows where the text shows none, the likeliest first."""
    if shown.empty and question.task == "multi_product":
        yield "set_logic"
    if not shown.readable:
        return
    if question.setting == "multi_step":
        yield from _of_routes(question, shown)
    else:
        yield from _of_reactions(question, shown)
    if shown.answers in ("more", "other") and len(asked_of(question).molecules) > 1:
        # All molecules are looked up, or the text would have told; not all of them bind what is found.
        yield "set_logic"


def _of_routes(question: Question, shown: Evidence) -> Iterator[str]:
    if shown.reversed:
        yield "wrong_aggregation_or_order"
    elif max(shown.lengths) < question.steps:
        # The text says nothing against the length of the path, so the path was returned in part.
        yield "return_shape"
    elif shown.lengths != {question.steps}:
        yield "path_length"
    elif shown.answers == "fewer":
        yield "duplicate_or_incomplete"


def _of_reactions(question: Question, shown: Evidence) -> Iterator[str]:
    if shown.counted:
        yield "wrong_aggregation_or_order"
    elif question.task == "best_yield" and shown.answers == "more":
        yield "limit"
    elif shown.answers == "fewer":
        yield "duplicate_or_incomplete"
    elif not (shown.absent or shown.lacking or shown.surplus):
        # Every value is there, but not in rows of one reaction each.
        yield "missing_component:id" if shown.answers == "unknown" else "wrong_aggregation_or_order"


def _in_order(scores: Mapping[str, Any], keys: frozenset[str]) -> list[str]:
    return [key for key in scores.get("per_key") or {} if key in keys]
