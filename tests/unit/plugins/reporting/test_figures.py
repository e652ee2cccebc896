"""Figures are the same bytes each time; tables hold the numbers of the statistics and harm no reader."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.judged import judged_run
from support.records import write_run
from support.reported import MANIFEST, a_run, answered, some_questions

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.comparison import compare
from retrocypher.plugins.analysis.report import ReportNumbers, analyse
from retrocypher.plugins.analysis.report_runs import read_report_runs
from retrocypher.plugins.analysis.scores import ScoreTable, slice_boxes, slice_means
from retrocypher.plugins.judge.agreement import agreements, all_ratings
from retrocypher.plugins.reporting.figure_tables import as_csv, as_latex, tables
from retrocypher.plugins.reporting.figures import boxes, write_figures
from retrocypher.plugins.reporting.html.report import Report, build_report
from retrocypher.plugins.runs.log import RunLog


def rows_of(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text("utf-8"))))


def place_of(each: Any) -> tuple[str, str]:
    return each.slice["shot"], each.slice["task"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Report]:
    """A run, and its report with figures."""
    folder = tmp_path_factory.mktemp("made")
    run = a_run(folder / "run")
    return run, build_report([run], run / "report.html", most=0, figures=folder / "out")


def test_figures_and_tables_are_the_same_each_time(made: tuple[Path, Report], tmp_path: Path) -> None:
    first = made[1].figures
    second = write_figures(analyse(read_report_runs([made[0]])), tmp_path / "again")
    names = {file.name for file in first}
    boxes = ("boxes-single-step", "boxes-multi-step")
    figures = ("f1", *boxes, "errors", "text-metrics", "text-metrics-correlations")
    assert {name + ending for name in figures for ending in (".svg", ".png")} <= names
    listed = ("scores", "boxes", "errors", "text-metrics")
    assert {name + ending for name in listed for ending in (".csv", ".tex")} <= names
    assert [file.name for file in first] == [file.name for file in second]
    assert all(a.read_bytes() == b.read_bytes() for a, b in zip(first, second, strict=True))
    for file in first:
        if file.suffix == ".svg":
            text = file.read_text("utf-8")
            assert "<dc:date>" not in text
            assert "<text" not in text


def test_tables_hold_the_numbers_of_the_statistics(made: tuple[Path, Report]) -> None:
    run, out = made[0], made[1].figures[0].parent
    table = ScoreTable(RunLog(run).records(), RunLog(run).clusters)
    found = {
        (row["shot"], row["task"]): [float(row[name]) for name in ("f1", "f1_low", "f1_high")]
        for row in rows_of(out / "scores.csv")
        if row["task"] != "all"
    }
    means = slice_means(table, ("shot", "task"))
    assert found == {place_of(each): [each.mean.value, each.mean.low, each.mean.high] for each in means}
    medians = {(row["shot"], row["task"]): float(row["median"]) for row in rows_of(out / "boxes.csv")}
    assert medians == {
        place_of(each): each.box.median for each in slice_boxes(table, ("task", "prompt", "shot"))
    }


def test_comparisons_are_tabled(tmp_path: Path) -> None:
    a, b = a_run(tmp_path / "a"), a_run(tmp_path / "b")
    row = tables(analyse(read_report_runs([a, b])))["comparisons"][0]
    found = compare(*(ScoreTable(RunLog(run).records(), RunLog(run).clusters) for run in (a, b))).overall
    assert [row["task"], row["ties"], row["verdict"]] == ["all", found.ties, found.verdict.value]


def test_untrusted_names_harm_no_table(tmp_path: Path) -> None:
    text = "=cmd|' /C calc'!A0 $x^2$ \\input{/etc/passwd} & 100 % #_{}~ <b> \ud800 \u202e"
    questions = some_questions(1)
    records = [answered(q, n % 2 == 0, model=text, shot=text, prompt=text) for n, q in enumerate(questions)]
    run = write_run(tmp_path / "run", records, questions, dict(MANIFEST))
    build_report([run], run / "report.html", most=0, figures=tmp_path / "out")
    assert rows_of(tmp_path / "out" / "scores.csv")[0]["model"].startswith("'=cmd")
    latex = (tmp_path / "out" / "scores.tex").read_text("utf-8")
    assert "\\input" not in latex


def test_a_table_for_a_paper_lacks_no_number() -> None:
    fields = {"model": "my_model", "shot": "ZS", "task": "task_0", "mean_b": 1.0, "losses": 0}
    fields |= {"detectable": None, "p_value": 0.0001, "whisker_low": 0.25, "whisker_high": 0.75}
    rows = [
        fields,
        {**fields, "task": "task_1", "p_value": 0.5},
        {"model": "other", "shot": "ZS", "task": "all"},
    ]
    same, _, _, header, _, first, *_ = as_latex(rows).splitlines()
    assert same == "% In all rows: shot ZS."
    assert header == r"model & task & mean b & losses & p value & whisker low & whisker high \\"
    assert first == r"my\_model & task 0 & 1.000 & 0 & ${<}0.001$ & 0.250 & 0.750 \\"


@given(st.text(st.characters(codec=None)))
def test_any_text_is_one_cell(text: str) -> None:
    rows = [{"name": text, "value": 0.5, "value_low": 0.25, "value_high": 0.75}]
    ((header, *_), (cell, *_)) = csv.reader(io.StringIO(as_csv(rows), newline=""))
    assert header == "name"
    assert len(cell) >= len(text)
    assert not cell.startswith(("=", "+", "-", "@"))
    latex = as_latex(rows)
    latex.encode()
    body = latex.split("\\midrule\n")[1].split("\n\\bottomrule")[0]
    assert "\n" not in body
    assert len(re.findall(r"(?<!\\)&", body)) == 1
    assert body.endswith("0.500 [0.250, 0.750] \\\\")
    assert not re.search(r"(?<!\\)[$%#]", body)


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="--figures"):
        write_figures(ReportNumbers([], []), tmp_path / "file")


def test_what_a_judge_says_is_drawn_and_in_a_table(tmp_path: Path) -> None:
    run = judged_run(tmp_path / "run")
    page = analyse(read_report_runs([run]))
    others = ("scores", "boxes", "errors", "clouds", "validity", "ledger")
    alone = [replace(each, **{name: [] for name in others}) for each in page.runs]
    written = write_figures(ReportNumbers(alone, []), tmp_path / "out")
    names = {file.name for file in written}
    for variant in ("with-reference", "without-reference"):
        assert {f"judge-scores-{variant}.svg", f"judge-reliability-{variant}.png"} <= names
    rows = rows_of(tmp_path / "out" / "judge.csv")
    assert [(row["variant"], row["judged"]) for row in rows if row["task"] == "all"] == [
        ("with_reference", "120"),
        ("without_reference", "118"),
    ]
    found = agreements(all_ratings(RunLog(run).records(), RunLog(run).clusters))
    assert float(rows[0]["kappa_low"]) == found[0].overall.kappa.low


def test_a_figure_of_scores_of_0_and_1_has_shares(tmp_path: Path) -> None:
    whole = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "row_f1": 1.0}
    nothing = dict.fromkeys(whole, 0.0)
    asked = some_questions(8)
    records = [answered(q, bool(n % 4), scores=whole if n % 4 else nothing) for n, q in enumerate(asked)]
    run = write_run(tmp_path / "run", records, asked, dict(MANIFEST))
    (part,) = analyse(read_report_runs([run])).runs[0].boxes
    axes = [each for each in boxes(part.tasks).axes if each.get_xlabel()]
    assert {each.get_ylabel() for each in axes} == {"Share of cases"}
    # Shares of 1, between and 0.
    assert [[bar.get_height() for bar in each.patches] for each in axes] == [[0.75, 0.0, 0.25]] * 10


def test_a_cost_in_a_paper_has_three_significant_digits() -> None:
    assert r"c & 0.0000780 \\" in as_latex([{"loop": "c", "cost": 0.000078}])
