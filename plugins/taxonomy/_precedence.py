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
    distinct = list(dict.fromkeys(labels))
    return sorted(
        distinct, key=lambda label: (contradicted(label, shown, scores), CAUSES_FIRST.index(name_of(label)))
    )


def with_status(labels: Sequence[str], status: str) -> list[str]:
    """Put the label of a status that is not ``ok`` in its place among those of the text."""
    if status in ("timeout", "runtime_error"):
        causes = [label for label in labels if name_of(label) in _RUNAWAY]
        return [*causes, status, *(label for label in labels if label not in causes)]
    return [status, *labels]


def contradicted(label: str, shown: Evidence, scores: Mapping[str, Any]) -> bool:
    """Whether the rows show that an error cannot be why the result is wrong."""
    name, detail = name_of(label), detail_of(label)
    if shown.status != "ok" or shown.empty:
        return False
    if name in _SELECTING and shown.answers == "equal":
        return True
    if name == "path_length" and len(shown.lengths) == 1 and shown.answers == "fewer":
        return False
    if name in ("missing_component", "extra_component") and detail in _SCORED:
        wrong = shown.absent | shown.lacking if name == "missing_component" else shown.surplus
        return detail not in wrong
    if name == "duplicate_or_incomplete":
        whole = not shown.lacking and not shown.surplus
        return whole and (bool(shown.absent) or scores.get("row_f1") == 1.0)
    return False


_SCORED = frozenset({"reactants", "products", "agents", "solvents", "target_yield", "co_products"})
