"""The sections of the page on written answers and on what a judge said."""

from pathlib import Path
from typing import Any

import pytest
from support.calibrated import JUDGE_ENTRY, calibration
from support.judged import MODEL, REVERSED, judged, judged_run
from support.records import write_run
from support.reported import MANIFEST, Read, answered, some_questions
from support.verified import written

from retrocypher.kg.errors import InputError
from retrocypher.kg.evidence.lookup import evidence_of, gold_confidence
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.judge.stored_calibration import HOME, keep
from retrocypher.plugins.reporting.html.case_pages import CasePages
from retrocypher.plugins.reporting.html.report import Report, build_report
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Record

HOSTILE = "</script><img src=x onerror=alert(1)>"


def report_on(folder: Path, records: list[Record], **options: Any) -> Report:
    run = write_run(folder / "run", records, some_questions(), {**MANIFEST, "cases": len(records)})
    return build_report([run], folder / "report.html", most=50, **options)


def html_of(report: Report) -> str:
    return report.page.read_text("utf-8")


def section(html: str, name: str) -> str:
    return html.partition(f'id="{name}"')[2].partition("</section>")[0]


def measured(faithfulness: float | None) -> dict[str, Any]:
    error = None if faithfulness is not None else {"kind": "malformed", "message": "no JSON"}
    return {
        "model": "j",
        "faithfulness": {"score": faithfulness, "parts": 4, "error": error},
        "answer_relevancy": {"score": 1.0, "parts": 2, "error": None},
    }


def test_verdicts_are_told_by_task(tmp_path: Path) -> None:
    kinds = ("VERIFIED", "REFUTED")
    questions = some_questions(2)
    records = [answered(q, True, **written(verdict=kinds[n % 2])) for n, q in enumerate(questions)]
    html = html_of(report_on(tmp_path, records))
    assert '<a href="#answers">' in html
    rows = Read(section(html, "answers")).rows
    assert rows[0][:4] == ["Task", "Cases", "Written", "Verified"]
    assert rows[1] == ["all", "20", "20", "10", "0", "10", "0", "0", "0", "0", "0.500", "0.500", "n/a"]
    assert ["precursors", "2", "2", "1", "0", "1", "0", "0", "0", "0", "0.500", "0.500", "n/a"] in rows


def test_provenance_and_citations_are_told(tmp_path: Path) -> None:
    found = written()
    found["claims"][0]["traced"] = True
    found["citations"] = {
        "sentences": 3,
        "cited": 2,
        "citations": 2,
        "wrong": ["sentence 1, row 9: not given"],
    }
    part = section(html_of(report_on(tmp_path, [answered(some_questions(1)[0], True, **found)])), "answers")
    rows = Read(part).rows
    assert rows[0][-5:] == ["Support", "Hallucination", "Provenance", "Cited", "Wrong"]
    assert rows[1][-5:] == ["1.000", "0.000", "1.000", "2 of 3", "1"]


def test_what_a_judge_measured_of_answers_is_reported(tmp_path: Path) -> None:
    asked = zip(some_questions(1), (0.25, 0.75, None), strict=False)
    records = [answered(question, True, **written(judge=measured(score))) for question, score in asked]
    part = section(html_of(report_on(tmp_path, records)), "answers")
    rows = Read(part).rows
    assert rows[0][-4:] == ["Hallucination", "Provenance", "Faithfulness", "Answer relevancy"]
    assert rows[1][-4:] == ["0.000", "n/a", "0.500", "1.000"]
    assert "over the answers that have one" in part


def test_a_run_without_answers_or_a_judge_has_no_such_section(tmp_path: Path) -> None:
    html = html_of(report_on(tmp_path, [answered(some_questions()[0], True)]))
    assert 'id="answers"' not in html
    assert 'id="judge"' not in html


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


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("judged")
    return html_of(build_report([judged_run(folder / "run")], folder / "report.html", most=50))


def test_agreement_is_told_by_task_and_variant(html: str) -> None:
    page = Read(html)
    assert '<a href="#judge">' in html
    assert f"{MODEL}, with the reference query" in page.text
    assert f"{MODEL}, without the reference query" in page.text
    of_all = [row for row in page.rows if row[0] == "all" and len(row) == 13][1:]
    assert [row[1] for row in of_all] == ["120", "118"]
    assert float(of_all[0][7].replace("\N{MINUS SIGN}", "-")) > 0.8
    assert "Without a score: 2 malformed." in page.text


def test_loops_stand_side_by_side_and_issues_by_label(html: str) -> None:
    page = Read(html)
    captions = [line for line in page.text.splitlines() if line.startswith("m, loop")]
    # Both variants, each with and without the loop.
    assert len(captions) == 4
    assert html.count("have which score") == 4
    assert ["Task", "m, none", "95 % interval", "m, review", "95 % interval"] in page.rows
    rows = page.rows
    assert ["cases rejected", "21", "1", ""] in rows
    assert ["traversal direction", "21", "1", "·"] in rows


def test_what_is_most_disagreed_on_is_listed_with_its_page_and_escaped(html: str) -> None:
    page = Read(html)
    name = f"{some_questions()[4].id}-P5-ZS-none-m"
    (row,) = [row for row in page.rows if row[0] == name and len(row) == 4]
    assert row[1:] == ["1.000", "0.100", REVERSED]
    assert "<b>nothing</b>" not in html
    assert any(tag == "a" and name in str(attrs.get("href")) for tag, attrs in page.tags)


def test_cases_whose_judge_could_not_be_asked_were_run(tmp_path: Path) -> None:
    right, wrong = some_questions()[:2]
    fault = {"stage": "judge", "kind": "authentication", "message": "bad key"}
    unjudged = {"judge": judged(None, None), "infrastructure_error": fault}
    records = [answered(right, True, **unjudged), answered(wrong, False, **unjudged)]
    report = report_on(tmp_path, records)
    assert (report.cases, report.failed, report.listed, report.not_run) == (2, 1, 1, 0)
    html = html_of(report)
    assert 'id="not-run"' not in html
    assert "Without a score: 2 malformed." in Read(html).text


def page_with_judge(root: Path) -> str:
    """Return the page of a run whose manifest names its judge."""
    run = judged_run(root / "run", JUDGE_ENTRY)
    return html_of(build_report([run], run / "report.html", most=5, root=root))


def test_the_calibration_on_file_stands_beside_what_the_judge_says(tmp_path: Path) -> None:
    keep(calibration(mistaken=6), "one", tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "judge-and-answers.md").write_text("# Defined here")
    page = page_with_judge(tmp_path)
    rows, text = Read(page).rows, Read(page).text
    assert "Reliability on known queries: calibration one of 2026-01-02" in text
    measured = calibration(mistaken=6).variants["with_reference"]
    (kappa,) = [row for row in rows if row[0] == "kappa"]
    assert kappa[2] == f"+{measured.kappa.value:.3f}"
    assert kappa[3].startswith(f"[+{measured.kappa.low:.3f}, ")
    (accepts,) = [row for row in rows if row[0] == "false accepts, all errors"]
    assert accepts[1:3] == [str(measured.false_accept_rate.n), f"{measured.false_accept_rate.value:.3f}"]
    names = {label.replace("_", " ") for label in measured.by_error}
    labels = [row for row in rows if row[0] in names and len(row) == 4 and row[1] == "3"]
    assert len(labels) == len(measured.by_error)
    # The worst come first.
    assert [row[2] for row in labels] == sorted((row[2] for row in labels), reverse=True)
    # It has one variant; of the other nothing is known.
    assert text.count("There is no stored calibration of this judge") == 1
    assert '<a href="../docs/judge-and-answers.md">' in page


def test_a_judge_without_a_calibration_is_said_to_be_one(tmp_path: Path) -> None:
    read = Read(page_with_judge(tmp_path))
    assert read.text.count("There is no stored calibration of this judge") == 2
    assert "definitions: docs/judge-and-answers.md" in read.text
    # A damaged one costs nobody the report.
    (tmp_path / HOME).mkdir(parents=True)
    (tmp_path / HOME / "bad<b>.json").write_text("{")
    page = page_with_judge(tmp_path)
    assert "The stored calibrations cannot be read" in Read(page).text
    assert "bad<b>" not in page


@pytest.mark.parametrize("label_noise", [False, True])
def test_the_page_tells_how_sure_gold_is(tmp_path: Path, label_noise: bool) -> None:
    questions, fingerprint = some_questions(2), load_questions().fingerprint
    records = [answered(each, number % 2 == 0) for number, each in enumerate(questions)]
    graph_entry = {"kind": "local", "fingerprint": fingerprint, "schema": ""}
    manifest = {**MANIFEST, "cases": len(records), "graph": graph_entry}
    run = write_run(tmp_path / "run", records, questions, manifest)
    html = html_of(build_report([run], tmp_path / "r.html", most=50, label_noise=label_noise))
    graph = evidence_of(fingerprint)
    assert graph is not None
    sure = [gold_confidence(graph, each).least >= 0.7 for each in questions]  # type: ignore[union-attr]
    assert 0 < sum(sure) < len(sure)
    means, by_task = Read(section(html, "gold")).rows[1], Read(section(html, "gold")).rows
    scores = [each.scores.f1 for each in records if each.scores is not None]
    of_sure = [score for score, is_sure in zip(scores, sure, strict=True) if is_sure]
    assert means[0] == "m"
    assert means[3] == f"{sum(of_sure) / len(of_sure):.3f}"
    assert means[5] == str(len(of_sure))
    assert (means[-1] == "\N{EN DASH}") != label_noise
    assert by_task[-1][:2] == ["all", str(len(questions))]
    assert by_task[-1][-1] == str(len(of_sure))


def test_the_page_of_another_graph_does_not(tmp_path: Path) -> None:
    questions = some_questions(2)
    records = [answered(each, True) for each in questions]
    assert 'id="gold"' not in html_of(report_on(tmp_path, records))
    run = write_run(tmp_path / "noise", records, questions, MANIFEST)
    with pytest.raises(InputError, match="--label-noise needs a run on the default graph"):
        build_report([run], tmp_path / "n.html", most=1, label_noise=True)
