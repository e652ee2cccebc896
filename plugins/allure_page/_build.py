"""Allure results in, one HTML file out."""

import json
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.allure import categories_3
from plugins.allure_page._finish import compact, silent
from plugins.allure_page._history import History, lines_of
from plugins.allure_page._install import installed
from plugins.allure_page._node import Node

_OPTIONS = Path(__file__).with_name("options.json")
_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was drawn.

    Attributes:
        file: The page.
        size: Its size in bytes.
        runs: How many runs its history has, this one among them.
    """

    file: Path
    size: int
    runs: int


def build_page(
    node: Node,
    results: Path,
    file: Path,
    history: History,
    *,
    name: str,
    began: int,
    announce: Callable[[str], None],
) -> Page:
    """Draw the page of a run.

    Args:
        node: What draws it.
        results: Folder of its Allure results.
        file: The page; replaced where it exists.
        history: What earlier runs gave; the run is put into it.
        name: What the run is called.
        began: When it began, in milliseconds of the epoch.
        announce: Is told in a line what takes long.

    Raises:
        InputError: If Allure cannot be installed or cannot draw the page, or a file cannot be read or
            written.
    """
    script = installed(node, announce)
    with tempfile.TemporaryDirectory(prefix="retrocypher-allure-") as made:
        place = Path(made)
        (place / "history.jsonl").write_text(lines_of(history.before(began)), encoding="utf-8")
        (place / "allurerc.json").write_text(json.dumps(_configuration(place, name)), encoding="utf-8")
        drawn = place / "page" / "index.html"
        command = [node.node, str(script), "generate", "--config", str(place / "allurerc.json")]
        try:
            done = subprocess.run(
                [*command, "--cwd", str(results.parent), results.name],
                capture_output=True,
                text=True,
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired as error:
            raise InputError(f"Allure did not draw {file} within {_SECONDS} s") from error
        if done.returncode != 0 or not drawn.is_file():
            raise InputError(f"Allure cannot draw {file}: {_said(done)}")
        point = json.loads((place / "history.jsonl").read_text(encoding="utf-8").splitlines()[-1])
        try:
            file.write_text(compact(silent(drawn.read_text(encoding="utf-8"))), encoding="utf-8")
        except OSError as error:
            raise InputError(f"{file}: cannot be written ({error.strerror})") from error
    return Page(file, file.stat().st_size, history.add(point, began))


def _configuration(place: Path, name: str) -> dict[str, Any]:
    """Return Allure's configuration; no timeline, because records do not tell when a case was asked."""
    return {
        "name": name,
        "output": str(place / "page"),
        "historyPath": str(place / "history.jsonl"),
        "categories": categories_3(),
        "plugins": {"awesome": {"options": json.loads(_OPTIONS.read_text(encoding="utf-8"))}},
    }


def _said(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    return lines[0] if lines else f"it ended with status {done.returncode}"
