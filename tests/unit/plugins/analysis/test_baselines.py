"""Baselines: the same numbers as the run they are of, small, and refused where they cannot be trusted."""

import csv
import dataclasses
import gzip
import hashlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.compared import run_of, scores_of
from support.records import key_score
from support.suite import CHECKOUT

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.baselines import find_scores, read_baseline, save
from retrocypher.plugins.analysis.comparison import compare_runs
from retrocypher.plugins.analysis.scores import COMPARABLE_METRICS
from retrocypher.plugins.cli.compare import (
    baseline_list_command,
    baseline_save_command,
    baseline_show_command,
    compare_command,
)
from retrocypher.plugins.runs.log import RunLog

SHIPPED = CHECKOUT / "reports" / "baselines" / "exemplar"
SCORES = [0.1 + 0.2, 2 / 3, 1.0, 0.0, *([0.5] * 16)]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return run_of(tmp_path / "run", SCORES)


def invoke(command: Any, *arguments: object) -> Result:
    return CliRunner().invoke(command, [str(each) for each in arguments])


def test_a_baseline_is_its_run_to_the_last_bit(run: Path, tmp_path: Path) -> None:
    side = scores_of(run)
    done = save(RunLog(run), "first", tmp_path)
    kept = read_baseline(done.folder)
    assert {each.question_id: each.scores for each in kept.cases} == {
        each.question_id: each.scores for each in side.cases
    }
    assert (kept.texts, kept.golds, kept.clusters) == (side.texts, side.golds, side.clusters)
    assert kept.conditions == side.conditions
    other = scores_of(run_of(tmp_path / "other", SCORES[::-1]))
    direct, through = (compare_runs(each, other) for each in (side, kept))
    assert dataclasses.replace(direct, a=through.a) == through
    before = {file.name: file.read_bytes() for file in done.folder.iterdir()}
    save(RunLog(run), "first", tmp_path, replace=True)
    assert {file.name: file.read_bytes() for file in done.folder.iterdir()} == before


def test_a_name_is_found_below_the_project_and_a_folder_anywhere(run: Path, tmp_path: Path) -> None:
    folder = save(RunLog(run), "first", tmp_path).folder
    assert find_scores("first", tmp_path).name == "baseline first"
    assert find_scores(str(folder), Path("/")).name == "baseline first"
    assert find_scores(str(run), tmp_path).name == str(run)
    with pytest.raises(InputError, match=r"no such baseline .*known baselines: first"):
        find_scores("second", tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no run and no baseline"):
        find_scores(str(tmp_path / "empty"), tmp_path)


def test_what_is_not_whole_or_taken_or_has_no_name_is_not_saved(run: Path, tmp_path: Path) -> None:
    broken = RunLog(run_of(tmp_path / "broken", [None, *SCORES[1:]]))
    with pytest.raises(InputError, match=r"incomplete run \(1 with an infrastructure error\)"):
        save(broken, "x", tmp_path)
    for name in ("../x", "", "a/b", ".hidden", "a b", "x" * 81, "a\nb"):
        with pytest.raises(InputError, match="not a name"):
            save(RunLog(run), name, tmp_path)
    save(RunLog(run), "x", tmp_path)
    with pytest.raises(InputError, match=r"exists; .*--replace"):
        save(RunLog(run), "x", tmp_path)
    (run / "manifest.json").unlink()
    with pytest.raises(InputError, match="without a manifest"):
        save(RunLog(run), "y", tmp_path)


def test_a_metric_that_was_added_later_is_unknown_in_an_older_baseline(run: Path, tmp_path: Path) -> None:
    folder = save(RunLog(run), "old", tmp_path).folder
    header, *lines = csv.reader(gzip.decompress((folder / "cases.csv.gz").read_bytes()).decode().splitlines())
    kept_places = [
        place for place, name in enumerate(header) if name not in ("row_f1", "leak") and "[" not in name
    ]
    assert len(header) - len(kept_places) == 2 + 18
    older = "".join(
        ",".join(line[place] for place in kept_places) + "\n" for line in (header, *lines)
    ).encode()
    (folder / "cases.csv.gz").write_bytes(gzip.compress(older))
    page = json.loads((folder / "baseline.json").read_text())
    page["cases_sha256"] = hashlib.sha256(older).hexdigest()
    (folder / "baseline.json").write_text(json.dumps(page))
    kept = read_baseline(folder)
    assert {each.scores[name] for each in kept.cases for name in ("row_f1", "f1[agents]")} == {None}
    assert {each.leak for each in kept.cases} == {"unknown"}
    with pytest.raises(InputError, match=r"no pair has f1\[agents\] on both sides"):
        compare_runs(kept, scores_of(run), "f1[agents]")
    now = {each.question_id: each.scores["f1"] for each in scores_of(run).cases}
    assert {each.question_id: each.scores["f1"] for each in kept.cases} == now


def test_the_scores_of_a_key_are_kept_and_compared(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", SCORES, per_key={"agents": key_score(0.4, precision=0.25)})
    save(RunLog(run), "x", tmp_path)
    kept = find_scores("x", tmp_path)
    assert {each.scores["precision[agents]"] for each in kept.cases} == {0.25}
    assert {each.scores["f1[solvents]"] for each in kept.cases} == {None}
    compared = invoke(compare_command, run, run, "--metric", "f1[agents]")
    # The key stands in the title, although Rich reads brackets as markup.
    assert compared.output.count("f1[agents]") == 1
    assert "0.400" in compared.output
    refused = invoke(compare_command, run, run, "--metric", "f1[agent]")
    assert refused.exit_code == 2
    assert "no key is called agent; did you mean agents?" in refused.output


def altered(cases: bytes) -> bytes:
    return gzip.compress(gzip.decompress(cases).replace(b"0.5", b"0.6"))


@pytest.mark.parametrize(
    ("name", "harm"),
    [
        ("cases.csv.gz", altered),
        ("cases.csv.gz", lambda cases: cases[:-20]),
        ("cases.csv.gz", lambda cases: b"question_id,f1"),
        ("cases.csv.gz", None),
        ("baseline.json", lambda page: page.replace(b'"schema_version": 1', b'"schema_version": 2', 1)),
        ("baseline.json", lambda page: b'{"schema_version": 1, "manifest": {}}'),
        ("baseline.json", lambda page: b"{"),
        ("baseline.json", lambda page: b"[]"),
    ],
)
def test_a_baseline_that_was_harmed_is_refused_by_its_file(
    run: Path, tmp_path: Path, name: str, harm: Callable[[bytes], bytes] | None
) -> None:
    file = save(RunLog(run), "x", tmp_path).folder / name
    if harm is None:
        file.unlink()
    else:
        file.write_bytes(harm(file.read_bytes()))
    with pytest.raises(InputError, match=f"{name}: .*baseline save"):
        find_scores("x", tmp_path)


def test_a_baseline_of_records_of_another_version_is_not_compared(run: Path, tmp_path: Path) -> None:
    page = save(RunLog(run), "x", tmp_path).folder / "baseline.json"
    output = json.loads(page.read_text())
    page.write_text(json.dumps({**output, "manifest": {**output["manifest"], "schema_version": 0}}))
    with pytest.raises(InputError, match="schema version of records: 0 and 1"):
        compare_runs(find_scores("x", tmp_path), scores_of(run))


def test_no_path_of_a_machine_is_kept(tmp_path: Path) -> None:
    places = {"run_dir": "/home/me/run", "cache": "/home/me/answers", "graph": "bolt://me:***@host"}
    places |= {"baseline": "/home/me/b", "prompt_dir": "/home/me/p", "model": ["gguf:/home/me/x.gguf"]}
    model = {"label": "m", "kind": "gguf", "argument": "/home/me/x.gguf"}
    machine = {"machine": {"system": "mine"}, "answers": {"cache": "/home/me/answers", "asked": 1}}
    of_models = {"models": [model], "loops": {"names": ["none"], "players": {"m": model}}}
    run = run_of(tmp_path / "run", SCORES, manifest={"options": places, **machine, **of_models})
    text = (save(RunLog(run), "x", tmp_path).folder / "baseline.json").read_text()
    assert not any(secret in text for secret in ("/home/me", "host", "mine"))
    assert '"argument": "x.gguf"' in text


def test_the_commands_and_their_json(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "no baseline in" in invoke(baseline_list_command).output
    saved = json.loads(invoke(baseline_save_command, run, "first", "--json").output)
    assert saved["cases"] == 20
    assert saved["bytes"] < 10_000
    assert "commit that folder" in invoke(baseline_save_command, run, "second").output
    listed = json.loads(invoke(baseline_list_command, "--json").output)["baselines"]
    assert [each["name"] for each in listed] == ["first", "second"]
    assert listed[0]["models"] == ["m"]
    assert "second" in invoke(baseline_list_command).output
    shown = json.loads(invoke(baseline_show_command, "first", "--json").output)
    assert shown["conditions"]["fixed"]["graph fingerprint"] == "a" * 64
    assert "precursors" in invoke(baseline_show_command, "first").output
    assert isinstance(invoke(baseline_show_command, "third").exception, InputError)
    assert isinstance(invoke(baseline_show_command, run).exception, InputError)
    compared = invoke(
        compare_command, "first", run, "--json", "--by", "task,steps", "--by", "model", "--margin", "0.2"
    )
    assert json.loads(compared.output)["overall"]["verdict"] == "unchanged"
    for option, wrong, meant in (("--by", "tusk", "task"), ("--metric", "F1", "f1")):
        refused = invoke(compare_command, "first", run, option, wrong)
        assert (refused.exit_code, f"did you mean {meant}?" in refused.output) == (2, True)


def test_the_shipped_baseline_is_whole_small_and_committed() -> None:
    side = read_baseline(SHIPPED)
    assert len(side.cases) == 2_400
    assert not side.part
    assert all(
        each.scores and each.scores[name] is not None
        for each in side.cases
        for name in COMPARABLE_METRICS[:3]
    )
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) < 200_000
    for file in SHIPPED.iterdir():
        ignored = subprocess.run(["git", "-C", str(CHECKOUT), "check-ignore", "-q", str(file)], check=False)
        assert ignored.returncode != 0
