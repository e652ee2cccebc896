import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.records import record_of, write_run

from retrocypher.kg.errors import InputError
from retrocypher.plugins.cli.runs import summary_command


def run_of(folder: Path, *models: str, of: tuple[str, ...] = ("a", "b"), **manifest: Any) -> Path:
    records = [
        record_of(
            f"{case}-P5-ZS-none-{model}",
            model=model,
            passed=True,
            execution={"status": "ok"},
            scores={"precision": 1.0, "recall": 1.0, "f1": 1.0},
        )
        for model in models
        for case in of
    ]
    whole = {"cases": len(records), "exit_status": 0, "models": [{"label": model} for model in models]}
    return write_run(folder, records, manifest={**whole, **manifest})


def printed(*arguments: object) -> str:
    result = CliRunner().invoke(summary_command, [str(each) for each in arguments])
    if isinstance(result.exception, InputError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_tables_come_in_the_order_of_the_runs(tmp_path: Path) -> None:
    oracle, exemplar = run_of(tmp_path / "o", "oracle"), run_of(tmp_path / "e", "exemplar")
    two = run_of(tmp_path / "t", "mini", "big")
    output = printed(oracle, two, exemplar)
    titles = [
        line.strip() for line in output.splitlines() if line.strip() in ("oracle", "mini", "big", "exemplar")
    ]
    assert titles == ["oracle", "mini", "big", "exemplar"]
    assert output.index(f"records: {oracle}") < output.index(f"records: {two}")


def test_a_run_named_twice_is_refused(tmp_path: Path) -> None:
    run = run_of(tmp_path / "o", "oracle")
    with pytest.raises(InputError, match="o is named twice"):
        printed(run, tmp_path / "o" / ".." / "o")


def test_two_runs_with_one_case_are_refused_by_name(tmp_path: Path) -> None:
    first = run_of(tmp_path / "first", "mini", of=("a", "b"))
    second = run_of(tmp_path / "second", "mini", of=("b", "c"))
    with pytest.raises(InputError) as raised:
        printed(first, second)
    said = str(raised.value)
    assert said.startswith(f"{first} and {second} both hold the case b-P5-ZS-none-mini")
    assert "--model LABEL=SPEC" in said


def test_runs_of_one_model_with_other_cases_are_one_table(tmp_path: Path) -> None:
    first, second = run_of(tmp_path / "1", "mini", of=("a",)), run_of(tmp_path / "2", "mini", of=("c",))
    output = printed(first, second)
    assert output.count("precursors") == 1


@pytest.mark.parametrize(
    ("manifest", "summary", "said"),
    [
        ({"cases": 2400, "exit_status": 2}, None, "2 of 2,400 cases; interrupted"),
        ({"cases": 2400, "exit_status": None}, None, "2 of 2,400 cases; not ended"),
        ({"exit_status": 16}, None, "incomplete"),
        ({"cases": 2400, "exit_status": 1}, {"selected_cases": 3}, "2 of 3 cases"),
    ],
)
def test_a_run_that_is_not_whole_is_marked(
    tmp_path: Path, manifest: dict[str, Any], summary: dict[str, Any] | None, said: str
) -> None:
    run = run_of(tmp_path / "r", "mini", **manifest)
    if summary is not None:
        (run / "summary.json").write_text(json.dumps(summary))
    output = printed(run, run_of(tmp_path / "o", "oracle"))
    assert f"mini ({said})" in output
    assert f"records: {run} ({said})" in output
    assert "oracle (" not in output


@pytest.mark.parametrize("summary", [None, {"selected_cases": 2}])
def test_a_whole_run_is_not_marked(tmp_path: Path, summary: dict[str, Any] | None) -> None:
    run = run_of(tmp_path / "r", "mini", **({"cases": 2400} if summary else {}))
    if summary is not None:
        (run / "summary.json").write_text(json.dumps(summary))
    assert "(" not in printed(run)


def test_records_alone_are_enough(tmp_path: Path) -> None:
    run = run_of(tmp_path / "r", "mini")
    (run / "manifest.json").unlink()
    assert "mini" in printed(run)


def test_a_picture_that_cannot_be_written_is_told_before_any_work(tmp_path: Path) -> None:
    for place in (tmp_path / "nowhere" / "x.svg", tmp_path):
        with pytest.raises(InputError, match=r"--svg .*cannot be written"):
            printed(tmp_path / "absent", "--svg", place)
    run = run_of(tmp_path / "r", "mini")
    printed(run, "--svg", tmp_path / "x.svg")
    assert "mini" in (tmp_path / "x.svg").read_text()


def looped_run(folder: Path, **manifest: Any) -> Path:
    """A run of two loops in which one case was repaired by each."""
    run = run_of(folder, "mini", **manifest)
    results = [
        {
            "status": "ok",
            **dict.fromkeys(("f1", "precision", "recall", "row_f1", "focus_f1"), f1),
            "passed": f1 == 1.0,
            "errors": [] if f1 == 1.0 else ["limit"],
        }
        for f1 in (0.5, 1.0)
    ]
    turn = {"answer": "", "verdict": None, "time_s": 1.0, "tokens": None, "cost": None, "cached": False}
    rounds = [
        {**turn, "role": role, "cypher": role, "messages_sha256": "h", "findings": [{"result": result}]}
        for role, result in zip(("generator", "corrector"), results, strict=True)
    ]
    whole = json.loads((run / "records.jsonl").read_text().splitlines()[0])
    records = [
        {**whole, "case_id": f"q-{loop}", "question_id": "q", "loop": loop, "rounds": rounds}
        for loop in ("cove", "review")
    ]
    (run / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (run / "questions.jsonl").write_text(json.dumps({"id": "q", "target": "CCO"}) + "\n")
    return run


def test_the_ledger_is_shown_again_from_the_records(tmp_path: Path) -> None:
    players = {"mini": {"label": "corrector", "kind": "openai", "argument": "gpt-x"}}
    loops = {"names": ["review", "cove"], "players": players}
    run = looped_run(tmp_path / "r", loops=loops, prices=None)
    output = printed(run, "--ledger")
    assert "repaired 1.000 of 1 wrong, broken n/a of 0 right" in output
    assert output.count("no list price for gpt-x") == 2
    # In the order in which the loops were asked for, the tables as the ledger.
    assert output.index("mini, loop review") < output.index("mini, loop cove")
    assert output.index("loop review: before and after") < output.index("loop cove: before and after")
    assert "before and after" not in printed(run)
    priced = {"as_of": "2026-01", "usd_per_million_tokens": {"gpt-x": {}}}
    assert "no list price" not in printed(looped_run(tmp_path / "p", loops=loops, prices=priced), "--ledger")


def test_a_ledger_of_runs_without_loops_or_questions(tmp_path: Path) -> None:
    run = run_of(tmp_path / "r", "mini")
    (run / "questions.jsonl").unlink()
    with pytest.raises(InputError, match=r"no questions\.jsonl here"):
        printed(run, "--ledger")
    (run / "questions.jsonl").write_text("")
    assert "ledger: no case went through a loop" in printed(run, "--ledger")
