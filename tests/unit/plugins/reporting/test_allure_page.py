"""The page that Allure makes: its history, the Node that draws it, and what is changed in it."""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.manifests import manifest_of
from support.records import write_run

import retrocypher.plugins.reporting.allure.page
from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.gate_decision import GateResult, GateVerdict, RuleResult, RuleStatus
from retrocypher.plugins.cli.main import cli
from retrocypher.plugins.reporting.allure.page import KEPT, History, compact, find_node, quality_gate, silent

FOLDER = Path(retrocypher.plugins.reporting.allure.page.__file__).parent
DATA = {"widgets/a.json": '{"x": "ü"}', "data/attachments/1.txt": "C" * 5_000}


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


def test_only_what_later_pages_show_is_kept(history: History) -> None:
    history.add(point("a"), 10)
    (kept,) = history.before(100)
    result = {"id": "1", "status": "failed", "message": "first line", "trace": "", "labels": []}
    assert kept == {"name": "a", "timestamp": 10, "testResults": {"case": result}}


def test_a_page_drawn_again_is_no_other_run_and_the_oldest_give_way(history: History) -> None:
    assert [history.add(point("0"), 0), history.add(point("0"), 0)] == [1, 1]
    counts = [history.add(point(str(number)), number) for number in range(KEPT + 3)]
    assert counts[-1] == KEPT
    assert history.before(1_000)[0]["name"] == "3"


@pytest.mark.parametrize("line", ["{", "[]", '{"name": "a"}', json.dumps({"timestamp": "x", "name": "a"})])
def test_another_file_is_refused(history: History, line: str) -> None:
    history.file.parent.mkdir()
    history.file.write_text(json.dumps({"timestamp": 1, "name": "a"}) + "\n" + line + "\n")
    with pytest.raises(InputError, match=r"history.jsonl, line 2: no history of Allure; remove the file"):
        history.before(10)

    with pytest.raises(InputError, match=r"/proc/history.jsonl: cannot be written \("):
        History(Path("/proc/history.jsonl")).add(point("a"), 10)


def program(folder: Path, name: str, says: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\necho {says}\n")
    file.chmod(0o755)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.mark.parametrize(
    ("version", "taken"), [("v20.19.0", True), ("v100.0.0", True), ("v20.18.3", False), ("nonsense", False)]
)
def test_a_node_that_is_new_enough_is_taken(path: Path, version: str, taken: bool) -> None:
    program(path, "node", version)
    program(path, "npm", "11.0.0")
    if taken:
        assert find_node().node == str(path / "node")
    else:
        with pytest.raises(InputError, match=rf"{version}: .* Node 20.19 or newer"):
            find_node()


def test_what_is_missing_is_named(path: Path) -> None:
    with pytest.raises(InputError, match=r"no node on the PATH: .* Node 20.19 or newer with npm; install it"):
        find_node()
    program(path, "node", "v20.19.0")
    with pytest.raises(InputError, match="no npm on the PATH"):
        find_node()


def test_without_node_the_command_says_so_before_it_works(path: Path, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [], manifest=manifest_of())
    done = CliRunner().invoke(cli, ["allure", str(run), "--html", "--out", str(tmp_path / "results")])
    assert isinstance(done.exception, InputError)
    assert not (tmp_path / "results").exists()


def page(data: dict[str, str]) -> str:
    entries = ",".join(f'd("{k}","{base64.b64encode(v.encode()).decode()}")' for k, v in data.items())
    return f"<body>\n<script defer>\n Promise.allSettled([{entries}])\n .then()\n</script>\n</body>"


def test_the_data_of_a_page_come_back_as_they_were() -> None:
    made = compact(page(DATA))
    assert len(made) < 1_500
    assert made.startswith("<body>\n<script defer>")
    assert made.endswith("</script>\n</body>")
    packed = re.search(r'atob\("([^"]+)"\)', made)
    assert packed is not None
    data = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    assert {name: value.encode("latin-1").decode() for name, value in data.items()} == DATA
    assert compact(page(DATA)) == made
    assert compact("<body><script>d(1)</script></body>") == "<body><script>d(1)</script></body>"


def test_a_page_tells_nobody_that_it_is_looked_at() -> None:
    count = (
        '<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>\n'
        "<script>\n  gtag('config', 'G-1');\n</script>"
    )
    assert silent(f"<body>{count}<script>d(1)</script></body>") == "<body><script>d(1)</script></body>"


def test_the_rules_of_a_gate_are_quality_gates() -> None:
    rule = {"kind": "at-least", "metric": "f1", "by": (), "reason": "no case has it"}
    met = RuleResult(rule="f1>=0.2", verdict=RuleStatus.HOLDS, holds=True, **rule)
    failed = RuleResult(rule="f1>=0.9", verdict=RuleStatus.FAILS, holds=False, notes=("slowly",), **rule)
    gate = GateResult(GateVerdict.FAILS, rules=(met, failed), notes=("a part",))
    found = [(each["rule"], each["success"], each["message"]) for each in quality_gate(gate)]
    assert found == [
        ("f1>=0.2", True, "holds: f1>=0.2: no case has it; a part"),
        ("f1>=0.9", False, "fails: f1>=0.9: no case has it; slowly; a part"),
    ]
    (refused,) = quality_gate(GateResult(GateVerdict.REFUSED, "the run is incomplete"))
    assert (refused["success"], refused["message"]) == (False, "refused: the run is incomplete")


def test_the_lock_pins_what_is_asked_for_and_names_no_registry() -> None:
    asked = json.loads((FOLDER / "package.json").read_text())
    lock = json.loads((FOLDER / "package-lock.json").read_text())
    assert lock["packages"][""]["dependencies"] == asked["dependencies"]
    assert lock["packages"]["node_modules/allure"]["version"] == asked["dependencies"]["allure"]
    assert "://" not in (FOLDER / "package-lock.json").read_text()
    assert all("integrity" in each for name, each in lock["packages"].items() if name)
