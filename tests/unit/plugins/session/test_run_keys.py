"""The key of a run: what changes it, and what it says of a difference."""

from pathlib import Path

import pytest
import yaml
from support.suite import CHECKOUT

from retrocypher.plugins.runs.resume import RunKey, differences
from retrocypher.plugins.session.run_key import code_files, code_sha256, library_versions

PACKAGE = CHECKOUT / "src" / "retrocypher"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("kg/_a.py", "prompts/words.yaml", "plugins/scoring/_b.py", "kg/data/graph/reactions.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


def test_the_order_of_parts_changes_nothing() -> None:
    assert RunKey({"a": 1, "b": {"c": 2, "d": 3}}).sha256 == RunKey({"b": {"d": 3, "c": 2}, "a": 1}).sha256
    assert RunKey({"a": 1}).sha256 != RunKey({"a": 2}).sha256


def test_a_difference_is_told_by_name_and_by_value_where_that_is_short() -> None:
    before = {"seed": 0, "code": "a" * 64, "graph": "g", "loops": {"none": None}}
    now = {"seed": 1, "code": "b" * 64, "graph": "g", "shard": "1/2"}
    told = ["seed (0 there, 1 here)", "code", 'loops ({"none":null} there, null here)']
    assert differences(before, now) == [*told, 'shard (null there, "1/2" here)']
    assert differences(before, before) == []


def test_code_counts_and_what_reads_runs_does_not(checkout: Path) -> None:
    first = code_sha256(checkout)
    for other in ("kg/data/graph/reactions.csv", "plugins/analysis/_c.py", "kg/notes.bak", "kg/.#a.py"):
        (checkout / other).parent.mkdir(parents=True, exist_ok=True)
        (checkout / other).write_text("changed")
    (checkout / "kg/__pycache__").mkdir()
    (checkout / "kg/__pycache__/_a.py").write_text("")
    assert code_sha256(checkout) == first
    (checkout / "prompts/words.yaml").write_text("changed")
    second = code_sha256(checkout)
    assert second != first
    (checkout / "kg/_a.py").rename(checkout / "kg/_b.py")
    assert code_sha256(checkout) not in (first, second)


def test_the_code_of_this_checkout() -> None:
    names = {file.relative_to(PACKAGE).as_posix() for file in code_files()}
    counted = ("plugins/scoring/score.py", "kg/semantics/reader.py", "prompts/models/prices.yaml")
    assert names >= {*counted, "fixtures/case.py", "benchmarks/test_single_step.py"}
    apart = ("plugins/cli/main.py", "prompts/templates/P5.md", "prompts/templates/single_step.yaml")
    assert not names & {*apart, "kg/data/questions/multi_step.jsonl", "benchmarks/speed/conftest.py"}


def test_what_stands_apart_is_there() -> None:
    listed = yaml.safe_load((PACKAGE / "plugins" / "session" / "code.yaml").read_text())
    assert [name for name in (*listed["folders"], *listed["apart"]) if not list(PACKAGE.glob(name))] == []
    assert set(listed["libraries"]) == set(library_versions())
