from pathlib import Path

import pytest
from click.testing import CliRunner
from support.manifests import manifest_of
from support.records import write_run

from retrocypher.kg.errors import InputError
from retrocypher.plugins.cli.main import cli
from retrocypher.plugins.reporting.allure.page import find_node


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


@pytest.mark.parametrize("version", ["v20.19.0", "v22.1.0", "v100.0.0"])
def test_a_node_that_is_new_enough_is_taken(path: Path, version: str) -> None:
    program(path, "node", version)
    program(path, "npm", "11.0.0")
    assert find_node().node == str(path / "node")


@pytest.mark.parametrize("version", ["v20.18.3", "v18.20.0", "nonsense"])
def test_an_old_node_is_refused(path: Path, version: str) -> None:
    program(path, "node", version)
    program(path, "npm", "11.0.0")
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
