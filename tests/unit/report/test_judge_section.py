"""The section of the page on what a judge said."""

from pathlib import Path

import pytest
from support.judged import MODEL, REVERSED, judged_run
from support.judgements import judged
from support.records import write_run
from support.reported import MANIFEST, Read, answered, some_questions

from plugins.report import build_report


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("judged")
    report = build_report([judged_run(folder / "run")], folder / "report.html", most=50)
    return report.page.read_text("utf-8")


def test_agreement_is_told_by_task_and_variant(html: str) -> None:
    page = Read(html)
    assert '<a href="#judge">' in html
    assert f"{MODEL}, with the reference query" in page.text
    assert f"{MODEL}, without the reference query" in page.text
    of_all = [row for row in page.rows if row[0] == "all" and len(row) == 13][1:]
    assert [row[1] for row in of_all] == ["120", "118"]
    assert float(of_all[0][7].replace("\N{MINUS SIGN}", "-")) > 0.8
    assert "Without a score: 2 malformed." in page.text


def test_loops_stand_side_by_side(html: str) -> None:
    page = Read(html)
    captions = [line for line in page.text.splitlines() if line.startswith("m, loop")]
    # Both variants, each with and without the loop.
    assert len(captions) == 4
    assert html.count("have which score") == 4
    assert ["Task", "m, none", "95 % interval", "m, review", "95 % interval"] in page.rows


def test_stated_issues_are_counted_by_label(html: str) -> None:
    rows = Read(html).rows
    assert ["cases rejected", "21", "1", ""] in rows
    assert ["traversal direction", "21", "1", "·"] in rows


def test_what_is_most_disagreed_on_is_listed_with_its_page_and_escaped(html: str) -> None:
    page = Read(html)
    name = f"{some_questions()[4].id}-P5-ZS-none-m"
    (row,) = [row for row in page.rows if row[0] == name and len(row) == 4]
    assert row[1:] == ["1.000", "0.100", REVERSED]
    assert "<b>nothing</b>" not in html
    assert any(tag == "a" and name in str(attrs.get("href")) for tag, attrs in page.tags)


def test_a_run_without_a_judge_has_no_such_section(tmp_path: Path) -> None:
    question = some_questions()[0]
    run = write_run(tmp_path / "run", [answered(question, True)], [question], {**MANIFEST, "cases": 1})
    report = build_report([run], tmp_path / "report.html", most=50)
    assert 'id="judge"' not in report.page.read_text("utf-8")


def test_cases_whose_judge_could_not_be_asked_were_run(tmp_path: Path) -> None:
    right, wrong = some_questions()[:2]
    fault = {"stage": "judge", "kind": "authentication", "message": "bad key"}
    unjudged = {"judge": judged(None, None), "infrastructure_error": fault}
    records = [answered(right, True, **unjudged), answered(wrong, False, **unjudged)]
    run = write_run(tmp_path / "run", records, [right, wrong], {**MANIFEST, "cases": 2})

    report = build_report([run], tmp_path / "report.html", most=50)

    assert (report.cases, report.failed, report.listed, report.not_run) == (2, 1, 1, 0)
    html = report.page.read_text("utf-8")
    assert 'id="not-run"' not in html
    assert "Without a score: 2 malformed." in Read(html).text
