import json
from pathlib import Path

from support.allure_results import attachments, shown
from support.records import record_of

from retrocypher.plugins.reporting.allure.results import CAP, ResultWriter
from retrocypher.plugins.reporting.case_view import CaseView
from retrocypher.plugins.runs.record import Round


def attached(folder: Path, name: str) -> str:
    (result,) = shown(folder).values()
    return attachments(result)[name]


def test_long_rows_and_texts_are_cut_and_say_so(tmp_path: Path) -> None:
    rows = [{"id": number, "name": "C" * 50} for number in range(10_000)]
    record = record_of(rounds=[Round("generator", None, "", "x" * 50_000, findings=rows)])
    ResultWriter(tmp_path / "long").write(CaseView(record, None), 0, 1)
    short = record_of(rounds=[Round("generator", None, "", None, findings=rows[:3])])
    ResultWriter(tmp_path / "short").write(CaseView(short, None), 0, 1)
    shown_rows = attached(tmp_path / "long", "findings")
    assert len(shown_rows) < CAP + 200
    assert "of 10,000 rows: see the case in records.jsonl" in shown_rows.splitlines()[-1]
    assert json.loads(attached(tmp_path / "short", "findings")) == rows[:3]
    assert attached(tmp_path / "long", "Cypher").endswith(
        f"… {50_000 - CAP:,} more characters: see the case in records.jsonl"
    )
