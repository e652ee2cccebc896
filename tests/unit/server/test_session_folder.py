import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from retrocypher.kg.server.folders import session_folder

OWNER = """
import time
from retrocypher.kg.server.folders import session_folder
folder = session_folder()
(folder.path / "turnstile.lock").touch()
print(folder.path, flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def test_a_session_folder_is_private_and_goes_with_its_session() -> None:
    folder = session_folder()
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    (folder.path / "turnstile.lock").touch()
    folder.remove()
    assert not folder.path.exists()
    folder.remove()


def test_the_folder_of_a_session_that_was_killed_is_cleared_away_by_the_next(tmp_path: Path) -> None:
    foreign = tmp_path / "retrocypher-session-of-mine"
    foreign.mkdir()
    with subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout
        left = Path(owner.stdout.readline().strip())
        live = session_folder()
        assert left.exists()
        os.kill(owner.pid, signal.SIGKILL)
    following = session_folder()
    assert not left.exists()
    assert live.path.exists()
    assert foreign.exists()
    for folder in (live, following):
        folder.remove()
