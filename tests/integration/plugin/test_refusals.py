"""What cannot be run: one clear error, before a server starts, a model is called or a folder is made."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.suite import CHECKOUT, Suite

from retrocypher.kg.errors import RetroCypherError
from retrocypher.kg.questions.reading import DEFAULT_QUESTIONS, load_questions
from retrocypher.plugins.session.manifest import open_graph

Refused = Callable[..., str]


@pytest.fixture
def refused(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Refused:
    """Configure a session as its own process would, and return why it is refused."""
    monkeypatch.setattr("retrocypher.plugins.session.session.refuse_network", lambda: None)

    def configure(*arguments: str, where: str = "benchmarks", model: str = "--model=oracle") -> str:
        models = () if not model or any(each.startswith("--model") for each in arguments) else (model,)
        place = () if any(each.startswith("--run-dir") for each in arguments) else ("--run-dir=run",)
        home = (f"--rootdir={CHECKOUT}", "-c", str(CHECKOUT / "pyproject.toml"))
        with pytest.raises(pytest.UsageError) as caught:
            pytester.parseconfigure(str(CHECKOUT / where), *home, *place, *models, *arguments)
        assert not Path("run").exists()
        return str(caught.value)

    return configure


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--prompt=P11", "--prompt P11: no such prompt; choose from P1"),
        ("--prompt=p5", "--prompt p5: no such prompt; did you mean P5? Else choose from P1"),
        ("--prompt=all,P99", "--prompt P99: no such prompt"),
        ("--shot=2S", "2S"),
        ("--shot=all,XX", "XX"),
        ("--task=yield", "--task yield: no such task; choose from precursors"),
        ("--task=best-yield", "--task best-yield: no such task; did you mean best_yield? Else choose"),
        ("--model=oracel", "did you mean 'oracle'"),
        ("--model=mutant:tickle", "tickle"),
        ("--model=file:/nowhere/predictions.jsonl", "/nowhere/predictions.jsonl"),
        ("--model=gguf:/nowhere/model.gguf", "/nowhere/model.gguf"),
        ("--model=gpt-4.1", "OPENAI_API_KEY"),
        ("--model=exemplar --shot=ZS", "exemplar"),
        ("--model=oracle --model=oracle", "two models are called 'oracle'"),
        ("--prompt=P8 --task=precursors,conditions", "no case in common"),
        ("--phrasing=6", "--phrasing 6: no such wording; choose from 1 to"),
        ("--phrasing=terse", "--phrasing terse: no such wording"),
        ("--dist=each", "--dist each would run every case once per worker"),
        ("--key-encoder=all-mpnet-base-v2", "NAME@THRESHOLD"),
        ("--graph=none", "--graph none: rows then come from earlier runs; name them with --replay DIR"),
        ("--questions=/nowhere", "/nowhere: no such folder"),
        ("--prompt-dir=/nowhere", "/nowhere"),
        ("--run-dir=/dev/null/run", "--run-dir /dev/null/run: cannot be written to"),
        (
            "--loop=cove --model=mutant --loop-model=gpt-x --loop-model=gpt-y",
            "--loop-model: given twice (gpt-x, gpt-y); one plays all the roles",
        ),
        (
            "--offline --graph=bolt://me:secret@db.example",
            "--graph bolt://me:***@db.example: --offline refuses",
        ),
        ("--offline --model=gpt-4.1 --cache=none", "--offline --cache none: then there are no answers"),
        ("--offline --model=gpt-4.1 --cache=absent.sqlite", "absent.sqlite is not there"),
        ("--gate=f1>=0.4 --sample=5", "--sample 5 runs a part of the cases"),
        ("--gate=f1>=0.4 -k best", "-k best runs a part of the cases"),
        ("--gate=judge>=0.4", "the rule judge>=0.4 needs a judge, and the run has none"),
        ("--baseline=exemplar", "compared with it, because there is no rule; add a rule such as"),
        ("--baseline=exemplar --gate=f1>=0.4", "compared with it, because f1>=0.4 needs none"),
    ],
)
def test_an_option_that_cannot_be_used(refused: Refused, arguments: str, said: str) -> None:
    assert said in refused(*arguments.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--gate=f1 by tusk>=0.4"], "gate rule, character 7: no slice is called tusk"),
        (["--gate=no-regression f1"], "needs a baseline"),
        (
            ["--gate=no-regression f1", "--baseline=exemplar", "--query-timeout=3"],
            "They differ in --query-timeout: 30.0 and 3.0. Run under the conditions of the baseline",
        ),
        (
            ["--gate=no-regression f1", "--baseline=exemplar", "--model=a=oracle", "--model=b=mutant"],
            "this run has several cases of",
        ),
    ],
)
def test_a_gate_that_cannot_be_judged(refused: Refused, arguments: list[str], said: str) -> None:
    assert said in refused(*arguments)


def test_no_model_is_named_and_there_is_no_key(refused: Refused) -> None:
    said = refused(model="")
    assert "OPENAI_API_KEY" in said
    assert "oracle, exemplar, mutant" in said


def test_a_file_without_a_case_for_the_prompt(refused: Refused) -> None:
    said = refused("--prompt=P8", where="benchmarks/test_single_step.py")
    assert "--prompt P8 selects no single_step question" in said


def test_a_cache_that_is_none(refused: Refused, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    file = tmp_path / "notes.txt"
    file.write_text("These are notes, and no answers of a model.\n" * 50)
    assert f"the answer cache {file} is no SQLite database" in refused("--model=gpt-x", f"--cache={file}")


def test_a_graph_in_another_database() -> None:
    with pytest.raises(RetroCypherError, match="mongodb"):
        open_graph("mongodb://localhost", load_questions(), print)


def copy_of_questions(folder: Path, **changed: str) -> Path:
    """Copy the first questions of the shipped set; parts of its manifest may be changed."""
    folder.mkdir()
    for name in ("single_step.jsonl", "multi_step.jsonl"):
        lines = (DEFAULT_QUESTIONS / name).read_text().splitlines()
        (folder / name).write_text("\n".join(lines[:5]) + "\n")
    manifest = json.loads((DEFAULT_QUESTIONS / "manifest.json").read_text())
    of_files = ("files", "questions", "counts")
    kept = {name: value for name, value in manifest.items() if name not in of_files}
    (folder / "manifest.json").write_text(json.dumps({**kept, **changed}))
    return folder


def test_a_broken_question_file_is_named_with_its_line(refused: Refused, tmp_path: Path) -> None:
    file = copy_of_questions(tmp_path / "questions") / "single_step.jsonl"
    lines = file.read_text().splitlines()
    lines[2] = lines[2][:50]
    file.write_text("\n".join(lines))
    assert "single_step.jsonl, line 3: not valid JSON" in refused(f"--questions={file.parent}")


KNOWN = json.dumps(load_questions().questions[0].id)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (['{"question_id": "precursors-999999", "cypher": "RETURN 1"}'], "precursors-999999"),
        ([f'{{"question_id": {KNOWN}, "cypher": "RETURN {number}"}}' for number in (1, 2)], "line 2"),
        ([f'{{"question_id": {KNOWN}, "cypher": "RETURN 1"}}', '{"question_id": '], "line 2"),
    ],
)
def test_a_predictions_file_that_cannot_be_used(
    refused: Refused, tmp_path: Path, lines: list[str], said: str
) -> None:
    file = tmp_path / "predictions.jsonl"
    file.write_text("\n".join(lines))
    assert said in refused(f"--model=file:{file}")


BROUGHT = SimpleNamespace(name="a/b", needs_model=False, run=lambda case, tools: None)


@pytest.mark.parametrize(
    ("brought", "said"), [("cove", "'cove' is no loop"), (BROUGHT, "the name 'a/b' may hold letters")]
)
def test_a_loop_that_is_none(pytester: pytest.Pytester, refused: Refused, brought: object, said: str) -> None:
    pytester.plugins = [SimpleNamespace(pytest_retrocypher_loops=lambda config: [brought])]
    assert said in refused()


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_session_that_is_refused_ends_at_once(suite: Suite, workers: str) -> None:
    ran = suite("-n", workers, "--model=oracle", "--prompt=P11")
    assert ran.status == 4, ran.output
    assert "--prompt P11: no such prompt; choose from P1" in ran.output
    for part in ("bringing up nodes", "Traceback", "INTERNALERROR"):
        assert part not in ran.output
    assert not ran.run.exists()


def test_questions_of_another_graph(live: Suite, tmp_path: Path) -> None:
    folder = copy_of_questions(tmp_path / "questions", graph_fingerprint="0" * 64)
    ran = live("-n2", "--model=oracle", f"--questions={folder}")
    assert ran.status == 4, ran.output
    assert "is not the one the questions were made for" in ran.output
    assert not (ran.run / "records.jsonl").exists()


def test_listing_marks_needs_no_model(suite: Suite) -> None:
    ran = suite("--markers")
    assert ran.status == 0
    assert "single_step" in ran.output
