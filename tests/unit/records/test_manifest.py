"""The manifest, and its page."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from retrocypher.plugins.runs.manifest import machine, manifest

PAGE = Path(__file__).parents[3] / "docs" / "records.md"


def made(folder: Path) -> dict[str, Any]:
    return manifest(
        started=datetime(2025, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
        options={"seed": 0},
        models=[{"label": "oracle"}],
        loops={},
        api=None,
        prices=None,
        questions={},
        prompts={"P5": "a"},
        exemplars={"single_step": "b"},
        graph={"schema": "(:Molecule)"},
        java="17.0.1",
        cases=3,
        checkout=folder,
    )


def test_it_is_json_and_tells_what_is_not_known(tmp_path: Path) -> None:
    told = json.loads(json.dumps(made(tmp_path)))
    assert told["started"] == "2025-01-02T03:04:05+00:00"
    assert told["git"] is None
    assert told["graph"]["schema_sha256"].isalnum()
    assert told["versions"]["neo4j-driver"]
    assert told["machine"]["java"] == "17.0.1"


def test_the_machine_is_described() -> None:
    told = machine()
    assert told["cores"] >= 1
    assert told["memory_gib"] > 0
    assert told["os"]
    assert told["java"] is None


def test_the_page_tells_every_field(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8").partition("## manifest.json")[2]
    told = made(tmp_path)
    names = [*told, *told["machine"], "counts", "answers", "standstill", "by_model", "served"]
    assert [name for name in names if f"`{name}`" not in page] == []
