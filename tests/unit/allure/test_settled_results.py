import json
import os
from pathlib import Path

from support.records import record_of, write_run

from retrocypher.plugins.reporting.allure.unfinished import drop_stale, settle_run, shown_cases


def result(folder: Path, name: str, parameters: dict[str, str], age: float = 0.0, stop: int = 0) -> None:
    file = folder / f"{name}-result.json"
    named = [{"name": key, "value": value} for key, value in parameters.items()]
    file.write_text(json.dumps({"fullName": "t", "parameters": named, "stop": stop}))
    os.utime(file, (1_000_000 - age, 1_000_000 - age))


def left(folder: Path) -> list[str]:
    return sorted(path.name.removesuffix("-result.json") for path in folder.iterdir())


def test_only_unrecorded_cases_of_this_run_are_dropped(tmp_path: Path) -> None:
    result(tmp_path, "kept", {"case": "a"})
    result(tmp_path, "unanswered", {"case": "b", "prompt": "P1"})
    result(tmp_path, "earlier", {"case": "b"}, age=100)
    result(tmp_path, "other test", {"x": "b"})
    (tmp_path / "broken-result.json").write_text("{")
    drop_stale(tmp_path, {"a"}, since=999_950)
    assert left(tmp_path) == ["broken", "earlier", "kept", "other test"]


def test_of_a_case_asked_again_the_last_result_stays(tmp_path: Path) -> None:
    for name, stop in (("second", 20), ("third", 30), ("first", 10)):
        result(tmp_path, name, {"case": "a"}, stop=stop)
    result(tmp_path, "other", {"case": "b"}, stop=5)
    drop_stale(tmp_path, {"a", "b"}, since=0)
    assert left(tmp_path) == ["other", "third"]


def test_the_part_that_was_run_before_is_settled_too(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [record_of("a"), record_of("b")])
    for folder in (run / "allure-results", tmp_path / "of many runs"):
        folder.mkdir()
        result(folder, "a before", {"case": "a"}, age=100, stop=1)
        result(folder, "a again", {"case": "a"}, stop=2)
        result(folder, "b", {"case": "b"}, age=100)
        result(folder, "killed", {"case": "c"}, age=100)
        settle_run(folder, run, [], since=999_950, cases=2)
    assert left(run / "allure-results") == ["a again", "b"]
    assert left(tmp_path / "of many runs") == ["a again", "a before", "b", "killed"]


def test_of_a_case_taken_from_before_the_result_with_its_page_stays(tmp_path: Path) -> None:
    result(tmp_path, "earlier", {"case": "a", "prompt": "P1"}, stop=10)
    result(tmp_path, "taken", {"case": "a"}, stop=20)
    result(tmp_path, "only taken", {"case": "b"}, stop=20)
    lost = {"name": "case", "value": "c"}, {"name": "prompt", "value": "P1"}
    (tmp_path / "lost-result.json").write_text(
        json.dumps({"fullName": "t", "parameters": lost, "status": "broken"})
    )
    assert shown_cases(tmp_path) == {"a"}
    drop_stale(tmp_path, {"a", "b"}, since=0)
    assert left(tmp_path) == ["earlier", "only taken"]


def test_a_test_that_was_ended_before_it_began_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "x-result.json").write_text(json.dumps({"name": "test_single_step[a]", "status": "skipped"}))
    drop_stale(tmp_path, {"a"}, since=0)
    assert left(tmp_path) == []
