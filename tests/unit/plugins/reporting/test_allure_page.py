import json
from pathlib import Path
from typing import Any

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.plugins.reporting.allure.page import KEPT, History


def point(name: str) -> dict[str, Any]:
    result = {"id": "1", "status": "failed", "message": "first line\nsecond", "trace": "t", "labels": [1]}
    return {"name": name, "timestamp": 999_999, "testResults": {"case": result}}


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "reports" / "history.jsonl")


def test_runs_stand_by_the_time_they_began(history: History) -> None:
    assert history.before(10) == []
    for name, when in (("b", 20), ("a", 10), ("c", 30)):
        history.add(point(name), when)
    assert [each["name"] for each in history.before(100)] == ["a", "b", "c"]
    assert [each["name"] for each in history.before(20)] == ["a"]


def test_a_page_drawn_again_is_no_other_run(history: History) -> None:
    assert [history.add(point("a"), 10), history.add(point("a"), 10), history.add(point("a"), 11)] == [
        1,
        1,
        2,
    ]


def test_only_what_later_pages_show_is_kept(history: History) -> None:
    history.add(point("a"), 10)
    (kept,) = history.before(100)
    result = {"id": "1", "status": "failed", "message": "first line", "trace": "", "labels": []}
    assert kept == {"name": "a", "timestamp": 10, "testResults": {"case": result}}


def test_the_oldest_give_way(history: History) -> None:
    counts = [history.add(point(str(number)), number) for number in range(KEPT + 3)]
    assert counts[-1] == KEPT
    assert history.before(1_000)[0]["name"] == "3"


@pytest.mark.parametrize("line", ["{", "[]", '{"name": "a"}', json.dumps({"timestamp": "x", "name": "a"})])
def test_another_file_is_refused(history: History, line: str) -> None:
    history.file.parent.mkdir()
    history.file.write_text(json.dumps({"timestamp": 1, "name": "a"}) + "\n" + line + "\n")
    with pytest.raises(InputError, match=r"history.jsonl, line 2: no history of Allure; remove the file"):
        history.before(10)


def test_a_place_that_cannot_be_written_is_named() -> None:
    with pytest.raises(InputError, match=r"/proc/history.jsonl: cannot be written \("):
        History(Path("/proc/history.jsonl")).add(point("a"), 10)
