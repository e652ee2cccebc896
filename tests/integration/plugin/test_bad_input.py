"""Bad input: one clear error, before a server starts or a model is called, with and without xdist."""

import json
from pathlib import Path

import pytest
from support.suite import Ran, Suite

from retrocypher.kg.questions.reading import DEFAULT_QUESTIONS, load_questions

WORKERS = pytest.mark.parametrize("workers", ["0", "2"])


def refused(ran: Ran, *said: str) -> None:
    assert ran.status == 4, ran.output
    for part in said:
        assert part in ran.output
    assert "Traceback" not in ran.output
    assert "INTERNALERROR" not in ran.output
    assert not (ran.run / "records.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--prompt=P11"], "--prompt P11: no such prompt; choose from P1"),
        (["--prompt=p5"], "--prompt p5: no such prompt; did you mean P5? Else choose from P1"),
        (["--shot=2S"], "2S"),
        (["--prompt=all,P99"], "--prompt P99: no such prompt"),
        (["--shot=all,XX"], "XX"),
        (["--task=yield"], "--task yield: no such task; choose from precursors"),
        (["--task=best-yield"], "--task best-yield: no such task; did you mean best_yield? Else choose"),
        (["--model=oracel"], "did you mean 'oracle'"),
        (["--model=mutant:tickle"], "tickle"),
        (["--model=file:/nowhere/predictions.jsonl"], "/nowhere/predictions.jsonl"),
        (["--model=gguf:/nowhere/model.gguf"], "/nowhere/model.gguf"),
        (["--prompt=P8", "--task=precursors,conditions"], "no case in common"),
        (["--model=exemplar", "--shot=ZS"], "exemplar"),
        (["--phrasing=6"], "--phrasing 6: no such wording; choose from 1 to"),
        (["--phrasing=terse"], "--phrasing terse: no such wording"),
        (["--dist=each", "-n2"], "--dist each would ask every case once a worker"),
        (["--sample=0"], "--sample 0: out of range"),
        (["--key-encoder=all-mpnet-base-v2"], "NAME@THRESHOLD"),
        (["--graph=mongodb://localhost"], "mongodb"),
        (["--questions=/nowhere"], "/nowhere: no such folder"),
        (["--prompt-dir=/nowhere"], "/nowhere"),
        (["--model=oracle", "--model=oracle"], "two models are called 'oracle'"),
        (["--loop=cov"], "--loop cov: no such loop; choose from none, cove, review, guarded"),
        (["--loop="], "--loop names none"),
        (
            ["--loop=cove", "--validator=strict"],
            "--validator strict: no such validator",
        ),
        (["--loop=none,cove", "--model=mutant"], "mutant reads no messages and cannot correct itself"),
        (
            ["--loop=cove", "--model=mutant", "--loop-model=gpt-x", "--loop-model", "gpt-y"],
            "--loop-model: given twice (gpt-x, gpt-y); one plays all the roles",
        ),
        (
            ["--loop=cove", "--model=mutant", "--loop-model=oracle"],
            "--loop-model oracle: oracle reads",
        ),
        (
            ["--loop=cove", "--model=mutant", "--loop-model=gpt-x"],
            "--loop-model gpt-x: this is not",
        ),
    ],
)
def test_an_option_that_cannot_be_used(suite: Suite, arguments: list[str], said: str) -> None:
    oracle = [] if any(argument.startswith("--model") for argument in arguments) else ["--model=oracle"]
    refused(suite("-n0", *oracle, *arguments), said)


def test_no_worker_is_started_for_an_option_that_cannot_be_used(suite: Suite) -> None:
    ran = suite("-n2", "--model=oracle", "--prompt=P11")
    refused(ran, "--prompt P11: no such prompt; choose from P1")
    assert "bringing up nodes" not in ran.output


@WORKERS
def test_a_file_without_a_case_for_the_prompt(suite: Suite, workers: str) -> None:
    ran = suite("-n", workers, "--model=oracle", "--prompt=P8", where="benchmarks/test_single_step.py")
    refused(ran, "--prompt P8 selects no single_step question")


def test_listing_marks_needs_no_model(suite: Suite) -> None:
    ran = suite("--markers")
    assert ran.status == 0
    assert "single_step" in ran.output


@WORKERS
def test_no_model_and_no_key(suite: Suite, workers: str) -> None:
    refused(suite("-n", workers), "OPENAI_API_KEY", "oracle, exemplar, mutant")


@WORKERS
def test_a_model_that_needs_a_key(suite: Suite, workers: str) -> None:
    refused(suite("-n", workers, "--model=gpt-4.1"), "gpt-4.1", "OPENAI_API_KEY")


@WORKERS
def test_a_broken_question_file_is_named_with_its_line(suite: Suite, workers: str, tmp_path: Path) -> None:
    folder = copy_of_questions(tmp_path)
    lines = (folder / "single_step.jsonl").read_text().splitlines()
    lines[2] = lines[2][:50]
    (folder / "single_step.jsonl").write_text("\n".join(lines))
    refused(
        suite("-n", workers, "--model=oracle", f"--questions={folder}"),
        "single_step.jsonl, line 3: not valid JSON",
    )


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (['{"question_id": "precursors-999999", "cypher": "RETURN 1"}'], "precursors-999999"),
        (
            ['{"question_id": "ID", "cypher": "RETURN 1"}', '{"question_id": "ID", "cypher": "RETURN 2"}'],
            "line 2",
        ),
        (['{"question_id": "ID", "cypher": "RETURN 1"}', '{"question_id": '], "line 2"),
    ],
)
def test_a_predictions_file_that_cannot_be_used(
    suite: Suite, tmp_path: Path, lines: list[str], said: str
) -> None:
    file = tmp_path / "predictions.jsonl"
    known = load_questions().questions[0].id
    file.write_text("\n".join(lines).replace('"ID"', json.dumps(known)))
    refused(suite("-n0", f"--model=file:{file}"), said)


@WORKERS
def test_a_run_directory_that_cannot_be_written(suite: Suite, workers: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused(
        suite("-n", workers, "--model=oracle", run_dir=tmp_path / "file" / "run"),
        "--run-dir",
        "cannot be written to",
    )


@WORKERS
def test_questions_of_another_graph(live: Suite, workers: str, tmp_path: Path) -> None:
    folder = copy_of_questions(tmp_path)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "graph_fingerprint": "0" * 64}))
    refused(
        live("-n", workers, "--model=oracle", f"--questions={folder}"),
        "is not the one the questions were made for",
    )


def copy_of_questions(tmp_path: Path) -> Path:
    """Copy the first questions of the shipped set."""
    shipped = DEFAULT_QUESTIONS
    folder = tmp_path / "questions"
    folder.mkdir()
    for name in ("single_step.jsonl", "multi_step.jsonl"):
        lines = (shipped / name).read_text().splitlines()
        (folder / name).write_text("\n".join(lines[:5]) + "\n")
    manifest = json.loads((shipped / "manifest.json").read_text())
    of_files = ("files", "questions", "counts")
    kept = {name: value for name, value in manifest.items() if name not in of_files}
    (folder / "manifest.json").write_text(json.dumps(kept))
    return folder
