"""What a result holds and what it should hold, by key."""

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from kg.questions import Question
from plugins.scoring._encoder import KeyMatcher
from plugins.scoring._routes import routes
from plugins.scoring._single_step import values_of_answer, values_of_gold


class Values(NamedTuple):
    """The distinct values of one key: those of the gold answer and those that were returned."""

    gold: frozenset[Hashable]
    returned: frozenset[Hashable]


def values_by_key(
    question: Question, execution: Mapping[str, Any], key_encoder: KeyMatcher | None = None
) -> dict[str, Values]:
    """Return gold and returned values as the scores read them.

    Args:
        question: The question with its gold answer.
        execution: The record's ``execution``; nothing is returned where its status is not ``ok``.
        key_encoder: The opt-in encoder stage of key matching.

    Returns:
        Single-step: ``id`` and the scored keys. Multi-step: ``route``, each a tuple of reaction ids.
    """
    ok = execution["status"] == "ok"
    columns, rows = (execution["columns"], execution["rows"]) if ok else ([], [])
    if question.setting == "multi_step":
        gold_routes = frozenset(tuple(row["route"]) for row in question.gold)
        return {"route": Values(gold_routes, frozenset(routes(columns, rows)))}
    gold, returned = values_of_gold(question), values_of_answer(question, columns, rows, key_encoder)
    return {key: Values(frozenset(gold[key]), frozenset(returned[key])) for key in gold}
