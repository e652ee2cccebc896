"""What Allure shows at the top of a case: its scores and its labels."""

import json
from html import escape
from pathlib import Path
from typing import Any

import pytest
from support.records import record_of

from retrocypher.kg.labels.error_labels import LABELS
from retrocypher.plugins.reporting.allure.results import ResultWriter
from retrocypher.plugins.reporting.case_view import CaseView
from retrocypher.plugins.runs.record import Explanation

EMPTY: dict[str, Any] = {"precision": None, "recall": None, "f1": None, "stage": None, "columns": {}}
COUNTS = {"tp": 1, "fp": 0, "fn": 1}


@pytest.fixture
def description(tmp_path: Path) -> Any:
    def shown(errors: list[str] | None = None, why: dict[str, str] | None = None, **scores: Any) -> str:
        record = record_of(scores={"f1": 0.0, **scores}, errors=errors or [])
        ResultWriter(tmp_path).write(CaseView(record, None, Explanation([], why or {})), 0, 1)
        (file,) = tmp_path.glob("*-result.json")
        return str(json.loads(file.read_text())["descriptionHtml"])

    return shown


def test_labels_are_listed_with_their_meanings_in_order(description: Any) -> None:
    assert description(["traversal_direction", "missing_component:agents", "<of a later version>"]).endswith(
        "<ol>"
        f"<li><code>traversal_direction</code>: {escape(LABELS['traversal_direction'].meaning)}</li>"
        f"<li><code>missing_component:agents</code>: {escape(LABELS['missing_component'].meaning)}</li>"
        "<li><code>&lt;of a later version&gt;</code></li>"
        "</ol>"
    )


def test_what_else_is_known_follows_the_labels(description: Any) -> None:
    shown = description(["other"], {"loop": "cove: corrector: no_query <&>"})
    assert shown.endswith("</ol><p><b>loop</b>: cove: corrector: no_query &lt;&amp;&gt;</p>")


def test_the_defined_scores_and_the_keys_have_a_line_each(description: Any) -> None:
    found = {"precision": 1.0, "recall": 0.5, "f1": 2 / 3, "stage": "stem", "columns": {}}
    per_key = {"reactants": {**found, **COUNTS}, "agents": {**EMPTY, **COUNTS}}
    assert description(f1=2 / 3, per_key=per_key, unmatched_columns=["x"], bleu=1.0) == (
        "<p><b>0.667</b> f1<br><b>1.000</b> bleu</p><br>"
        "<p><b>reactants</b>: F1 0.667, precision 1.000, recall 0.500 (column matched by stem)<br>"
        "<b>agents</b>: nothing expected and nothing returned</p><br>"
    )


def test_a_case_without_keys_has_one_part(description: Any) -> None:
    assert description() == "<p><b>0.000</b> f1</p><br>"


def test_names_from_an_answer_are_no_markup(description: Any) -> None:
    found = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "stage": None, "columns": {}, **COUNTS}
    shown = description(per_key={"<i>": found})
    assert "<b>&lt;i&gt;</b>: F1 1.000, precision 1.000, recall 1.000 (no column)" in shown
