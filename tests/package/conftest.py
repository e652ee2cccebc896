"""The wheel, built from a copy of the checkout and installed where no checkout is near."""

import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.installed import CHECKOUT, PACKAGES, Installed, pip

from retrocypher.kg.paths import cache_dir


@pytest.fixture(scope="session")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the wheel is built from: a build leaves files behind, which the next one would take."""
    copy = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for folder in (*PACKAGES, "src"):
        shutil.copytree(CHECKOUT / folder, copy / folder, symlinks=True, ignore=ignored)
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(CHECKOUT / file, copy)
    return copy


@pytest.fixture(scope="session")
def sdist(copied: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, unpacked."""
    made, unpacked = tmp_path_factory.mktemp("sdist"), tmp_path_factory.mktemp("unpacked")
    build = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(made)], cwd=copied, check=True, capture_output=True)
    shutil.unpack_archive(next(made.glob("*.tar.gz")), unpacked, filter="data")
    return next(unpacked.iterdir())


@pytest.fixture(scope="session")
def build_wheel(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Build the wheel of a folder with the setuptools that is installed."""

    def build(source: Path) -> Path:
        made = tmp_path_factory.mktemp("wheel")
        pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(made), str(source))
        return next(made.glob("*.whl"))

    return build


@pytest.fixture(scope="session")
def wheel(copied: Path, sdist: Path, build_wheel: Callable[[Path], Path]) -> Path:
    """The wheel of the checkout; built after the source distribution, whose file list it would change."""
    return build_wheel(copied)


@pytest.fixture(scope="session")
def cache() -> Iterator[Path]:
    """A cache of its own, with the jars of the user's: a server that is left running is the tests' alone."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        for name in ("jars", "classes", "cypher-grammar"):
            (cache_dir() / name).mkdir(exist_ok=True)
            Path(folder, name).symlink_to(cache_dir() / name)
        yield Path(folder)


@pytest.fixture(scope="session")
def installed(wheel: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel on top of the dependencies that are installed here."""
    made = _environment(tmp_path_factory, cache)
    # A path in a .pth file is no site folder: the editable install that is there stays out.
    (made.site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    pip("--python", str(made.environment / "bin/python"), "install", "--no-deps", str(wheel))
    return made


@pytest.fixture(scope="session")
def installed_in_full(
    wheel: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installed]:
    """The wheel with the dependencies that it declares, in the versions of the lock file."""
    made = _environment(tmp_path_factory, cache)
    lock = str(CHECKOUT / "requirements.lock")
    pip("--python", str(made.environment / "bin/python"), "install", "--constraint", lock, str(wheel))
    yield made
    # More than a gigabyte, which pytest would keep for three sessions.
    shutil.rmtree(made.environment)


@pytest.fixture(scope="session")
def graph(installed: Installed) -> Iterator[str]:
    """What ``retrocypher graph up`` prints; the server that it left running is used and ended at last."""
    try:
        yield installed.run("retrocypher", "graph", "up", "--server", "local")
    finally:
        installed.run("retrocypher", "graph", "down")


def _environment(folders: pytest.TempPathFactory, cache: Path) -> Installed:
    environment = folders.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    return Installed(environment, folders.mktemp("elsewhere"), cache)
