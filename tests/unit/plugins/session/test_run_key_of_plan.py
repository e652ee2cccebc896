"""What of a plan is in the key of its run, and what is not."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.options import FakeConfig

from retrocypher.plugins.runs.resume import RunKey, differences
from retrocypher.plugins.session.options import read_options
from retrocypher.plugins.session.plan import resolve
from retrocypher.plugins.session.run_key import run_key
from retrocypher.prompts.models.checks import contents_of

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
    line = json.dumps({"question_id": "precursors-001", "cypher": "RETURN 1"}) + "\n"
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(line)
    keys = [
        key_of(model=[f"m=file:{tmp_path / name}"], sample=None, task=["precursors"])
        for name in ("a.jsonl", "b.jsonl")
    ]
    assert keys[0].sha256 == keys[1].sha256
    (tmp_path / "b.jsonl").write_text(line.replace("RETURN 1", "RETURN 2"))
    changed = key_of(model=[f"m=file:{tmp_path / 'b.jsonl'}"], sample=None, task=["precursors"])
    assert differences(keys[0].parts, changed.parts) == ["models"]


def test_the_address_of_an_api_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    first = key_of(model=["gpt-x"])
    monkeypatch.setenv("OPENAI_BASE_URL", "https://user:secret@example.org/v1")
    second = key_of(model=["gpt-x"])
    assert differences(first.parts, second.parts) == ["models"]
    assert second.parts["models"]["gpt-x"]["api"] == "example.org/v1"
    assert "secret" not in json.dumps(second.parts)
