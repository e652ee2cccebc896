"""What `merge` does not join, and why."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.records import record_of, write_run
from support.shards import PARTS, records_of, write_shard

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.questions.sampling import select
from retrocypher.plugins.cli.runs import merge_command
from retrocypher.plugins.operations.merge import merge
from retrocypher.plugins.runs.record import InfrastructureError
from retrocypher.plugins.runs.shards import Shard


@pytest.fixture(scope="module")
def questions() -> tuple[Question, ...]:
    return select(load_questions().questions, sample=8)


@pytest.fixture
def one(tmp_path: Path, questions: tuple[Question, ...]) -> Path:
    return write_shard(tmp_path / "one", Shard(1, 2), questions)


def refusal(runs: list[Path], folder: Path, partial: bool = True) -> str:
    into = folder / "into"
    with pytest.raises(InputError) as caught:
        merge(runs, into, partial=partial)
    assert not into.exists()
    assert [entry.name for entry in folder.iterdir() if "partial" in entry.name] == []
    return str(caught.value).replace(f"{folder}/", "")


def test_what_is_no_shard(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [record_of()], manifest={"cases": 1})
    assert refusal([run], tmp_path).startswith("run: not a shard; merge joins runs made with --shard i/n")
    assert refusal([tmp_path], tmp_path).endswith("no manifest.json here; name the folder of a run")


def test_other_options_are_named_with_both_values(
    one: Path, tmp_path: Path, questions: tuple[Question, ...]
) -> None:
    parts = {**PARTS, "seed": 1, "libraries": {"rdkit": "2025.9"}}
    graph = {"kind": "uri", "version": "5.26.1", "fingerprint": "g", "schema": "s", "notes": []}
    two = write_shard(tmp_path / "two", Shard(2, 2), questions, parts=parts, manifest={"graph": graph})
    assert refusal([one, two], tmp_path) == (
        "one and two are not shards of one run: seed is 0 and 1; libraries.rdkit is "
        '"2026.3" and "2025.9"; server is "5.26.30" and "5.26.1". '
        "Leave one out, or run one again as the other was run"
    )


def test_shards_that_were_judged_otherwise_afterwards(
    tmp_path: Path, questions: tuple[Question, ...]
) -> None:
    # Their keys are those of the runs as they were begun.
    judge = {"model": {"label": "j"}, "criteria": "c"}
    other = {"model": {"label": "k"}, "criteria": "c"}
    one, two, none = (
        write_shard(tmp_path / name, Shard(number, 2), questions, manifest={"judge": told})
        for name, number, told in (("one", 1, judge), ("two", 2, other), ("none", 2, None))
    )
    said = refusal([one, two], tmp_path)
    assert said.startswith(
        'one and two were judged differently: model.label is "j" and "k". Judge one as the'
    )
    assert "one and none were judged differently: judge is" in refusal([one, none], tmp_path)
    alike = write_shard(tmp_path / "alike", Shard(2, 2), questions, manifest={"judge": dict(judge)})
    assert merge([one, alike], tmp_path / "into").missing == []


def test_another_count_of_shards(one: Path, tmp_path: Path, questions: tuple[Question, ...]) -> None:
    two = write_shard(tmp_path / "two", Shard(2, 3), questions)
    assert "not shards of one run: shards is 2 and 3." in refusal([one, two], tmp_path)


def test_a_shard_that_comes_twice(one: Path, tmp_path: Path, questions: tuple[Question, ...]) -> None:
    again = write_shard(tmp_path / "again", Shard(1, 2), questions)
    told = "one and again are both shard 1 of 2, so they overlap in all 4 cases; name one"
    assert refusal([one, again], tmp_path) == told
    assert refusal([one, one], tmp_path).startswith("one and one are both shard 1 of 2")


def test_a_case_that_comes_twice(one: Path, tmp_path: Path, questions: tuple[Question, ...]) -> None:
    records = records_of(Shard(2, 2).select(questions))
    stolen = records_of(Shard(1, 2).select(questions))[:1]
    two = write_shard(tmp_path / "two", Shard(2, 2), questions, records=[*records[1:], *stolen])
    told = refusal([two, one], tmp_path)
    assert told.startswith("one (shard 1 of 2) and two (shard 2 of 2) overlap: both hold the case ")
    assert stolen[0].case_id in told


def test_a_missing_shard(tmp_path: Path, questions: tuple[Question, ...]) -> None:
    runs = [write_shard(tmp_path / f"s{n}", Shard(n, 4), questions) for n in (2, 3)]
    told = refusal(runs, tmp_path, partial=False)
    assert told.startswith("shards 1, 4 of 4 are missing, 4 of the cases. Run what is missing")


def test_missing_cases_with_an_example(one: Path, tmp_path: Path, questions: tuple[Question, ...]) -> None:
    records = records_of(Shard(2, 2).select(questions))
    gone = next(each for each in records if sum(other.setting == each.setting for other in records) > 1)
    held = [each for each in records if each is not gone]
    two = write_shard(tmp_path / "two", Shard(2, 2), questions, records=held)
    told = refusal([one, two], tmp_path, partial=False)
    assert told.startswith(f"two (shard 2 of 2) has 3 of 4 cases; {gone.case_id} is missing, for example.")


def test_cases_without_a_score(one: Path, tmp_path: Path, questions: tuple[Question, ...]) -> None:
    records = records_of(Shard(2, 2).select(questions))
    records[0].scores, records[0].infrastructure_error = None, InfrastructureError("model", "x", "m")
    two = write_shard(tmp_path / "two", Shard(2, 2), questions, records=records)
    told = refusal([one, two], tmp_path, partial=False)
    assert told.startswith("two (shard 2 of 2) has no score for 1 of its cases (infrastructure errors).")


def test_a_shard_that_was_killed(one: Path, tmp_path: Path, questions: tuple[Question, ...]) -> None:
    two = write_shard(tmp_path / "two", Shard(2, 2), questions, summary=None)
    assert refusal([one, two], tmp_path, partial=False).startswith("two (shard 2 of 2) was killed before")


def test_a_target_that_is_not_empty(one: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"--into .*full: holds other files; name a new or an empty folder"):
        merge([one], tmp_path / "full")


def test_what_is_no_record(one: Path, tmp_path: Path) -> None:
    with (one / "records.jsonl").open("a") as records:
        records.write('{"schema_version": 1, "case_id": "c"}\n')
    told = refusal([one], tmp_path)
    assert told.startswith("one/records.jsonl, ")
    assert "not a whole record: question_id is missing" in told


def test_the_command_tells_what_it_did(one: Path, tmp_path: Path, questions: tuple[Question, ...]) -> None:
    two = write_shard(tmp_path / "two", Shard(2, 2), questions)
    result = CliRunner().invoke(merge_command, [str(two), str(one), "--into", str(tmp_path / "a"), "--json"])
    told = json.loads(result.output)
    assert (told["of"], told["cases"], told["missing"]) == (2, 8, [])
    assert [each["number"] for each in told["shards"]] == [1, 2]
    text = CliRunner().invoke(merge_command, [str(one), "--partial", "--into", str(tmp_path / "b")]).output
    assert text.splitlines()[:2] == [
        f"1 of 2 shards, 4 cases: {tmp_path / 'b'}",
        "incomplete: shard 2 of 2 is missing, 4 of the cases",
    ]
