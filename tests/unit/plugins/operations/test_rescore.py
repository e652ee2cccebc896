"""Runs scored again from their records, or judged afterwards."""

import json
import logging
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from support.consoles import printed
from support.judged import judgement
from support.records import ledger_of, record_of, write_run
from support.schemas import DEFAULT_SCHEMA_TEXT

from retrocypher.kg.errors import InputError, RetroCypherError
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import TASKS, Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.analysis.scores import SliceMean
from retrocypher.plugins.analysis.summary import summary_of
from retrocypher.plugins.cli.judge import render_judged
from retrocypher.plugins.cli.main import cli
from retrocypher.plugins.formatting import progress
from retrocypher.plugins.operations.judging import JUDGED_RUN_METRICS, JudgedRun, final_status
from retrocypher.plugins.operations.rescore import rescore
from retrocypher.plugins.reporting.run_tables import render_table
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import JudgeEntry, ModelEntry, conditions_sha256
from retrocypher.plugins.runs.record import VARIANTS, Round, fields_of, record_from
from retrocypher.plugins.runs.replay import WatchedGraph
from retrocypher.plugins.runs.run_directory import RunDirectory
from retrocypher.plugins.runs.summary import JudgeSummary, RunSummary
from retrocypher.plugins.scoring.score import Assessor
from retrocypher.plugins.statistics.intervals import Estimate

EMPTY = Execution("ok", columns=["id"])
ASSESSOR = Assessor(default_schema(), 1.0, None)
MANIFEST = {
    "graph": {"schema": DEFAULT_SCHEMA_TEXT},
    "options": {"case_threshold": 1.0, "key_encoder": None},
    "exit_status": 1,
}


@cache
def question(task: str) -> Question:
    return next(each for each in load_questions().questions if each.task == task)


def right(asked: Question) -> Execution:
    columns = list(asked.gold[0])
    rows = [[row[column] for column in columns] for row in asked.gold]
    return Execution("ok", columns=columns, rows=rows, row_count=len(rows))


def plain(value: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(value, default=fields_of))
    return found


def case(name: str, asked: Question, cypher: str | None, execution: Execution, **more: Any) -> dict[str, Any]:
    found = ASSESSOR.case(asked, cypher, execution)
    held = {"scores": found.scores, "errors": found.labels, "passed": found.passed}
    fields = {"cypher": cypher, "execution": execution, **held, **more}
    return plain(record_of(name, of=asked, **fields))


def looped(name: str, asked: Question) -> dict[str, Any]:
    """A case whose loop mended its query, and looked around."""

    class Graph:
        def explain(self, cypher: str | None) -> Execution:
            return Execution("ok")

        def run(self, cypher: str | None, **limits: Any) -> Execution:
            return right(asked) if cypher == asked.reference_cypher else EMPTY

    watched = WatchedGraph(Graph())
    first, last = "MATCH (r:Reaction) RETURN r.id AS id LIMIT 0", asked.reference_cypher
    around = {name: value for name, value in fields_of(right(asked)).items() if name != "code"}
    before, after = watched.run(first), watched.run(last)
    turns = [
        ("generator", first, before),
        ("reader", None, Execution("no_query")),
        ("corrector", last, after),
    ]
    rounds = []
    for role, cypher, execution in turns:
        result = {"result": ASSESSOR.query(asked, cypher, execution)}
        rounds.append(Round(role, None, "", cypher, findings=[{"note": "n"}, "of another loop", result]))
    record = case(
        name, asked, last, after, loop="mine", rounds=rounds, graph_calls=watched.calls(after, None)
    )
    record["execution"]["fallback"] = plain(ASSESSOR.fallback(asked, {"reason": "empty", **around}))
    return record


@cache
def _records() -> str:
    asked, route = question("precursors"), question("chains_to_target")
    wrong = Execution("syntax_error", code="Neo.X", message="no")
    error = {"stage": "model", "kind": "timeout", "message": "m"}
    made = [
        case("right", asked, asked.reference_cypher, right(asked)),
        case("empty", asked, asked.reference_cypher, EMPTY),
        case("broken", asked, "MATCH (r:Reaction RETURN r", wrong),
        case("silent", asked, None, Execution("no_query")),
        case("route", route, route.reference_cypher, right(route)),
        plain(record_of("lost", of=asked, infrastructure_error=error)),
        looped("looped", asked),
    ]
    return json.dumps(made)


def records() -> list[dict[str, Any]]:
    """Return a record of each kind, as JSON objects of their own."""
    made: list[dict[str, Any]] = json.loads(_records())
    return made


def run_of(folder: Path, kept: list[dict[str, Any]] | None = None, **manifest: Any) -> Path:
    kept = records() if kept is None else kept
    asked = [question("precursors"), question("chains_to_target")]
    ledger = ledger_of(map(record_from, kept), {each.id: each.target for each in asked})
    counts = {"selected_cases": 9, "lost_cases": ["x"], "ledger": ledger}
    counts["conditions_sha256"] = conditions_sha256({**MANIFEST, **manifest})
    summary = {**plain(summary_of(map(record_from, kept)).run_summary()), **counts}
    return write_run(folder, kept, asked, {**MANIFEST, **manifest}, summary, {"h": []})


def rescored(run: Path, **options: Any) -> dict[str, Any]:
    return plain(rescore(RunLog(run), **options))


def test_a_run_just_made_does_not_change(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run")
    before = {file.name: file.read_bytes() for file in run.iterdir()}
    found = rescored(run, out=tmp_path / "out")
    assert (found["records"], found["rescored"], found["without_scores"]) == (7, 6, 1)
    assert (found["changed"], found["results_left"], found["flipped"], found["largest"]) == (0, 0, [], [])
    assert {file.name: file.read_bytes() for file in run.iterdir()} == before
    # What is written is the same to the byte, and says where it is from.
    for name in ("records.jsonl", "questions.jsonl", "messages.jsonl"):
        assert (tmp_path / "out" / name).read_bytes() == before[name]
    assert RunLog(tmp_path / "out").summary_json == RunLog(run).summary_json
    manifest = RunLog(tmp_path / "out").manifest_json
    origin = manifest.pop("rescored_from")
    assert manifest == RunLog(run).manifest_json
    assert origin["run"] == str(run)
    assert {"at", "versions", "git"} <= origin.keys()


def spoil(record: dict[str, Any]) -> dict[str, Any]:
    """The record as another version of the metrics would have written it."""
    scores = {**record["scores"], "f1": 0.25, "bleu": 0.5}
    return {**record, "scores": scores, "errors": ["limit"], "passed": False}


def test_what_changed_is_reported(tmp_path: Path) -> None:
    kept = records()
    kept[0] = spoil(kept[0])
    kept[-1]["execution"]["fallback"]["scores"]["recall"] = 0.5
    kept[-1]["rounds"][0]["findings"][-1]["result"]["errors"] = ["limit"]
    run = run_of(tmp_path / "run", kept)
    found = rescored(run)
    assert found["written"] is None
    assert found["changed"] == 2
    assert found["parts"] == {"errors": 1, "fallback": 1, "passed": 1, "rounds": 1, "scores": 1}
    assert found["passed"] == {"before": 2, "after": 3}
    assert found["metrics"]["f1"]["cases"] == 1
    assert found["metrics"]["f1"]["after"] - found["metrics"]["f1"]["before"] == pytest.approx(0.75 / 6)
    assert found["metrics"]["recall"]["cases"] == 0
    assert found["labels"]["limit"] == {"before": 1, "after": 0, "gained": 0, "lost": 1}
    assert found["flipped"] == [{"case_id": "right", "passed": True, "f1_before": 0.25, "f1_after": 1.0}]
    assert found["largest"] == [{"case_id": "right", "metric": "f1", "before": 0.25, "after": 1.0}]
    assert found["options"] == {"case_threshold": 1.0, "key_encoder": None}


def test_in_place_puts_right_what_was_spoilt(tmp_path: Path) -> None:
    right_run = run_of(tmp_path / "right")
    kept = records()
    run = run_of(tmp_path / "run", [spoil(kept[0]), *kept[1:]])
    assert rescored(run, in_place=True)["written"] == str(run)
    assert list(RunLog(run).records()) == list(RunLog(right_run).records())
    assert RunLog(run).summary_json == RunLog(right_run).summary_json
    assert "rescored_from" in RunLog(run).manifest_json
    assert {file.name for file in run.iterdir()} == {file.name for file in right_run.iterdir()}


def test_another_threshold_decides_anew(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run")
    found = rescored(run, threshold=0.0, out=tmp_path / "out")
    assert found["passed"] == {"before": 3, "after": 6}
    assert RunLog(tmp_path / "out").manifest_json["options"]["case_threshold"] == 0.0
    assert RunLog(tmp_path / "out").summary_json["passed"] == 6
    # The next time, that is the run's own.
    assert rescored(tmp_path / "out")["changed"] == 0


def test_rows_that_are_not_on_record_leave_results_as_they_are(tmp_path: Path) -> None:
    *_, record = records()
    del record["graph_calls"]
    record["rounds"][0]["findings"][-1]["result"]["errors"] = ["limit"]
    run = run_of(tmp_path / "run", [record])
    # Half a last record is none.
    with (run / "records.jsonl").open("a") as file:
        file.write('{"schema_version": 1, "case')
    found = rescored(run)
    assert (found["records"], found["results_left"], found["changed"]) == (1, 2, 0)


def test_many_records_are_done_by_several_processes(tmp_path: Path) -> None:
    kept = [{**record, "case_id": f"{record['case_id']}-{n}"} for record in records()[:6] for n in range(100)]
    run = run_of(tmp_path / "run", [*kept[:-1], spoil(kept[0])])
    assert [chunk.lines for chunk in RunLog(run).chunks()] == [250, 250, 100]
    found = rescored(run, out=tmp_path / "out", workers=2)
    assert (found["records"], found["changed"]) == (600, 1)
    alone = rescored(run, out=tmp_path / "alone", workers=1)
    assert {**found, "written": None} == {**alone, "written": None}
    for name in ("records.jsonl", "summary.json"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()
    (run / "records.jsonl").open("a").write("[]\n")
    with pytest.raises(InputError, match=r"records\.jsonl, line 601: not a JSON object"):
        rescored(run, out=tmp_path / "again", workers=2)
    assert not (tmp_path / "again").exists()


def test_what_cannot_be_used_is_refused(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run")
    with pytest.raises(InputError, match=f"--out {run}: holds other files"):
        rescored(run, out=run)
    with pytest.raises(InputError, match="--key-encoder x: give NAME@THRESHOLD"):
        rescored(run, key_encoder="x")
    with RunDirectory(run, resume=True), pytest.raises(InputError, match="is writing this run"):
        rescored(run, in_place=True)
    lines = (run / "questions.jsonl").read_text().splitlines()
    (run / "questions.jsonl").write_text(lines[0] + "\n")
    with pytest.raises(RetroCypherError, match=r"records\.jsonl, line 5: questions\.jsonl has no chains_to"):
        rescored(run, in_place=True)


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=5), values, max_size=3),
    max_leaves=8,
)
UNKNOWN = st.dictionaries(st.just("unknown"), JSON_VALUES, min_size=1)


@settings(max_examples=25)
@given(UNKNOWN, st.sampled_from([0.0, 1.0]))
def test_fields_that_this_version_does_not_know_survive(unknown: dict[str, Any], threshold: float) -> None:
    *_, record = records()
    for part in (record, record["execution"], record["rounds"][0]):
        part |= unknown
    with TemporaryDirectory() as folder:
        run = write_run(Path(folder) / "run", [record], [question("precursors")], MANIFEST, {}, {})
        rescored(run, out=Path(folder) / "out", threshold=threshold)
        (line,) = RunLog(Path(folder) / "out").record_lines()
    kept = (line.value, line.value["execution"], line.value["rounds"][0])
    assert [part["unknown"] for part in kept] == [json.loads(json.dumps(unknown))["unknown"]] * 3
    assert line.record.passed


def said(*arguments: object) -> str:
    result = CliRunner().invoke(cli, ["rescore", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_what_changed_is_printed_and_nothing_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    scores = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "bleu": 1.0}
    execution = {"status": "no_query", "columns": [], "rows": []}
    asked = question("precursors")
    record = record_of("a\x1b[31m", of=asked, execution=execution, scores=scores, passed=True)
    run = write_run(tmp_path / "run", [record], [asked], MANIFEST)
    before = (run / "records.jsonl").read_bytes()
    output = said(run)
    assert "1 case changed: errors in 1, passed in 1, scores in 1" in output
    assert "passed: 1 before, 0 now" in output
    assert "a\\x1b[31m fails: F1 1.000, now 0.000" in output
    assert "no_query" in output
    assert "\x1b[31m" not in output
    assert "nothing was written" in output
    assert max(map(len, output.splitlines())) <= 80 or str(run) in output
    assert (run / "records.jsonl").read_bytes() == before
    printed = json.loads(said(run, "--json", "--out", tmp_path / "new"))
    assert (printed["changed"], printed["written"]) == (1, str(tmp_path / "new"))
    assert "nothing changed" in said(tmp_path / "new")
    with pytest.raises(InputError, match="--out and --in-place"):
        said(run, "--out", "x", "--in-place")


def test_an_option_that_the_manifest_lacks_must_be_given_and_an_encoder_can_be_left_out(
    tmp_path: Path,
) -> None:
    run = run_of(tmp_path / "run", options={"case_threshold": 1.0})
    with pytest.raises(InputError, match="does not say --key-encoder; give it"):
        rescored(run)
    encoded = run_of(tmp_path / "encoded", options={"case_threshold": 1.0, "key_encoder": "all-mpnet@0.93"})
    for each in (run, encoded):
        assert rescored(each, key_encoder="none")["options"]["key_encoder"] is None


WHOLE = {"cases": 3, "selected_cases": 3, "failed": 0, "infrastructure_errors_by_stage": {}}


@pytest.mark.parametrize(
    ("before", "totals", "after"),
    [
        (16, {}, 0),
        (16, {"failed": 2}, 1),
        (16, {"infrastructure_errors_by_stage": {"judge": 1}}, 16),
        (16, {"infrastructure_errors_by_stage": {"model": 1}}, 16),
        (16, {"lost_cases": ["x"]}, 16),
        (16, {"selected_cases": 4}, 16),
        (16, {"answers": {"failed": 1}}, 16),
        (16, {"answers": {"failed": 0}}, 0),
        (2, {}, 2),
        (None, {}, None),
    ],
)
def test_only_what_lacked_judgements_alone_ends_otherwise(
    before: int | None, totals: dict[str, Any], after: int | None
) -> None:
    assert final_status(before, msgspec.convert({**WHOLE, **totals}, RunSummary)) == after


def test_messages_shortly_after_another_are_dropped(
    monkeypatch: pytest.MonkeyPatch, logged: list[str]
) -> None:
    say = progress.throttled(logging.getLogger("retrocypher"))
    say("1 judgement")
    monkeypatch.setattr(progress, "_EVERY_S", 0.0)
    say("2 judgements")
    assert logged == ["2 judgements"]


def judged(cases: int = 9, **fields: Any) -> JudgedRun:
    counts = {"cases": cases, "judged": cases, "kept": 0, "asked": 2 * cases, "from_cache": 0, "cost": None}
    values = {
        "run": "reports/run",
        "summary": JudgeSummary(),
        "means": [],
        "written": True,
        **counts,
        **fields,
    }
    return JudgedRun(judge=JudgeEntry(ModelEntry("judge-1")), **values)


def test_means_and_intervals_fit_80_columns() -> None:
    mean = Estimate(0.6924, 0.5996, 0.7723, 9, 9)
    slices = [{}, *({"task": task} for task in TASKS)]
    means = [SliceMean(slice=each, metric=name, mean=mean) for each in slices for name in JUDGED_RUN_METRICS]
    text = printed(render_judged(judged(means=means), ""))
    assert text.count("0.692 [0.60, 0.77]") == len(means)
    assert all(f"\n{task} " in text for task in TASKS)


def test_why_a_judge_could_not_be_asked_is_reported() -> None:
    why = "The API cannot be reached. Is RETROCYPHER_JUDGE_BASE_URL right?"
    done = judged(judged=2, summary=JudgeSummary(faults=7), written=False)
    assert f"\n{why}\n" in printed(render_judged(done, why))


def test_no_score_is_told_once() -> None:
    fault = {"kind": "connection", "message": "x"}
    unreached = {variant: judgement(variant, None, error=fault) for variant in VARIANTS}
    judge = {"model": "j", "criteria": "c", **unreached}
    records = [record_of(name, scores={"f1": 1.0}, judge=judge) for name in "ab"]
    lines = printed(render_table(summary_of(records))).splitlines()
    assert [line.strip() for line in lines if line.strip().startswith("judge")] == [
        "judge with reference: no score: connection 2",
        "judge without reference: no score: connection 2",
    ]
