import json
from pathlib import Path

import allure
from allure_commons.model2 import Status
from support.allure_results import attachments, shown
from support.records import record_of

from retrocypher.plugins.reporting.allure.case import CAP, attach_rows, attach_text
from retrocypher.plugins.reporting.allure.writer import ResultWriter


def attached(folder: Path, name: str) -> str:
    (result,) = shown(folder).values()
    return attachments(result)[name]


def test_long_rows_and_texts_are_cut_and_say_so(tmp_path: Path) -> None:
    rows = [{"id": number, "name": "C" * 50} for number in range(10_000)]
    with ResultWriter(tmp_path) as writer, writer.result(record_of(), 0, 1, Status.PASSED, None):
        allure.dynamic.parameter("case", 1)
        attach_rows("rows", rows)
        attach_rows("few", rows[:3])
        attach_text("text", "x" * 50_000)
    shown_rows = attached(tmp_path, "rows")
    assert len(shown_rows) < CAP + 200
    assert "of 10,000 rows: see the case in records.jsonl" in shown_rows.splitlines()[-1]
    assert json.loads(attached(tmp_path, "few")) == rows[:3]
    assert attached(tmp_path, "text").endswith(
        f"… {50_000 - CAP:,} more characters: see the case in records.jsonl"
    )
