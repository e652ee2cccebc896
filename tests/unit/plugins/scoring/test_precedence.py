"""Which of several errors comes first, and what rows contradict."""

from typing import Any

import pytest

from retrocypher.plugins.runs.record import KeyScore, Scores
from retrocypher.plugins.scoring.label_evidence import Evidence
from retrocypher.plugins.scoring.labels import CAUSES_FIRST, contradicted, ranked, specific, with_status

OUT_OF_MEMORY = "Neo.TransientError.General.MemoryPoolOutOfMemoryError"
KEYS = ("reactants", "products", "agents", "solvents")


def shown(**fields: Any) -> Evidence:
    seen: dict[str, Any] = {"status": "ok", "empty": False, "readable": True, "answers": "other"}
    differing = {"absent": frozenset(), "lacking": frozenset({"agents"}), "surplus": frozenset()}
    return Evidence(**{**seen, **differing, **fields})


def scores(*keys: str, row_f1: float = 0.5) -> Scores:
    some = KeyScore(0.5, 0.5, 0.5, 1, 1, 1, "exact", {})
    return Scores(f1=0.5, per_key=dict.fromkeys(keys or KEYS, some), row_f1=row_f1)


@pytest.mark.parametrize(
    ("label", "fields", "is_contradicted"),
    [
        ("wrong_entity", {"answers": "equal"}, True),
        ("wrong_entity", {"answers": "fewer"}, False),
        ("traversal_direction", {"answers": "equal"}, False),
        ("limit", {"answers": "more"}, True),
        ("limit", {"answers": "fewer"}, False),
        ("missing_component:agents", {}, False),
        ("missing_component:solvents", {}, True),
        ("missing_component:solvents", {"absent": frozenset({"solvents"})}, False),
        ("missing_component:agents", {"counted": frozenset({"agents"})}, True),
        ("missing_component:id", {"answers": "unknown"}, False),
        ("missing_component:id", {"answers": "equal"}, True),
        ("missing_component:agents", {"empty": True}, True),
        ("traversal_direction", {"empty": True}, False),
        ("extra_component:agents", {"surplus": frozenset({"agents"})}, False),
        ("extra_component:agents", {}, True),
        ("duplicate_or_incomplete", {}, False),
        ("duplicate_or_incomplete", {"lacking": frozenset(), "absent": frozenset({"agents"})}, True),
        ("return_shape", {}, True),
        ("return_shape", {"readable": False}, False),
        ("limit", {"status": "timeout", "answers": "equal"}, False),
    ],
)
def test_rows_contradict_what_cannot_have_made_them(
    label: str, fields: dict[str, Any], is_contradicted: bool
) -> None:
    assert contradicted(label, shown(**fields), scores()) == is_contradicted
    # Where one reaction is asked for, a limit can return too much.
    assert not contradicted("limit", shown(answers="more"), scores(*KEYS, "target_yield"))
    # Routes in the wrong order have the right shape.
    assert contradicted("return_shape", shown(reversed=True), {"per_key": None, "row_f1": None})


def test_causes_come_before_symptoms_and_contradicted_labels_last() -> None:
    found = ["missing_component:agents", "limit", "duplicate_or_incomplete", "traversal_direction"]
    assert ranked(found, shown(answers="more"), scores()) == [
        "traversal_direction",
        "duplicate_or_incomplete",
        "missing_component:agents",
        "limit",
    ]
    assert ranked(reversed(CAUSES_FIRST), shown(status="timeout"), scores()) == list(CAUSES_FIRST)
    # A result that cannot be read at all has the wrong shape before it has too many rows.
    found = ["set_logic", "return_shape", "path_length"]
    assert ranked(found, shown(readable=False), scores()) == ["path_length", "return_shape", "set_logic"]


def test_a_name_gives_way_to_its_details_and_the_id_comes_last() -> None:
    found = ["limit", "missing_component", "missing_component:id", "missing_component:agents", "limit"]
    assert specific(found) == ["limit", "missing_component:agents", "missing_component:id"]
    assert specific(["missing_component", "missing_component:id"]) == [
        "missing_component",
        "missing_component:id",
    ]


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [
        ("timeout", None, ["path_length", "timeout", "limit"]),
        ("runtime_error", OUT_OF_MEMORY, ["path_length", "runtime_error", "limit"]),
        ("runtime_error", "Neo.ClientError.X", ["runtime_error", "path_length", "limit"]),
        ("syntax_error", None, ["syntax_error", "path_length", "limit"]),
    ],
)
def test_a_status_comes_after_what_made_a_query_run_away(
    status: str, code: str | None, expected: list[str]
) -> None:
    assert with_status(["path_length", "limit"], status, code) == expected
