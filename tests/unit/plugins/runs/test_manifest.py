"""The manifest, and its page."""

from pathlib import Path

from retrocypher.plugins.runs.files import json_page
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import (
    Git,
    KeyEntry,
    Machine,
    Manifest,
    ModelEntry,
    code_facts,
    machine,
)

PAGE = Path(__file__).parents[4] / "docs" / "records.md"


def test_the_code_is_described(tmp_path: Path) -> None:
    facts = code_facts(tmp_path)
    assert facts["git"] is None
    assert facts["versions"]["neo4j-driver"]


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = Manifest(
        started="2025-01-02T03:04:05+00:00",
        models=[ModelEntry("m", "gguf", "m.gguf", "a" * 64), ModelEntry("oracle", "oracle")],
        machine=machine("17.0.1"),
        git=Git("0" * 40, True),
        key=KeyEntry("b", {"seed": 2**70}),
    )
    (tmp_path / "manifest.json").write_text(json_page(written))
    log = RunLog(tmp_path)
    assert log.manifest == written
    assert "file_sha256" not in log.manifest_json["models"][1]
    assert "counts" not in log.manifest_json


def test_the_machine_is_described() -> None:
    found = machine()
    assert found.cores is not None
    assert found.cores >= 1
    assert found.memory_gib is not None
    assert found.memory_gib > 0
    assert found.os
    assert found.java is None


def test_the_page_has_every_field() -> None:
    page = PAGE.read_text(encoding="utf-8").partition("## manifest.json")[2]
    names = [*Manifest.__struct_fields__, *Machine.__struct_fields__, "by_model", "served"]
    assert [name for name in names if f"`{name}`" not in page] == []
