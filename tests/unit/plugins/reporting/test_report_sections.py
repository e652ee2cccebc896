"""Written answers on the page, and on that of a case."""

from pathlib import Path
from typing import Any

from support.records import write_run
from support.reported import MANIFEST, Read, answered, some_questions
from support.verified import written

from retrocypher.plugins.reporting.html.case_pages import CasePages
from retrocypher.plugins.reporting.html.report import build_report
from retrocypher.plugins.runs.log import RunLog

HOSTILE = "</script><img src=x onerror=alert(1)>"


def run(folder: Path) -> Path:
    questions = some_questions(2)
    kinds = ("VERIFIED", "REFUTED")
    records = [
        answered(question, True, **written(verdict=kinds[number % 2]))
        for number, question in enumerate(questions)
    ]
    return write_run(folder, records, questions, {**MANIFEST, "cases": len(records)})


def measured(faithfulness: float | None) -> dict[str, Any]:
    error = None if faithfulness is not None else {"kind": "malformed", "message": "no JSON"}
    return {
        "model": "j",
        "faithfulness": {"score": faithfulness, "parts": 4, "error": error},
        "answer_relevancy": {"score": 1.0, "parts": 2, "error": None},
    }


def test_verdicts_are_told_by_task(tmp_path: Path) -> None:
    html = build_report([run(tmp_path / "run")], tmp_path / "report.html", most=50).page.read_text("utf-8")
    assert '<a href="#answers">' in html
    rows = Read(html.partition('id="answers"')[2].partition("</section>")[0]).rows
    assert rows[0][:4] == ["Task", "Cases", "Written", "Verified"]
    assert rows[1] == ["all", "20", "20", "10", "0", "10", "0", "0", "0", "0", "0.500"]
    assert ["precursors", "2", "2", "1", "0", "1", "0", "0", "0", "0", "0.500"] in rows


def test_what_a_judge_measured_of_answers_is_told(tmp_path: Path) -> None:
    scores = (0.25, 0.75, None)
    questions = some_questions(1)[:3]
    records = [
        answered(question, True, **written(judge=measured(score)))
        for question, score in zip(questions, scores, strict=True)
    ]
    made = write_run(tmp_path / "run", records, questions, {**MANIFEST, "cases": len(records)})
    html = build_report([made], tmp_path / "report.html", most=50).page.read_text("utf-8")
    part = html.partition('id="answers"')[2].partition("</section>")[0]
    rows = Read(part).rows
    assert rows[0][-3:] == ["Support", "Faithfulness", "Answer relevancy"]
    assert rows[1][-3:] == ["1.000", "0.500", "1.000"]
    assert "over the answers that have one" in part


def test_a_run_without_answers_has_no_such_section(tmp_path: Path) -> None:
    questions = some_questions(1)
    plain = write_run(tmp_path / "run", [answered(each, True) for each in questions], questions, MANIFEST)
    assert 'id="answers"' not in build_report([plain], tmp_path / "report.html", most=50).page.read_text(
        "utf-8"
    )


def test_a_case_shows_its_answer_and_claims(tmp_path: Path) -> None:
    question = some_questions(1)[0]
    log = RunLog(write_run(tmp_path, [], [question], MANIFEST))
    pages = CasePages(log, "run", "../report.html")
    record = answered(question, False, **written(HOSTILE, "REFUTED", shortcomings=[HOSTILE]))
    html = pages.render(record)
    assert HOSTILE not in html
    text = Read(html).text
    assert "Written answer" in text
    assert "REFUTED, 0% of 1 claim supported" in text
    assert "CONTRADICTED: (5, PRODUCES, CCO); it is a solvent there; reaction 5 (a.parquet, row 3)" in text
    bare = answered(question, False)
    assert "Written answer" not in Read(pages.render(bare)).text
