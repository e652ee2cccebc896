"""A page of a case shows what differs, and no more of it than a browser bears."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from support.records import write_run
from support.reported import MANIFEST, Read, answered, some_questions
from support.schemas import DEFAULT_SCHEMA_TEXT

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.compact import read_manifest
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.reporting.html.case_pages import CasePages, case_folder, file_of
from retrocypher.plugins.reporting.html.report import build_report
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Round
from retrocypher.plugins.scoring.score import score

GRAPH = read_manifest()["fingerprint"]
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\ud800\u2028"


def question_of(task: str) -> Question:
    return next(question for question in some_questions() if question.task == task)


def pages_of(question: Question, fingerprint: str | None = GRAPH, name: str = "run") -> CasePages:
    graph = {"fingerprint": fingerprint or "", "schema": DEFAULT_SCHEMA_TEXT}
    with TemporaryDirectory() as folder:
        return CasePages(RunLog(write_run(Path(folder), [], [question], {"graph": graph})), name, "../r.html")


def page_of(question: Question, fingerprint: str | None = GRAPH, **fields: Any) -> str:
    record = answered(question, False, **fields)
    if record.execution is not None:
        record.scores = score(question, record.execution, None, text_metrics=False)
    return pages_of(question, fingerprint).render(record)


def execution(columns: list[str], rows: list[Any], **more: Any) -> dict[str, Any]:
    return {"status": "ok", "columns": columns, "rows": rows, "row_count": len(rows), **more}


def marked(html: str, kind: str) -> list[str]:
    """Return the texts that are marked so."""
    return [part.split("</mark>")[0] for part in html.split(f'<mark class="{kind}">')[1:]]


def test_missing_values_and_those_too_many_are_marked() -> None:
    question = question_of("precursors")
    gold = question.gold[0]
    row = [gold["id"], ["CCO", *gold["reactants"][1:]], gold["products"]]
    html = page_of(question, execution=execution(["id", "precursors", "products"], [row]))
    assert marked(html, "extra") == ["CCO"]
    assert gold["reactants"][0] in marked(html, "missing")
    assert not {*gold["products"]} & {*marked(html, "missing"), *marked(html, "extra")}


def test_routes_are_told_apart_and_drawn() -> None:
    question = question_of("chains_to_target")
    right, *_ = (row["route"] for row in question.gold)
    node = [{"$node": {"id": "x", "labels": ["Reaction"], "properties": {"id": number}}} for number in (1, 2)]
    html = page_of(question, execution=execution(["route"], [[right], [node]]))
    read = Read(html)
    assert "1 were found" in read.text
    assert "found " + " → ".join(map(str, right)) in read.text
    assert "too much 1 → 2" in read.text
    assert "reaction extra" in [attributes["class"] for tag, attributes in read.tags if tag == "rect"]
    assert [tag for tag, _ in read.tags].count("symbol") > 1
    # On another graph boxes are drawn without molecules.
    html = page_of(question_of("chains_to_target"), fingerprint="another", execution=execution(["x"], []))
    tags = [tag for tag, _ in Read(html).tags]
    assert "rect" in tags
    assert tags.count("symbol") == 1


def test_the_difference_of_queries_is_marked_by_token() -> None:
    question = question_of("precursors")
    query = question.reference_cypher.replace("USES_SOLVENT", "USES_AGENT").replace("RETURN", "return")
    html = page_of(question, cypher=query)
    assert html.count("<del>") == html.count("<ins>") == 1
    assert "<del>USES_AGENT</del>" in html.replace('<span class="k">', "").replace("</span>", "")


@pytest.mark.parametrize("cypher", ["MATCH (n) " * 40_000, "'" * 30_000, "RETURN 1 // " + "x" * 50_000])
def test_a_huge_query_is_cut_and_said_to_be(cypher: str) -> None:
    html = page_of(question_of("precursors"), cypher=cypher)
    assert "Only the first 20,000 characters of the query are shown" in html
    assert len(html) < 1_500_000


def test_many_rows_are_cut_and_said_to_be() -> None:
    columns = [f"c{place}" for place in range(40)]
    rows = [[["x" * 500] * 200] * 40 for _ in range(40)]
    cut = execution(columns, rows, row_count=10_000, truncated=True)
    html = page_of(question_of("precursors"), execution=cut)
    assert "10,000 rows came back; the first 30 are shown" in html
    assert "40 columns came back; the first 12 are shown" in html
    assert "cut at the cap" in html
    many = [[f"C{'C' * place}"] for place in range(10_000)]
    html = page_of(question_of("precursors"), execution=execution(["reactants"], many))
    assert len(html) < 400_000


def test_nothing_in_a_record_becomes_a_part_of_the_page() -> None:
    question = question_of("precursors")

    def with_text(text: str) -> Read:
        found = execution([text], [[text], [[{text: text}]]])
        names = dict.fromkeys(("cypher", "model", "prompt", "shot"), text)
        turn = Round(text, None, text + text, text, text, [{text: text}])
        record = answered(question, False, **names, errors=[text], execution=found, rounds=[turn])
        record.question = text
        record.scores = score(question, record.execution, None, text_metrics=False)
        return Read(pages_of(question, None, text).render(record))

    hostile, plain = with_text(HOSTILE), with_text("plain")
    assert {tag for tag, _ in hostile.tags} == {tag for tag, _ in plain.tags}
    assert [tag for tag, _ in hostile.tags].count("script") == 1
    assert not [name for _, attributes in hostile.tags for name in attributes if name.startswith("on")]


@pytest.mark.parametrize("value", ["not a molecule", "C" * 5_000, "C1CC", "", "\ud800", "[Xx]", "é"])
def test_what_rdkit_cannot_draw_is_shown_as_text(value: str) -> None:
    html = page_of(question_of("precursors"), execution=execution(["reactants"], [[value]]))
    html.encode()
    assert "too much" in html


def test_values_that_json_has_no_form_for_are_shown() -> None:
    date = {"$temporal": {"type": "date", "value": "2026-01-01"}}
    values = [{"$float": "NaN"}, date, True, None, 1e300, -0.0]
    html = page_of(question_of("precursors"), execution=execution(["reactants"], [[values]]))
    assert "NaN" in html
    assert "2026-01-01" in html


def test_pages_take_the_place_of_older_ones_and_of_nothing_else(tmp_path: Path) -> None:
    with case_folder(tmp_path / "cases") as folder:
        (folder / "a.html").write_text("a")
    with case_folder(tmp_path / "cases") as folder:
        (folder / "b.html").write_text("b")
    assert [each.name for each in (tmp_path / "cases").glob("*.html")] == ["b.html"]
    with pytest.raises(ZeroDivisionError), case_folder(tmp_path / "cases"):
        raise ZeroDivisionError
    assert [each.name for each in (tmp_path / "cases").glob("*.html")] == ["b.html"]
    (tmp_path / "mine").mkdir()
    with pytest.raises(InputError, match="no report wrote"), case_folder(tmp_path / "mine"):
        pass


def test_names_of_pages_are_safe_and_their_own() -> None:
    names = {file_of("run", case) for case in ("a/../b", "a\\b", "a b", "<a>", "x" * 999, "\ud800")}
    assert len(names) == 6
    assert all(name.isascii() and len(name) < 120 and "/" not in name and ".." not in name for name in names)


def test_each_failed_case_has_a_page_and_a_link_to_it(tmp_path: Path) -> None:
    questions = some_questions(1)
    run = write_run(tmp_path / "run", [answered(q, False) for q in questions], questions, dict(MANIFEST))
    report = build_report([run], run / "report.html", most=99)
    assert report.pages == 10
    links = {attributes["href"] or "" for tag, attributes in Read(report.page.read_text()).tags if tag == "a"}
    pages = {f"report-cases/{each.name}" for each in report.folder.glob("*.html")}
    assert pages <= links
    assert len(pages) == 10
