"""The key of a run: which options and files change it, and how a difference is reported."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.options import FakeConfig
from support.suite import CHECKOUT

from retrocypher.plugins.runs.resume import RunKey, differences
from retrocypher.plugins.session.options import read_options
from retrocypher.plugins.session.plan import resolve
from retrocypher.plugins.session.run_key import code_files, code_sha256, library_versions, run_key
from retrocypher.prompts.models.open import contents_of

PACKAGE = CHECKOUT / "src" / "retrocypher"
EVERYWHERE = {"arguments": ["benchmarks"]}


def key_of(*, selection: dict[str, Any] | None = None, **given: Any) -> RunKey:
    options = {"model": ["oracle"], "sample": "3", "prompt": ["P5"], "shot": ["ZS"], **given}
    plan = resolve(read_options(FakeConfig(options)), {"OPENAI_API_KEY": "k"})  # type: ignore[arg-type]
    return run_key(plan, selection or EVERYWHERE, contents_of(plan.models))


@pytest.mark.parametrize(
    "given",
    [
        {"run_dir": "elsewhere"},
        {"cache": "mine.sqlite"},
        {"concurrency": "1"},
        {"ledger": True},
        {"graph": "bolt://localhost:7687"},
        {"fresh": True},
        {"validator": "both"},
    ],
)
def test_what_decides_no_record_is_not_in_the_key(given: dict[str, Any]) -> None:
    assert key_of(**given).sha256 == key_of().sha256


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"sample": "4"}, "questions"),
        ({"phrasing": ["2"]}, "questions"),
        ({"seed": "1"}, "seed"),
        ({"prompt": ["P4"]}, "prompts"),
        ({"shot": ["1S-S"]}, "shots"),
        ({"model": ["other=oracle"]}, "models"),
        ({"model": ["mutant"]}, "models"),
        ({"loop": ["guarded"]}, "loops"),
        ({"query_timeout": "5"}, "query_timeout"),
        ({"case_threshold": "0.5"}, "case_threshold"),
        ({"selection": {"arguments": ["benchmarks"], "keyword": "precursors"}}, "selection"),
    ],
)
def test_what_decides_records_is(given: dict[str, Any], part: str) -> None:
    differing = differences(key_of().parts, key_of(**given).parts)
    assert part in {each.split(" ")[0] for each in differing}


def test_the_order_of_what_is_asked_for_changes_nothing() -> None:
    one = key_of(model=["oracle", "mutant"], prompt=["P4,P5"], shot=["ZS,1S-S"])
    assert one.sha256 == key_of(model=["mutant", "oracle"], prompt=["P5", "P4"], shot=["1S-S", "ZS"]).sha256


def test_a_file_counts_by_its_content(tmp_path: Path) -> None:
    def key_with(name: str, query: str) -> RunKey:
        line = json.dumps({"question_id": "precursors-001", "cypher": query}) + "\n"
        (tmp_path / name).write_text(line)
        return key_of(model=[f"m=file:{tmp_path / name}"], sample=None, task=["precursors"])

    first = key_with("a.jsonl", "RETURN 1")
    assert key_with("b.jsonl", "RETURN 1").sha256 == first.sha256
    assert differences(first.parts, key_with("b.jsonl", "RETURN 2").parts) == ["models"]


def test_the_address_of_an_api_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    first = key_of(model=["gpt-x"])
    monkeypatch.setenv("OPENAI_BASE_URL", "https://user:secret@example.org/v1")
    second = key_of(model=["gpt-x"])
    assert differences(first.parts, second.parts) == ["models"]
    assert second.parts["models"]["gpt-x"]["api"] == "example.org/v1"
    assert "secret" not in json.dumps(second.parts)


def test_a_difference_is_told_by_name_and_by_value_where_that_is_short() -> None:
    before = {"seed": 0, "code": "a" * 64, "graph": "g", "loops": {"none": None}}
    now = {"seed": 1, "code": "b" * 64, "graph": "g", "shard": "1/2"}
    told = ["seed (0 there, 1 here)", "code", 'loops ({"none":null} there, null here)']
    assert differences(before, now) == [*told, 'shard (null there, "1/2" here)']
    assert differences(before, before) == []


def test_code_counts_and_what_reads_runs_does_not(tmp_path: Path) -> None:
    def write(*names: str) -> str:
        for name in names:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(f"{name}, {len(names)}")
        return code_sha256(tmp_path)

    first = write("kg/_a.py", "prompts/words.yaml", "plugins/scoring/_b.py")
    apart = ("kg/data/graph/reactions.csv", "plugins/analysis/_c.py", "kg/notes.bak", "kg/.#a.py")
    assert write(*apart, "kg/__pycache__/_a.py") == first
    second = write("prompts/words.yaml")
    assert second != first
    (tmp_path / "kg/_a.py").rename(tmp_path / "kg/_b.py")
    assert code_sha256(tmp_path) not in (first, second)


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
