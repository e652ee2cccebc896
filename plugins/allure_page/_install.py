"""The npm package ``allure``, installed once into the cache folder at the versions of the lock file."""

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock

from kg.errors import InputError
from kg.paths import cache_dir
from plugins.allure_page._node import Node

_FILES = tuple(Path(__file__).with_name(name) for name in ("package.json", "package-lock.json"))
_COMMAND = Path("node_modules", "allure", "cli.js")
_SECONDS = 600


def installed(node: Node, announce: Callable[[str], None]) -> Path:
    """Return the command of Allure as a script for Node; install it where it is not yet.

    Args:
        node: The Node to install with.
        announce: Is told in a line that something is installed, and where.

    Raises:
        InputError: If npm cannot install it.
    """
    version = hashlib.sha256(b"".join(file.read_bytes() for file in _FILES)).hexdigest()[:12]
    folder = cache_dir() / f"allure-{version}"
    with FileLock(cache_dir() / "allure.lock"):
        if not (folder / _COMMAND).is_file():
            announce(f"installing Allure into {folder} (once)")
            _install(node, folder)
    return folder / _COMMAND


def _install(node: Node, folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=".allure-", dir=folder.parent) as made:
        place = Path(made) / "allure"
        place.mkdir()
        for file in _FILES:
            shutil.copy(file, place)
        command = [node.npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
        try:
            done = subprocess.run(
                [*command, "--loglevel=error"], cwd=place, capture_output=True, text=True, timeout=_SECONDS
            )
        except subprocess.TimeoutExpired as error:
            raise InputError(f"npm did not install Allure within {_SECONDS} s; try again") from error
        if done.returncode != 0 or not (place / _COMMAND).is_file():
            said = next((line for line in done.stderr.splitlines() if line.strip()), "it does not say why")
            raise InputError(
                f"npm cannot install Allure ({said}); give it a registry (npm config get registry), "
                "or open the results with an Allure of your own"
            )
        shutil.rmtree(folder, ignore_errors=True)
        place.rename(folder)
