"""Shards joined into the run they are parts of."""

from pathlib import Path

import pytest
from support.records import record_of
from support.shards import records_of, write_shard

from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.questions.sampling import select
from retrocypher.plugins.analysis.summary import summarise
from retrocypher.plugins.operations.merge import merge
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Round
from retrocypher.plugins.runs.resume import is_complete
from retrocypher.plugins.runs.shards import Shard


@pytest.fixture(scope="module")
def questions() -> tuple[Question, ...]:
    return select(load_questions().questions, sample=20)


def merged_log(runs: list[Path], into: Path, *, partial: bool = False) -> RunLog:
    return RunLog(Path(merge(runs, into, partial=partial).into))


def shards(folder: Path, questions: tuple[Question, ...], of: int) -> list[Path]:
    return [write_shard(folder / f"s{n}", Shard(n, of), questions) for n in range(1, of + 1)]


@pytest.mark.parametrize("of", [1, 3, 20])
def test_shards_make_the_whole_run(of: int, tmp_path: Path, questions: tuple[Question, ...]) -> None:
    runs = shards(tmp_path, questions, of)
    merged = merged_log(runs[::-1], tmp_path / "whole")
    records = list(merged.records())
    ids = [record.question_id for record in records]
    assert ids == [question.id for question in questions] == list(merged.questions)
    assert {**summarise(records), "selected_cases": 20, "lost_cases": []} == merged.summary_json
    assert merged.facts.lacks(20) == ""
    assert is_complete(merged)
    lines = {line for run in runs for line in (run / "records.jsonl").read_text().splitlines()}
    assert lines == set((merged.path / "records.jsonl").read_text().splitlines())


def test_the_manifest_says_what_the_shards_said(tmp_path: Path, questions: tuple[Question, ...]) -> None:
    runs = shards(tmp_path, questions, 3)
    once = [{"at": "2026-01-02T00:30:00+00:00", "taken": 3}]
    write_shard(runs[1], Shard(2, 3), questions, manifest={"continued": once})
    manifest = merged_log(runs, tmp_path / "whole").manifest_json
    assert (manifest["cases"], manifest["questions"]["count"]) == (20, 20)
    assert manifest["started"].startswith("2026-01-01")
    assert manifest["ended"].startswith("2026-01-03")
    assert manifest["options"] == {"seed": 0, "shot": ["ZS"], "graph": None, "shard": None}
    assert manifest["answers"] == {"cache": None, "asked": 0, "from_cache": 0, "cost": None, "by_model": {}}
    counts = {"planned": 20, "selected": 20, "run": 20, "passed": 3, "failed": 17}
    assert manifest["counts"] == {**counts, "infrastructure_errors": 0, "lost": 0}
    assert manifest["standstill"] == {"queries": 3, "seconds": 1.5}
    assert manifest["machine"] == {"cores": None}
    assert manifest["git"] == {"commit": "a1, a2, a3", "changed": True}
    assert manifest["versions"] == {"python": "3.12"}
    assert manifest["shard"] is None
    assert manifest["key"]["parts"]["seed"] == 0
    told = manifest["merged_from"]
    assert [(each["run"], each["number"], each["of"]) for each in told] == [
        (str(run), number, 3) for number, run in enumerate(runs, 1)
    ]
    assert [each["options"]["graph"] for each in told] == [f"bolt://host{n}:7687" for n in (1, 2, 3)]
    assert [each.get("continued") for each in told] == [None, once, None]
    assert "continued" not in manifest
    assert manifest["exit_status"] == 1


def test_messages_come_once_each(tmp_path: Path, questions: tuple[Question, ...]) -> None:
    runs = []
    for number in (1, 2):
        shard = Shard(number, 2)
        records = records_of(shard.select(questions))
        asked = ("a", f"b{number}")
        records[0].rounds = [Round("generator", key, "", None) for key in asked]
        said = {key: [{"role": "user", "content": key}] for key in (*asked, f"c{number}")}
        folder = tmp_path / str(number)
        runs.append(write_shard(folder, shard, questions, records=records, messages=said))
    merged = merged_log(runs, tmp_path / "whole")
    assert sorted(merged.messages) == ["a", "b1", "b2", "c1", "c2"]
    assert len((merged.path / "messages.jsonl").read_text().splitlines()) == 5
    assert next(iter(merged.messages)) == "a"


def test_allure_results_are_joined(tmp_path: Path, questions: tuple[Question, ...]) -> None:
    runs = shards(tmp_path, questions, 2)
    for run in runs:
        (run / "allure-results").mkdir()
        for name in (f"{run.name}-result.json", f"{run.name}-attachment.txt", "environment.properties"):
            (run / "allure-results" / name).write_text(run.name)
    merged = merge(runs, tmp_path / "whole")
    names = {file.name for file in (Path(merged.into) / "allure-results").iterdir()}
    cases = {f"{run}-{kind}" for run in ("s1", "s2") for kind in ("result.json", "attachment.txt")}
    assert names == {"categories.json", "environment.properties", *cases}
    assert merged.allure_results == 2
    assert "cases=20 of 20" in (Path(merged.into) / "allure-results" / "environment.properties").read_text()
    assert (runs[0] / "allure-results" / "environment.properties").read_text() == "s1"


def test_a_part_of_the_shards_can_be_merged(tmp_path: Path, questions: tuple[Question, ...]) -> None:
    merged = merge(shards(tmp_path, questions, 3)[:2], tmp_path / "part", partial=True)
    assert merged.missing == ["shard 3 of 3 is missing, 6 of the cases"]
    log = RunLog(Path(merged.into))
    assert not is_complete(log)
    assert log.facts.lacks(14) == "14 of 20 cases; incomplete"


def test_paraphrases_and_models_follow_the_question(tmp_path: Path, questions: tuple[Question, ...]) -> None:
    few = questions[:1]
    records = [record_of(f"c{m}{w}", of=few[0], model=m, phrasing=w) for m in ("a", "b") for w in (2, 1)]
    manifest = {"models": [{"label": "b"}, {"label": "a"}], "cases": 4}
    run = write_shard(tmp_path / "s", Shard(1, 1), few, records=records, manifest=manifest)
    merged = merged_log([run], tmp_path / "whole", partial=True)
    assert [record.case_id for record in merged.records()] == ["cb1", "ca1", "cb2", "ca2"]


def test_fields_that_this_version_does_not_know_survive(
    tmp_path: Path, questions: tuple[Question, ...]
) -> None:
    run = write_shard(tmp_path / "s", Shard(1, 1), questions, manifest={"unknown": {"of": "a manifest"}})
    records = (run / "records.jsonl").read_text().replace('"passed":', '"unknown": [1, "\\ud800"], "passed":')
    (run / "records.jsonl").write_text(records)
    merged = merged_log([run], tmp_path / "whole")
    assert merged.manifest_json["unknown"] == {"of": "a manifest"}
    assert all(line.value["unknown"] == [1, "\ud800"] for line in merged.record_lines())
    assert sorted((merged.path / "records.jsonl").read_text().splitlines()) == sorted(records.splitlines())
