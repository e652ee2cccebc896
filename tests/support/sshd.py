"""An sshd of the tests' own, on the loopback address."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
NEEDED = {
    "sshd (Debian: openssh-server)": SSHD,
    "ssh": shutil.which("ssh"),
    "ssh-keygen": shutil.which("ssh-keygen"),
}


def lacking() -> list[str]:
    """Return what is not installed."""
    return [name for name, found in NEEDED.items() if not found]


@contextmanager
def running(folder: Path) -> Iterator[Path]:
    """Run an sshd with keys of its own; yield settings for ssh that call the machine ``loopback``."""
    for name in ("host", "key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder / 'host'}\nPidFile none\nUsePAM no\n"
        f"AuthorizedKeysFile {folder / 'key.pub'}\nStrictModes no\nPasswordAuthentication no\n"
    )
    settings = folder / "ssh_config"
    settings.write_text(
        f"Host loopback\n HostName 127.0.0.1\n Port {port}\n IdentityFile {folder / 'key'}\n"
        " IdentitiesOnly yes\n IdentityAgent none\n StrictHostKeyChecking no\n LogLevel ERROR\n"
        " UserKnownHostsFile /dev/null\n"
    )
    if os.getuid() == 0:
        # Where sshd puts its unprivileged part; systemd makes it otherwise.
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    assert SSHD is not None
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([SSHD, "-D", "-e", "-f", str(folder / "sshd_config")], stderr=log)
        try:
            _wait(port, server)
            yield settings
        finally:
            server.terminate()
            server.wait(timeout=10)


def _wait(port: int, server: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("sshd does not listen")
