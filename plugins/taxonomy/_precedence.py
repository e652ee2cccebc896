"""Which of several errors comes first; ``docs/taxonomy.md`` gives the reasons."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kg.labels import detail_of, name_of
from plugins.taxonomy._evidence import Evidence

CAUSES_FIRST = (
    "altered_smiles",
    "wrong_entity",
    "schema_violation",
    "traversal_direction",
    "wrong_relationship",
    "endpoint_anchoring",
    "path_length",
    "set_logic",
    "missing_null_check",
    "wrong_aggregation_or_order",
    "limit",
    "duplicate_or_incomplete",
    "return_shape",
    "extra_component",
    "missing_component",
    "empty_result",
    "other",
)
"""From what makes all else meaningless to what is only seen in the rows."""

_SELECTING = frozenset(
    {
        "altered_smiles",
        "wrong_entity",
        "endpoint_anchoring",
        "path_length",
        "set_logic",
        "missing_null_check",
        "limit",
    }
)
"""Errors that return other reactions or routes than those of gold, or leave the result as it is."""

_OUT_OF_MEMORY = frozenset(
    {
        "Neo.TransientError.General.MemoryPoolOutOfMemoryError",
        "Neo.TransientError.General.OutOfMemoryError",
        "Neo.ClientError.Transaction.TransactionTimedOut",
    }
)

_RUNAWAY = frozenset(
    {
        "altered_smiles",
        "wrong_entity",
        "traversal_direction",
        "wrong_relationship",
        "endpoint_anchoring",
        "path_length",
        "duplicate_or_incomplete",
    }
)
"""Errors that can make a query run for ever or out of memory."""


def ranked(labels: Iterable[str], shown: Evidence, scores: Mapping[str, Any]) -> list[str]:
    """Return labels without repetition, those that explain the result first.

    A label that the rows contradict is kept behind those that they do not: it is wrong with the query, but
    it is not why this case failed.
    """
    return sorted(
        dict.fromkeys(labels), key=lambda label: (contradicted(label, shown, scores), _place(label, shown))
    )


def _place(label: str, shown: Evidence) -> tuple[float, bool]:
    name = name_of(label)
    place = float(CAUSES_FIRST.index(name))
    if name == "return_shape" and not shown.readable:
        # Of what cannot be read at all, no flaw that returns too much or too little is known to matter.
        place = CAUSES_FIRST.index("path_length") + 0.5
    # Without an id only rows run together; without another component the answer itself is not there.
    return place, detail_of(label) == "id"


def specific(labels: Iterable[str]) -> list[str]:
    """Return labels without repetition; a name alone gives way to what has it with a detail."""
    distinct = list(dict.fromkeys(labels))
    named = {
        label: [each for each in distinct if name_of(each) == label and detail_of(each) not in (None, "id")]
        for label in distinct
    }
    return list(dict.fromkeys(each for label in distinct for each in named[label] or [label]))


def with_status(labels: Sequence[str], status: str, code: str | None) -> list[str]:
    """Put the label of a status that is not ``ok`` in its place among those of the text."""
    if status == "timeout" or (status == "runtime_error" and code in _OUT_OF_MEMORY):
        causes = [label for label in labels if name_of(label) in _RUNAWAY]
        return [*causes, status, *(label for label in labels if label not in causes)]
    return [status, *labels]


def contradicted(label: str, shown: Evidence, scores: Mapping[str, Any]) -> bool:
    """Whether the rows show that an error cannot be why the result is wrong."""
    name, detail = name_of(label), detail_of(label)
    if shown.status != "ok":
        return False
    if shown.empty:
        return name in ("missing_component", "extra_component")
    if name == "limit" and shown.answers == "more" and "target_yield" not in (scores.get("per_key") or {}):
        # Where all are asked for, it can only have taken some away.
        return True
    if name in _SELECTING:
        return shown.answers == "equal"
    if name == "missing_component" and detail == "id":
        return shown.answers != "unknown"
    if name in ("missing_component", "extra_component") and detail in shown.counted:
        return True
    if name in ("missing_component", "extra_component") and detail in (scores.get("per_key") or {}):
        return detail not in (shown.surplus if name == "extra_component" else shown.absent | shown.lacking)
    if name == "duplicate_or_incomplete":
        whole = not shown.lacking and not shown.surplus
        return whole and (bool(shown.absent) or scores.get("row_f1") == 1.0)
    if name == "return_shape":
        return shown.reversed or (bool(scores.get("per_key")) and shown.readable and not shown.absent)
    return False
