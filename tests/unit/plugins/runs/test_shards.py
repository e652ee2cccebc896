"""Shards: how questions are split, and how shards are merged or refused."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins
from support.records import record_of, write_run

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import TASKS, Question, select, setting_of
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.analysis.summary import summary_of
from retrocypher.plugins.cli.runs import merge_command
from retrocypher.plugins.operations.merge import merge
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import ShardEntry, conditions_sha256
from retrocypher.plugins.runs.record import InfrastructureError, Record, Round
from retrocypher.plugins.runs.resume import RunKey, is_complete
from retrocypher.plugins.runs.shards import Shard, parse_shard

QUESTIONS = load_questions().questions
WHOLE = select(QUESTIONS, sample=20)
FEW = select(QUESTIONS, sample=8)


def question(number: int, task: str, steps: int) -> Question:
    name = f"{task}-{number:03}"
    return replace(QUESTIONS[0], id=name, task=task, steps=steps, setting=setting_of(task))


@st.composite
def question_lists(draw: st.DrawFn) -> list[Question]:
    strata = draw(st.lists(st.tuples(st.sampled_from(TASKS), st.integers(1, 4)), min_size=1, max_size=60))
    return [question(number, *stratum) for number, stratum in enumerate(strata)]


@given(question_lists(), st.integers(1, 12), st.randoms(use_true_random=False))
def test_shards_are_apart_cover_all_and_are_alike_in_size(
    every: list[Question], of: int, order: object
) -> None:
    count = min(of, len(every))
    shards = [Shard(number, count).select(every) for number in range(1, count + 1)]
    ids = [each.id for shard in shards for each in shard]
    assert sorted(ids) == sorted(each.id for each in every)
    sizes = [len(shard) for shard in shards]
    assert max(sizes) - min(sizes) <= 1
    for stratum in {(each.task, each.steps) for each in every}:
        held = [sum((each.task, each.steps) == stratum for each in shard) for shard in shards]
        assert max(held) - min(held) <= 1
    mixed = sorted(every, key=lambda each: hash((str(order), each.id)))
    for number, shard in enumerate(shards, 1):
        assert {each.id for each in Shard(number, count).select(mixed)} == {each.id for each in shard}
        assert [each.id for each in shard] == [each.id for each in every if each in shard]


def test_a_shard_of_the_shipped_questions_is_the_same_for_ever() -> None:
    mine = Shard(2, 5).select(QUESTIONS)
    assert [each.id for each in mine[:3]] == ["precursors-002", "precursors-007", "precursors-015"]
    tasks = Counter(each.task for each in mine)
    assert (len(mine), tasks["precursors"], tasks["chains_between"]) == (480, 40, 60)


def test_a_shard_without_a_question_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"--shard 4/9: no question is left for it, for the run has 3; split it"
    ):
        Shard(4, 9).select(QUESTIONS[:3])


@pytest.mark.parametrize(
    "text", ["0/5", "6/5", "2", "2/0", "a/b", "-1/2", "1/2/3", "", "\u0662/\u0665", "1.0/2"]
)
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"--shard .*: give NUMBER/COUNT"):
        parse_shard(text)


def test_a_shard_is_read_and_shown() -> None:
    assert parse_shard(None) is None
    assert str(parse_shard(" 2/5 ")) == "shard 2 of 5"
    assert Shard(1, 1).select(QUESTIONS) == QUESTIONS


PARTS: Mapping[str, Any] = {"seed": 0, "libraries": {"rdkit": "2026.3"}, "questions": {"asked": "all"}}


def records_of(questions: Sequence[Question]) -> list[Record]:
    """Return one record a question, each with a score that tells it apart."""
    return [
        record_of(
            f"{question.id}-P5-ZS-none-m",
            of=question,
            scores={"f1": number % 5 / 4, "precision": 1.0, "recall": 1.0},
            passed=number % 5 == 4,
        )
        for number, question in enumerate(questions)
    ]


def write_shard(
    folder: Path,
    shard: Shard,
    questions: Sequence[Question],
    *,
    parts: Mapping[str, Any] = PARTS,
    records: Sequence[Record] | None = None,
    manifest: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Path:
    """Write the run directory of a shard, given questions and key parts of the whole run.

    Its records are one a question where None; ``manifest`` has what the manifest says otherwise.
    """
    mine = shard.select(questions)
    held = records_of(mine) if records is None else list(records)
    said = {
        "started": f"2026-01-0{shard.number}T00:00:00+00:00",
        "ended": f"2026-01-0{shard.number}T01:00:00+00:00",
        "exit_status": 1,
        "cases": len(mine),
        "options": {
            "seed": 0,
            "shot": ["ZS"],
            "graph": f"bolt://host{shard.number}:7687",
            "shard": str(shard),
        },
        "models": [{"label": "m"}],
        "loops": {"names": ["none"]},
        "prices": None,
        "questions": {"count": len(mine), "set_sha256": "q"},
        "prompts": {"P5": "p"},
        "graph": {"kind": "local", "version": "5.26.30", "fingerprint": "g", "schema": "s", "notes": []},
        "versions": {"python": "3.12"},
        "git": {"commit": f"a{shard.number}", "changed": shard.number == 1},
        "machine": {"cores": shard.number},
        "answers": {"cache": f"{shard.number}.sqlite", "asked": shard.number, "from_cache": 1},
        "standstill": {"queries": 1, "seconds": 0.5},
        "shard": ShardEntry(shard.number, shard.of, len(questions), RunKey(parts).entry()),
    }
    summary = summary_of(held).run_summary()
    summary.selected_cases = len(mine)
    given = {"summary": summary, **keywords}
    return write_run(folder, held, mine, {**said, **(manifest or {})}, **given)


def merged_log(runs: list[Path], into: Path, *, partial: bool = False) -> RunLog:
    return RunLog(Path(merge(runs, into, partial=partial).into))


def shards(folder: Path, of: int) -> list[Path]:
    return [write_shard(folder / f"s{n}", Shard(n, of), WHOLE) for n in range(1, of + 1)]


@pytest.mark.parametrize("of", [1, 3, 20])
def test_shards_make_the_whole_run(of: int, tmp_path: Path) -> None:
    runs = shards(tmp_path, of)
    merged = merged_log(runs[::-1], tmp_path / "whole")
    records = list(merged.records())
    ids = [record.question_id for record in records]
    assert ids == [question.id for question in WHOLE] == list(merged.questions)
    summary = to_builtins(summary_of(records).run_summary())
    more = {"conditions_sha256": conditions_sha256(merged.manifest_json)}
    assert {**summary, **more, "selected_cases": 20, "lost_cases": []} == merged.summary_json
    assert merged.facts.lacks(20) == ""
    assert is_complete(merged)
    lines = {line for run in runs for line in (run / "records.jsonl").read_text().splitlines()}
    assert lines == set((merged.path / "records.jsonl").read_text().splitlines())


def test_the_manifest_says_what_the_shards_said(tmp_path: Path) -> None:
    runs = shards(tmp_path, 3)
    once = [{"at": "2026-01-02T00:30:00+00:00", "taken": 3}]
    write_shard(runs[1], Shard(2, 3), WHOLE, manifest={"continued": once})
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
    found = manifest["merged_from"]
    assert [(each["run"], each["number"], each["of"]) for each in found] == [
        (str(run), number, 3) for number, run in enumerate(runs, 1)
    ]
    assert [each["options"]["graph"] for each in found] == [f"bolt://host{n}:7687" for n in (1, 2, 3)]
    assert [each.get("continued") for each in found] == [None, once, None]
    assert "continued" not in manifest
    assert manifest["exit_status"] == 1


def test_messages_come_once_each(tmp_path: Path) -> None:
    runs = []
    for number in (1, 2):
        shard = Shard(number, 2)
        records = records_of(shard.select(WHOLE))
        asked = ("a", f"b{number}")
        records[0].rounds = [Round("generator", key, "", None) for key in asked]
        said = {key: [{"role": "user", "content": key}] for key in (*asked, f"c{number}")}
        folder = tmp_path / str(number)
        runs.append(write_shard(folder, shard, WHOLE, records=records, messages=said))
    merged = merged_log(runs, tmp_path / "whole")
    assert sorted(merged.messages) == ["a", "b1", "b2", "c1", "c2"]
    assert len((merged.path / "messages.jsonl").read_text().splitlines()) == 5
    assert next(iter(merged.messages)) == "a"


def test_allure_results_are_joined(tmp_path: Path) -> None:
    runs = shards(tmp_path, 2)
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


def test_a_part_of_the_shards_can_be_merged(tmp_path: Path) -> None:
    merged = merge(shards(tmp_path, 3)[:2], tmp_path / "part", partial=True)
    assert merged.missing == ["shard 3 of 3 is missing, 6 of the cases"]
    log = RunLog(Path(merged.into))
    assert not is_complete(log)
    assert log.facts.lacks(14) == "14 of 20 cases; incomplete"


def test_paraphrases_and_models_follow_the_question(tmp_path: Path) -> None:
    asked = WHOLE[:1]
    records = [record_of(f"c{m}{w}", of=asked[0], model=m, phrasing=w) for m in ("a", "b") for w in (2, 1)]
    manifest = {"models": [{"label": "b"}, {"label": "a"}], "cases": 4}
    run = write_shard(tmp_path / "s", Shard(1, 1), asked, records=records, manifest=manifest)
    merged = merged_log([run], tmp_path / "whole", partial=True)
    assert [record.case_id for record in merged.records()] == ["cb1", "ca1", "cb2", "ca2"]


def test_fields_that_this_version_does_not_know_survive(tmp_path: Path) -> None:
    run = write_shard(tmp_path / "s", Shard(1, 1), WHOLE, manifest={"unknown": {"of": "a manifest"}})
    records = (run / "records.jsonl").read_text().replace('"passed":', '"unknown": [1, "\\ud800"], "passed":')
    (run / "records.jsonl").write_text(records)
    merged = merged_log([run], tmp_path / "whole")
    assert merged.manifest_json["unknown"] == {"of": "a manifest"}
    assert all(line.value["unknown"] == [1, "\ud800"] for line in merged.record_lines())
    assert sorted((merged.path / "records.jsonl").read_text().splitlines()) == sorted(records.splitlines())


@pytest.fixture
def one(tmp_path: Path) -> Path:
    return write_shard(tmp_path / "one", Shard(1, 2), FEW)


def second(folder: Path, **fields: Any) -> Path:
    return write_shard(folder / "two", Shard(2, 2), FEW, **fields)


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


def test_other_options_are_named_with_both_values(one: Path, tmp_path: Path) -> None:
    parts = {**PARTS, "seed": 1, "libraries": {"rdkit": "2025.9"}}
    graph = {"kind": "uri", "version": "5.26.1", "fingerprint": "g", "schema": "s", "notes": []}
    two = second(tmp_path, parts=parts, manifest={"graph": graph})
    assert refusal([one, two], tmp_path) == (
        "one and two are not shards of one run: seed is 0 and 1; libraries.rdkit is "
        '"2026.3" and "2025.9"; server is "5.26.30" and "5.26.1". '
        "Leave one out, or run one again as the other was run"
    )
    three = write_shard(tmp_path / "three", Shard(2, 3), FEW)
    assert "not shards of one run: shards is 2 and 3." in refusal([one, three], tmp_path)


def test_shards_that_were_judged_otherwise_afterwards(tmp_path: Path) -> None:
    # Their keys are those of the runs as they were begun.
    judge = {"model": {"label": "j"}, "criteria": "c"}
    other = {"model": {"label": "k"}, "criteria": "c"}
    one, two, none = (
        write_shard(tmp_path / name, Shard(number, 2), FEW, manifest={"judge": entry})
        for name, number, entry in (("one", 1, judge), ("two", 2, other), ("none", 2, None))
    )
    said = refusal([one, two], tmp_path)
    assert said.startswith(
        'one and two were judged differently: model.label is "j" and "k". Judge one as the'
    )
    assert "one and none were judged differently: judge is" in refusal([one, none], tmp_path)
    alike = write_shard(tmp_path / "alike", Shard(2, 2), FEW, manifest={"judge": dict(judge)})
    assert merge([one, alike], tmp_path / "into").missing == []


def test_a_shard_that_comes_twice(one: Path, tmp_path: Path) -> None:
    again = write_shard(tmp_path / "again", Shard(1, 2), FEW)
    message = "one and again are both shard 1 of 2, so they overlap in all 4 cases; name one"
    assert refusal([one, again], tmp_path) == message
    assert refusal([one, one], tmp_path).startswith("one and one are both shard 1 of 2")


def test_a_case_that_comes_twice(one: Path, tmp_path: Path) -> None:
    records = records_of(Shard(2, 2).select(FEW))
    stolen = records_of(Shard(1, 2).select(FEW))[:1]
    two = second(tmp_path, records=[*records[1:], *stolen])
    message = refusal([two, one], tmp_path)
    assert message.startswith("one (shard 1 of 2) and two (shard 2 of 2) overlap: both hold the case ")
    assert stolen[0].case_id in message


def test_a_missing_shard(tmp_path: Path) -> None:
    runs = [write_shard(tmp_path / f"s{n}", Shard(n, 4), FEW) for n in (2, 3)]
    message = refusal(runs, tmp_path, partial=False)
    assert message.startswith("shards 1, 4 of 4 are missing, 4 of the cases. Run what is missing")


def test_a_shard_that_is_not_whole(one: Path, tmp_path: Path) -> None:
    def refused(name: str, **fields: Any) -> str:
        two = write_shard(tmp_path / name, Shard(2, 2), FEW, **fields)
        return refusal([one, two], tmp_path, partial=False)

    records = records_of(Shard(2, 2).select(FEW))
    gone = next(each for each in records if sum(other.setting == each.setting for other in records) > 1)
    assert refused("fewer", records=[each for each in records if each is not gone]).startswith(
        f"fewer (shard 2 of 2) has 3 of 4 cases; {gone.case_id} is missing, for example."
    )
    assert refused("killed", summary=None).startswith("killed (shard 2 of 2) was killed before")
    records[0].scores, records[0].infrastructure_error = None, InfrastructureError("model", "x", "m")
    message = "failed (shard 2 of 2) has no score for 1 of its cases (infrastructure errors)."
    assert refused("failed", records=records).startswith(message)


def test_a_target_that_is_not_empty(one: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"--out .*full: holds other files; name a new or an empty folder"):
        merge([one], tmp_path / "full")


def test_the_command_tells_what_it_did(one: Path, tmp_path: Path) -> None:
    two = second(tmp_path)
    result = CliRunner().invoke(merge_command, [str(two), str(one), "--out", str(tmp_path / "a"), "--json"])
    printed = json.loads(result.output)
    assert (printed["of"], printed["cases"], printed["missing"]) == (2, 8, [])
    assert [each["number"] for each in printed["shards"]] == [1, 2]
    text = CliRunner().invoke(merge_command, [str(one), "--partial", "--out", str(tmp_path / "b")]).output
    assert text.splitlines()[:2] == [
        f"1 of 2 shards, 4 cases: {tmp_path / 'b'}",
        "incomplete: shard 2 of 2 is missing, 4 of the cases",
    ]
