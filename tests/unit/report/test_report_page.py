"""The page says what the summary and the statistics say, and nothing else."""

import errno
import re
from pathlib import Path

import pytest
from support.records import write_run
from support.reported import MANIFEST, Read, a_run, answered, some_questions

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.comparison import compare
from retrocypher.plugins.analysis.ledger import ledger_of
from retrocypher.plugins.analysis.scores import ScoreTable, metric_validity, slice_boxes, slice_means
from retrocypher.plugins.analysis.summary import summarise
from retrocypher.plugins.reporting.html.report import build_report
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Round


def page(*runs: Path, most: int = 5_000) -> str:
    out = runs[0] / "report.html"
    build_report(runs, out, most=most)
    return out.read_text("utf-8")


def test_every_row_of_the_table_is_that_of_the_summary(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run")
    records = list(RunLog(run).records())
    means = slice_means(ScoreTable(records, RunLog(run).targets), ("shot", "task"))
    ends = {
        (each.slice["shot"], each.slice["task"]): f"[{each.mean.low:.3f}, {each.mean.high:.3f}]"
        for each in means
    }
    found: list[list[str]] = []
    group = ""
    for row in Read(page(run)).rows:
        group = row[0] if len(row) == 1 else group
        if len(row) == 10 and " × " in group:
            found.append([group, *row])
    cells = summarise(records)["cells"]
    told = [row for row in found if row[1] != "all"]
    assert len(told) == len(cells) == 20
    for row, cell in zip(told, cells, strict=True):
        assert row[0] == f"{cell['prompt']} × {cell['shot']}"
        assert row[1] == cell["task"].replace("_", " ")
        assert [row[2], *row[5:7]] == [f"{cell['means'][name]:.3f}" for name in ("f1", "precision", "recall")]
        assert row[3] == ends[cell["shot"], cell["task"]]
        assert row[7:] == [str(cell[n]) for n in ("cases", "passed", "failed", "infrastructure_errors")]


def test_the_headline_is_the_mean_of_all_cases_with_its_interval(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run")
    table = ScoreTable(RunLog(run).records(), RunLog(run).targets)
    (mean,) = slice_means(table)
    text = Read(page(run)).text
    assert f"{mean.mean.value:.3f} mean F1" in text
    assert f"[{mean.mean.low:.3f}, {mean.mean.high:.3f}]" in text


def test_a_run_that_is_named_after_its_model_is_named_once_in_the_headline(tmp_path: Path) -> None:
    runs = [a_run(tmp_path / name, model=model) for name, model in (("one", "one"), ("two", "three"))]
    headline = page(*runs).partition('id="headline"')[2].partition("</section>")[0]
    assert re.findall(r"<h[34]>(.*?)</h[34]>", headline) == ["one", "two", "three"]


def test_boxes_and_correlations_are_those_of_the_statistics(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run")
    table = ScoreTable(RunLog(run).records(), RunLog(run).targets)
    read = Read(page(run))
    labels = [
        told["aria-label"] or ""
        for tag, told in read.tags
        if (told.get("class") or "").startswith("mark box")
    ]
    boxes = list(slice_boxes(table))
    assert sorted(labels) == sorted(
        f"median {each.box.median:.3f}, quartiles {each.box.q1:.3f} to {each.box.q3:.3f}, whiskers "
        f"{each.box.whisker_low:.3f} to {each.box.whisker_high:.3f}, mean {each.box.mean:.3f}"
        for each in boxes
    )
    bleu = next(metric_validity(table, metrics=("bleu",)))
    row = next(row for row in read.rows if row[:2] == ["BLEU", "all"])
    assert row[2:4] == [str(len(table)), f"{bleu.pearson.value:+.3f}"]


def test_several_runs_are_compared_with_the_first(tmp_path: Path) -> None:
    a = a_run(tmp_path / "a")
    better = [
        answered(q, bool(n % 4), shot=s) for s in ("ZS", "1S-D-S") for n, q in enumerate(some_questions())
    ]
    b = write_run(tmp_path / "b", better, some_questions(), dict(MANIFEST))
    tables = [ScoreTable(RunLog(run).records(), RunLog(run).targets) for run in (a, b)]
    found = compare(*tables).overall
    read = Read(page(a, b))
    row = next(row for row in read.rows if len(row) == 13 and row[0] == "all")
    assert row[1] == str(found.difference.n)
    assert row[4] == f"{found.difference.value:+.3f}".replace("-", "\N{MINUS SIGN}")
    assert row[7:10] == [str(found.wins), str(found.losses), str(found.ties)]
    assert row[12] == found.verdict.value


def test_shots_of_one_run_are_compared(tmp_path: Path) -> None:
    assert "shot: 1S-D-S against ZS" in Read(page(a_run(tmp_path / "run"))).text


def test_shots_are_compared_within_each_model(tmp_path: Path) -> None:
    questions = some_questions()
    records = [
        answered(q, bool((n + len(shot)) % (2 if model == "one" else 3)), shot=shot, model=model)
        for model in ("one", "two")
        for shot in ("ZS", "1S-D-S")
        for n, q in enumerate(questions)
    ]
    models = [{"label": label, "kind": "mutant", "argument": ""} for label in ("one", "two")]
    run = write_run(tmp_path / "run", records, questions, {**MANIFEST, "models": models})
    text = Read(page(run)).text
    for model in ("one", "two"):
        assert f"shot: 1S-D-S against ZS {model}" in text
        of = [each for each in records if each.model == model]
        tables = [
            ScoreTable([each for each in of if each.shot == shot], RunLog(run).targets)
            for shot in ("ZS", "1S-D-S")
        ]
        found = compare(*tables).overall
        # One comparison of each model, and none of both together.
        assert len(re.findall(rf"\b{found.difference.n} pairs", text)) == 2
    # Models are compared over all that they were asked with, which is said.
    assert "model: two against one" in text
    assert "Pooled over 2 shots." in text


def test_what_could_not_be_run_is_no_failure(tmp_path: Path) -> None:
    broken = {"infrastructure_error": {"stage": "model", "kind": "unreachable", "message": "no route"}}
    questions = some_questions(1)
    records = [answered(questions[0], False)]
    records += [answered(q, False, scores=None, execution=None, errors=[], **broken) for q in questions[1:]]
    run = write_run(tmp_path / "run", records, questions, {"exit_status": 16, "cases": len(records)})
    read = Read(page(run))
    assert "1 case failed" in read.text
    assert "Partial results: incomplete" in read.text
    assert any(row[:2] == ["model unreachable", "9"] and "no route" in row[2] for row in read.rows)


def test_a_run_in_which_nothing_could_be_asked_has_no_empty_parts(tmp_path: Path) -> None:
    broken = {"infrastructure_error": {"stage": "model", "kind": "unreachable", "message": "no route"}}
    questions = some_questions(1)
    records = [answered(q, False, scores=None, execution=None, errors=[], **broken) for q in questions]
    read = Read(page(write_run(tmp_path / "run", records, questions, {"exit_status": 16})))
    assert "Distribution of F1" not in read.text
    assert "#boxes" not in read.text


def test_a_run_of_records_alone_is_reported(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run")
    for name in ("manifest.json", "questions.jsonl", "messages.jsonl"):
        (run / name).unlink()
    text = Read(page(run)).text
    assert "This run has no manifest" in text


def test_a_long_list_takes_some_of_each_kind(tmp_path: Path) -> None:
    questions = some_questions()
    records = [answered(q, False, shot=s) for s in ("ZS", "1S-S", "1S-D-R", "1S-D-S") for q in questions]
    records.append(answered(questions[0], False, shot="1S-D-S", prompt="P4", errors=["timeout"]))
    run = write_run(tmp_path / "run", records, questions, dict(MANIFEST))
    read = Read(page(run, most=22))
    rows = [told for tag, told in read.tags if tag == "tr" and "data-k" in told]
    assert len(rows) == 22
    assert "22 of them are listed" in read.text
    assert any("timeout" in row for row in read.rows if len(row) > 3)


def test_what_cannot_be_reported_is_said_in_one_line(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run")
    with pytest.raises(InputError, match="named twice"):
        build_report([run, run], tmp_path / "x.html", most=9)
    with pytest.raises(InputError, match="cannot be written"):
        build_report([run], tmp_path / "no" / "x.html", most=9)
    empty = write_run(tmp_path / "empty", [], some_questions())
    with pytest.raises(InputError, match="no case on record"):
        build_report([empty], tmp_path / "x.html", most=9)
    (run / "records.jsonl").write_text((run / "records.jsonl").read_text() * 2)
    with pytest.raises(InputError, match="twice"):
        build_report([run], tmp_path / "x.html", most=9)


def test_loops_are_told_as_the_ledger_tells_them(tmp_path: Path) -> None:
    questions = some_questions()
    records = []
    for number, question in enumerate(questions):
        right = bool(number % 3)
        scores = {"f1": 0.0, "precision": 0.0, "recall": 0.0, "row_f1": None, "focus_f1": None}
        worth = {"status": "ok", **scores, "passed": False, "errors": ["path_length"]}
        first = Round(
            "generator", "h", "A", "A", findings=[{"result": worth}], tokens={"prompt": 9}, time_s=1.0
        )
        then = Round("corrector", "h", "B", "B", "taken", tokens={"prompt": 9}, time_s=2.0)
        records.append(answered(question, right, loop="cove", rounds=[first, then]))
    run = write_run(tmp_path / "run", records, questions, dict(MANIFEST))
    (entry,) = ledger_of(RunLog(run).records(), RunLog(run).targets)
    read = Read(page(run))
    row = next(row for row in read.rows if row[:1] == ["all"] and len(row) == 8)
    names = ("cases", "repaired", "broken", "unchanged_right", "unchanged_wrong")
    assert row[1:6] == [str(entry[name]) for name in names]
    assert row[6] == f"{entry['repair_rate']['value']:.3f}"
    assert f"{entry['calls']} calls, {entry['tokens']} tokens" in read.text


def test_a_full_disk_is_said_and_leaves_the_report_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = a_run(tmp_path / "run")
    before = page(run)

    def full(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match="No space left on device"):
        page(run)
    assert (run / "report.html").read_text("utf-8") == before
    assert len([*(run / "report-cases").glob("*.html")]) > 10
    assert not (run / "report-cases.new").exists()


def test_the_manifest_is_told_in_words(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run")
    served = [{"model": "gpt-x-2026", "system_fingerprint": "fp", "answers": 120}]
    told = {
        "models": [{"label": "m", "kind": "openai", "argument": "gpt-x"}],
        "started": "2026-01-02T03:04:05+00:00",
        "ended": "2026-01-02T05:06:05+00:00",
        "answers": {"asked": 120, "from_cache": 20, "cost": 1.5, "by_model": {"m": {"served": served}}},
        "prices": {"as_of": "2026-01"},
        "graph": {"kind": "local", "version": "5.26.30", "fingerprint": "f" * 64},
        "git": {"commit": "c" * 40, "changed": True},
    }
    write_run(run, list(RunLog(run).records()), some_questions(), {**MANIFEST, **told})
    rows = Read(page(run)).text
    for words in (
        "2 January 2026, 03:04 UTC, 2 h 2 min",
        "m (gpt-x)",
        "120 asked for, 20 from the cache, 1.50 USD at list prices of 2026-01",
        "gpt-x-2026",
        "Neo4j 5.26.30, local, fingerprint ffffffffffff",
        "commit cccccccccccc, with changes",
    ):
        assert words in rows


@pytest.mark.parametrize(
    ("asked", "from_cache", "words"),
    [(10, 0, "10 asked for, 0 from the cache"), (0, 10, "0 asked for, 10 from the cache")],
)
def test_answers_without_a_price_have_no_cost(
    tmp_path: Path, asked: int, from_cache: int, words: str
) -> None:
    run = a_run(tmp_path / "run")
    told = {"answers": {"asked": asked, "from_cache": from_cache, "cost": None}, "prices": None}
    write_run(run, list(RunLog(run).records()), some_questions(), {**MANIFEST, **told})
    rows = Read(page(run)).text
    assert words in rows
    assert "at list prices" not in rows
