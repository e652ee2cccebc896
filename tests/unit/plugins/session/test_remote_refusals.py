"""What workers on other machines cannot have is refused before anything starts."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import execnet
import pytest
from support.suite import CHECKOUT

from retrocypher.kg.errors import InputError
from retrocypher.kg.server.control import joined_folder
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.session.context import WorkerContext
from retrocypher.plugins.session.remote_workers import host_of, is_remote, look, require_reachable, settled
from retrocypher.prompts.models.spec import parse_spec


def refusal(**given: Any) -> str:
    asked = {
        "graph": "neo4j://graph.example",
        "offline": False,
        "specs": (),
        "arguments": (),
        "root": CHECKOUT,
    }
    with pytest.raises(InputError) as caught:
        require_reachable("far", **{**asked, **given})
    return str(caught.value)


def test_workers_of_this_machine_are_told_from_others() -> None:
    remote = ("ssh=me@far//python=python3", "socket=far:8888", "popen//chdir=elsewhere", "ssh=far//via=hop")
    assert all(is_remote(execnet.XSpec(text)) for text in remote)
    assert not is_remote(execnet.XSpec("popen"))
    assert not is_remote(execnet.XSpec("popen//python=python3"))
    assert host_of(execnet.XSpec("ssh=me@far//env:OPENAI_API_KEY=sk-secret")) == "me@far"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        *(({"graph": graph}, "cannot reach a server") for graph in ("auto", "docker", "none")),
        ({"offline": True}, "--offline: the worker on far (--tx) is another machine"),
        ({"specs": [parse_spec("local")]}, "its llama.cpp runs on this machine only"),
    ],
)
def test_what_only_this_machine_has(given: dict[str, Any], said: str) -> None:
    assert said in refusal(**given)


def test_paths_that_pytest_cannot_translate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    message = "benchmarks: for the worker on far (--tx) name cases by their whole path, such as "
    assert refusal(arguments=["-q", "benchmarks"]).startswith(message)
    assert refusal(arguments=[str(CHECKOUT / "benchmarks"), "--run-dir", str(tmp_path)]).startswith(
        str(tmp_path)
    )
    whole = [f"{CHECKOUT / 'benchmarks'}::x", f"--run-dir={tmp_path}", "--model=oracle"]
    require_reachable(
        "far", graph="bolt://h", offline=False, specs=[parse_spec("oracle")], arguments=whole, root=CHECKOUT
    )


def test_other_versions_there_are_named() -> None:
    found = look({"libraries": {"rdkit": "0"}, "options": None, "inputs": {}, "endpoint": None})
    assert found is not None
    assert found.startswith("rdkit is ")
    assert "there and 0 here; install the same" in found


def context(folder: Path) -> WorkerContext:
    return WorkerContext(
        Endpoint("bolt://h:7687", "u", "p"), "schema", str(folder), {}, str(folder / "allure")
    )


def test_a_remote_folder_is_removed_with_its_last_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    assert settled(context(here)) == (context(here), None)
    monkeypatch.setattr(tempfile, "tempdir", str(here))
    far, folder = settled(context(tmp_path / "retrocypher-session-abc"))
    assert folder is not None
    assert far == replace(context(tmp_path), coordination=str(folder.path), allure=None)
    assert folder.path.parent == here
    second = joined_folder("retrocypher-session-abc")
    assert second.path == folder.path
    folder.remove()
    assert second.path.is_dir()
    second.remove()
    assert not second.path.exists()
