"""An API that is not there: said at once, an error for each case, and soon over."""

import json
import socket

import pytest
from support.suite import Suite


@pytest.mark.parametrize("workers", ["0", "2"])
def test_an_api_that_is_not_there_is_told_at_once(
    live: Suite, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closing:
        host = f"127.0.0.1:{closing.getsockname()[1]}"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-0123")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://me:hidden@{host}/v1")
    ran = live("-n", workers, "--model=gpt-x", "--sample=2", "--prompt=P5")
    assert ran.status == 16, ran.output
    said = f"The API at {host}/v1 does not answer (Connection refused). Is OPENAI_BASE_URL right?"
    assert ran.output.count(said) == 1
    assert ran.output.index(said) < ran.output.index("collected" if workers == "0" else "workers [")
    assert {record["infrastructure_error"]["kind"] for record in ran.records.values()} == {"connection"}
    manifest = json.loads((ran.run / "manifest.json").read_text())
    assert manifest["api"] == f"{host}/v1"
    assert "neo4j-driver" in manifest["versions"]
    assert "neo4j" not in manifest["versions"]
    for file in ran.run.rglob("*"):
        assert not file.is_file() or "hidden" not in file.read_text()


def test_a_run_without_an_api_names_none(live: Suite) -> None:
    ran = live("--model=oracle", "--sample=1")
    assert json.loads((ran.run / "manifest.json").read_text())["api"] is None
