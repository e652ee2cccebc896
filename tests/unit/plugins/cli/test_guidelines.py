"""Guidelines: learned from failures of the training part, and refused where they are tested on it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.options import options_of
from support.records import record_of, write_run
from support.roles_api import RolesApi

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.questions.split import TargetSplit, parse_part, targets_of
from retrocypher.plugins.cli.main import cli
from retrocypher.plugins.operations.guidelines import training_failures
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.session.plan import resolve
from retrocypher.prompts.loops.guidelines import Source, file_text, read_guidelines

QUESTIONS = load_questions().questions
SPLIT = TargetSplit(0.5, 3)
TRAIN = [each for each in QUESTIONS if SPLIT.part_of(each) == "train"]
TEST = [each for each in QUESTIONS if SPLIT.part_of(each) == "test"]
SOURCE = Source(run="reports/train", model="m", split=str(SPLIT), failures=1, targets=["CCO"])


def failed(question: Question, label: str, case: str = "", **fields: Any) -> Any:
    scored = {"scores": {"f1": 0.0}, "errors": [label], "cypher": f"RETURN '{label}'", **fields}
    return record_of(f"{question.id}{case}", of=question, **scored)


def run_of(folder: Path, *records: Any, questions: list[Question] | None = None) -> Path:
    asked = {record.question_id for record in records}
    return write_run(folder / "run", records, questions or [each for each in QUESTIONS if each.id in asked])


def test_a_split_depends_on_targets_alone() -> None:
    names = {name for question in QUESTIONS for name in targets_of(question)}
    share = sum(map(SPLIT.trains, names)) / len(names)
    assert 0.45 < share < 0.55
    assert {SPLIT.trains(name) for each in TRAIN for name in targets_of(each)} == {True}
    assert {SPLIT.trains(name) for each in TEST for name in targets_of(each)} == {False}
    # Those that ask for molecules of both parts are in none.
    left = len(QUESTIONS) - len(TRAIN) - len(TEST)
    assert 0 < left == sum(SPLIT.part_of(each) is None for each in QUESTIONS if each.task == "multi_product")
    assert {TargetSplit(0.5, 4).part_of(each) for each in TRAIN} == {"train", "test", None}


@pytest.mark.parametrize(
    "text", ["0.5", "test:1", "test:0", "train:nan", "test:0.5:x", "test:0.5:-1", "all:0.5"]
)
def test_splits_that_cannot_be_used(text: str) -> None:
    with pytest.raises(InputError, match=f"--split {text.removeprefix('test:').removeprefix('train:')}: "):
        parse_part(text, "--split")


def test_only_failures_of_the_training_part_are_read(tmp_path: Path) -> None:
    first, second, third = TRAIN[:3]
    run = run_of(
        tmp_path,
        failed(first, "path_length", "-b"),
        failed(first, "path_length", "-a", cypher="RETURN 1"),
        failed(second, "path_length"),
        failed(third, "limit"),
        failed(TEST[0], "limit"),
        record_of("right", of=TRAIN[3], scores={"f1": 1.0}, passed=True),
        failed(TRAIN[4], "limit", scores=None),
    )
    found = training_failures(RunLog(run), SPLIT)
    # One of each question and label; labels take turns, the most frequent first.
    assert [each.errors[0] for each in found] == ["path_length", "limit", "path_length"]
    assert {each.question for each in found} == {first.text, second.text, third.text}
    assert next(each for each in found if each.question == first.text).cypher == "RETURN 1"
    assert len(training_failures(RunLog(run), SPLIT, 2)) == 2
    with pytest.raises(InputError, match=r"nothing to learn from.*--split train:0.5:3"):
        training_failures(RunLog(run_of(tmp_path / "test", failed(TEST[0], "limit"))), SPLIT)


@pytest.fixture
def api() -> Iterator[RolesApi]:
    with RolesApi() as started:
        yield started


@pytest.fixture
def building(api: RolesApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run ``retrocypher guidelines build`` with a model that counts what it read."""
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    monkeypatch.setenv("OPENAI_BASE_URL", api.address)

    def build(run: Path, out: Path, *options: str) -> Any:
        asked = ["guidelines", "build", str(run), "--model", "gpt-4.1-mini", "--out", str(out)]
        cache = ["--cache", str(tmp_path / "answers.sqlite")]
        return CliRunner().invoke(cli, [*asked, "--split", str(SPLIT), *cache, *options])

    return build


def test_a_model_revises_its_guidelines_batch_by_batch(api: RolesApi, tmp_path: Path, building: Any) -> None:
    api.roles["distiller"] = lambda text: f"1. Read after {text.count('### Failure')} failures."
    run = run_of(tmp_path, *(failed(each, "path_length") for each in (*TRAIN[:13], *TEST[:5])))
    out = tmp_path / "new" / "guidelines.md"
    ran = building(run, out, "--json")
    assert ran.exit_code == 0, ran.output
    first, second = (text for role, text in api.asked if role == "distiller")
    assert "(there are none yet)" in first
    assert "1. Read after 10 failures." in second
    assert "### Failure 11" in second
    assert TRAIN[0].text in first + second
    assert TRAIN[0].reference_cypher in first + second
    assert not any(each.text in first + second for each in TEST[:5])
    found = read_guidelines(out, "--guidelines")
    assert found.text == "1. Read after 3 failures."
    assert (found.source.run, found.source.model, found.split) == (str(run), "gpt-4.1-mini", SPLIT)
    assert set(found.source.targets) == {name for each in TRAIN[:13] for name in targets_of(each)}
    assert json.loads(ran.output[ran.output.index("{") :])["failures"] == 13

    again = building(run, out)
    assert again.exit_code != 0
    assert "it exists, and may have been edited" in str(again.exception)
    # Whoever repeats the command is answered from the cache.
    assert building(run, tmp_path / "other.md").exit_code == 0
    assert api.count("distiller") == 2


def given(folder: Path, **options: object) -> Any:
    """Resolve a session with guidelines."""
    file = folder / "guidelines.md"
    file.write_text(file_text(SOURCE, "1. Follow the arrows.\n---\nA person's note."), encoding="utf-8")
    asked = {"model": ["oracle"], "loop": ["self-review-control"], "loop_model": "gpt-4.1-mini", **options}
    return resolve(options_of(guidelines=str(file), **asked), {"OPENAI_API_KEY": "any"})


def test_guidelines_are_tested_on_other_targets_only(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"have a target molecule of the training.* --split test:0\.5:3"):
        given(tmp_path, sample="20")
    plan = given(tmp_path, split="test:0.5:3", sample="20")
    assert {SPLIT.part_of(each) for each in plan.questions} == {"test"}
    assert plan.loops.guidelines.text == "1. Follow the arrows.\n---\nA person's note."
    entry = plan.loops.described().guidelines
    assert (entry.run, entry.model, entry.split) == ("reports/train", "m", "0.5:3")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"loop": ["cove"]}, "no loop of this run reads guidelines; add --loop self-review"),
        ({"split": "train:0.5:3"}, "have a target molecule of the training part"),
        ({"split": "test:0.5:4"}, "have a target molecule of the training part"),
        ({"split": "0.5:3"}, "write train:0.5:3 or test:0.5:3"),
        ({"suite": "flights"}, "leave out --suite"),
    ],
)
def test_guidelines_that_are_refused(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        given(tmp_path, **options)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1. Follow the arrows.", "no guidelines with what they rest on"),
        ("---\nrun: a\n---\ntext", "model is missing"),
        (file_text(SOURCE, "text").replace("0.5:3", "half"), "split half: not a split"),
        (file_text(SOURCE, " "), "holds no guideline"),
    ],
)
def test_files_that_are_no_guidelines(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "guidelines.md"
    file.write_text(text)
    with pytest.raises(InputError, match=said):
        read_guidelines(file, "--guidelines")
    with pytest.raises(InputError, match="No such file"):
        read_guidelines(tmp_path / "none.md", "--guidelines")
