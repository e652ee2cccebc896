import os
import stat
import tempfile
from pathlib import Path

import pytest

from retrocypher.kg.server.folders import UNHELD_S, hold, private_directory


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    short = Path(tempfile.mkdtemp(dir="/tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(short))
    return short


def test_a_folder_is_for_its_owner_alone() -> None:
    assert stat.S_IMODE(private_directory().stat().st_mode) == 0o700


def test_the_folder_of_a_supervisor_that_is_gone_is_cleared_away() -> None:
    gone, held = private_directory(), private_directory()
    os.close(hold(gone))
    lock = hold(held)
    new = private_directory()
    assert not gone.exists()
    assert held.exists()
    assert new.exists()
    os.close(lock)


def test_a_folder_that_was_never_held_is_cleared_away_when_it_is_old(temporary: Path) -> None:
    young, old = private_directory(), private_directory()
    foreign = temporary / "retrocypher-server-of-mine"
    foreign.mkdir()
    for folder in (old, foreign):
        long_ago = folder.stat().st_mtime - 2 * UNHELD_S
        os.utime(folder, (long_ago, long_ago))
    private_directory()
    assert young.exists()
    assert not old.exists()
    assert foreign.exists()


def test_a_control_socket_has_a_path_that_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / ("x" * 100)))
    folder = private_directory()
    assert len(str(folder / "control")) < 100
    folder.joinpath("supervisor.log").unlink()
    folder.rmdir()
