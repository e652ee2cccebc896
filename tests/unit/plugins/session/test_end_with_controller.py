"""A worker ends with its controller, whatever it is doing."""

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

# Each writes its process id first; none gives Python a chance to look at anything meanwhile.
BUSY = {
    "regex": "import re; re.match(r'(a|a)*b', 'a' * 40)",
    "sleep": "import time; time.sleep(60)",
    "socket": "import socket; a, b = socket.socketpair(); a.recv(1)",
    "blocked": "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)); signal.pause()",
}


@pytest.mark.skipif(sys.platform != "linux", reason="Linux ends processes with their parent")
@pytest.mark.parametrize("busy", BUSY)
def test_a_process_ends_with_its_parent(busy: str, tmp_path: Path) -> None:
    written = tmp_path / "pid"
    child = textwrap.dedent(f"""
        import os, pathlib
        from retrocypher.kg.parent import end_with
        end_with(os.getppid())
        pathlib.Path({str(written)!r}).write_text(str(os.getpid()))
        {BUSY[busy]}
    """)
    parent = subprocess.Popen(
        [sys.executable, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"]
    )
    try:
        assert _within(60, lambda: written.exists() and written.read_text() != "")
        pid = int(written.read_text())
        time.sleep(0.2)
        assert _is_running(pid)
        parent.send_signal(signal.SIGKILL)
        assert _within(5, lambda: not _is_running(pid))
    finally:
        parent.kill()
        parent.wait()


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def _within(seconds: float, holds: object) -> bool:
    assert callable(holds)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return False
