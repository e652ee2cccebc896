"""Draws the Allure page of a run with Node, and stores the results of earlier runs for it."""

import base64
import gzip
import hashlib
import json
import logging
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock

from retrocypher.kg.errors import InputError
from retrocypher.kg.paths import cache_dir
from retrocypher.plugins.analysis.gate_decision import GateResult
from retrocypher.plugins.reporting.allure.about import categories_3
from retrocypher.plugins.reporting.text import rule_line

_logger = logging.getLogger(__name__)

HISTORY = "allure-history.jsonl"
KEPT = 20
"""Maximum number of runs of a history; the newest are kept."""


class History(NamedTuple):
    """A history file: the results of earlier runs, one line of JSON for each run, in Allure's own form.

    Runs are ordered by their start, in milliseconds of the epoch, not by when their pages were drawn. So a
    page that is drawn again changes nothing, and the page of an older run shows only the runs before it. All
    methods raise InputError if the file is not such a history.
    """

    file: Path
    """The file; it need not exist."""

    def before(self, when: int) -> list[dict[str, Any]]:
        """Return the points of the runs that began before a time."""
        return [point for point in self._read() if point["timestamp"] < when]

    def add(self, point: dict[str, Any], when: int) -> int:
        """Insert the results that Allure wrote for a run, and return the number of runs of the history."""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            lock = self.file.with_suffix(".lock")
            # Without permission to write the lock, FileLock would wait forever.
            lock.touch()
            with FileLock(lock):
                same = point["name"], when
                others = [each for each in self._read() if (each["name"], each["timestamp"]) != same]
                others.append(_slim(point, when))
                points = sorted(others, key=lambda each: int(each["timestamp"]))[-KEPT:]
                partial = self.file.with_suffix(".partial")
                partial.write_text(_lines_of(points), encoding="utf-8")
                partial.replace(self.file)
        except OSError as error:
            raise InputError(f"{self.file}: cannot be written ({error.strerror})") from error
        return len(points)

    def _read(self) -> list[dict[str, Any]]:
        if not self.file.is_file():
            return []
        points = []
        for number, line in enumerate(self.file.read_text(encoding="utf-8").splitlines(), 1):
            try:
                point = json.loads(line)
                points.append({**point, "timestamp": int(point["timestamp"]), "name": str(point["name"])})
            except (ValueError, TypeError, KeyError) as error:
                raise InputError(
                    f"{self.file}, line {number}: no history of Allure; remove the file to begin a new one"
                ) from error
        return points


def _lines_of(points: Sequence[dict[str, Any]]) -> str:
    return "".join(json.dumps(point, ensure_ascii=False) + os.linesep for point in points)


def _slim(point: dict[str, Any], when: int) -> dict[str, Any]:
    """Leave out what pages of later runs do not show; the page and the records of this run have it."""
    results = {}
    for case, result in point["testResults"].items():
        message = (result.get("message") or "").split("\n", 1)[0]
        results[case] = {**result, "message": message, "trace": "", "labels": []}
    return {**point, "timestamp": when, "testResults": results}


_UNPACK = Path(__file__).with_name("unpack.js")
_BEGIN = "Promise.allSettled([d("
_END = "</script>"
# Allure puts a visitor counter into every page.
_COUNT = re.compile(
    r'<script async src="https://www\.googletagmanager\.com/[^"]*"></script>\s*<script>.*?</script>',
    re.DOTALL,
)
_ENTRY = re.compile(r'd\("([^"\\]*)","([A-Za-z0-9+/=]*)"\)')


def silent(page: str) -> str:
    """Return a page of Allure 3 that sends no request to another machine."""
    return _COUNT.sub("", page)


def compact(page: str) -> str:
    """Return a single-file page of Allure 3 with its data compressed; the browser unpacks it on opening.

    Allure writes the data as base64; gzip leaves about an eighth of it. A page with data in another
    form is returned unchanged.
    """
    begin = page.rfind(_BEGIN)
    end = page.find(_END, begin)
    if begin < 0 or end < 0:
        return page
    entries = _ENTRY.findall(page, begin, end)
    # Bytes as characters, for JSON and for the browser's btoa.
    data = {name: base64.b64decode(value).decode("latin-1") for name, value in entries}
    packed = base64.b64encode(gzip.compress(json.dumps(data).encode(), mtime=0)).decode()
    script = _UNPACK.read_text(encoding="utf-8").replace("PACKED", json.dumps(packed), 1)
    return page[:begin] + script + page[end:]


OLDEST = (20, 19)
"""The oldest version that the packages in ``package-lock.json`` support."""

_REMEDY = (
    "the Allure page is drawn by Node {}.{} or newer with npm; install it, or open the results "
    "with your own Allure"
).format(*OLDEST)


class Node(NamedTuple):
    """Paths of the programs ``node`` and ``npm``."""

    node: str
    npm: str


def find_node() -> Node:
    """Return the Node of this machine; raise InputError if there is none, it is too old, or it has no npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None:
        raise InputError(f"no node on the PATH: {_REMEDY}")
    try:
        done = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30)
        version = done.stdout.strip()
    except (OSError, subprocess.SubprocessError):
        version = ""
    found = re.match(r"v(\d+)\.(\d+)", version)
    if found is None or (int(found[1]), int(found[2])) < OLDEST:
        raise InputError(f"{node} is {version or 'no Node'}: {_REMEDY}")
    if npm is None:
        raise InputError(f"no npm on the PATH: {_REMEDY}")
    return Node(node, npm)


def _run(
    command: Sequence[str], seconds: float, late: str, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise InputError(late) from error


_FILES = tuple(Path(__file__).with_name(name) for name in ("package.json", "package-lock.json"))
_MODULES = Path("node_modules")
_COMMAND = _MODULES / "allure" / "cli.js"
_INSTALL_SECONDS = 600


def installed(node: Node) -> Path:
    """Return Allure's ``node_modules``, installed if necessary; raise InputError if npm cannot install it."""
    version = hashlib.sha256(b"".join(file.read_bytes() for file in _FILES)).hexdigest()[:12]
    folder = cache_dir() / f"allure-{version}"
    with FileLock(cache_dir() / "allure.lock"):
        if not (folder / _COMMAND).is_file():
            _logger.info(f"installing Allure into {folder} (once)")
            _install(node, folder)
    return folder / _MODULES


def _install(node: Node, folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=".allure-", dir=folder.parent) as made:
        place = Path(made) / "allure"
        place.mkdir()
        for file in _FILES:
            shutil.copy(file, place)
        options = ("--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error")
        late = f"npm did not install Allure within {_INSTALL_SECONDS} s; try again"
        done = _run([node.npm, "ci", *options], _INSTALL_SECONDS, late, place)
        if done.returncode != 0 or not (place / _COMMAND).is_file():
            reason = next((line for line in done.stderr.splitlines() if line.strip()), "without a message")
            raise InputError(
                f"npm cannot install Allure ({reason}); give it a registry (npm config get registry), "
                "or open the results with your own Allure"
            )
        shutil.rmtree(folder, ignore_errors=True)
        place.rename(folder)


_DRAW = Path(__file__).with_name("draw.mjs")
_OPTIONS = Path(__file__).with_name("options.json")
_SECONDS = 900


class Page(NamedTuple):
    """A page that was drawn."""

    file: Path
    size: int
    runs: int
    """How many runs its history has, this one among them."""


def build_page(
    node: Node,
    results: Path,
    file: Path,
    history: History,
    *,
    name: str,
    began: int,
    gate: GateResult | None = None,
) -> Page:
    """Draw the page of a run that ``began`` at a time in milliseconds, or raise InputError."""
    modules = installed(node)
    with tempfile.TemporaryDirectory(prefix="retrocypher-allure-") as made:
        place = Path(made)
        (place / "history.jsonl").write_text(_lines_of(history.before(began)), encoding="utf-8")
        configuration, rules = place / "allurerc.json", place / "gate.json"
        configuration.write_text(json.dumps(_configuration(place, name)), encoding="utf-8")
        rules.write_text(json.dumps(list(quality_gate(gate)) if gate else []), encoding="utf-8")
        drawn = place / "page" / "index.html"
        command = [node.node, *map(str, (_DRAW, modules, configuration, results.resolve(), rules))]
        late = f"Allure did not draw {file} within {_SECONDS} s"
        done = _run(command, _SECONDS, late)
        if done.returncode != 0 or not drawn.is_file():
            lines = filter(None, map(str.strip, (done.stderr + done.stdout).splitlines()))
            reason = next(lines, f"it ended with status {done.returncode}")
            raise InputError(f"Allure cannot draw {file}: {reason}")
        point = json.loads((place / "history.jsonl").read_text(encoding="utf-8").splitlines()[-1])
        try:
            file.write_text(compact(silent(drawn.read_text(encoding="utf-8"))), encoding="utf-8")
        except OSError as error:
            raise InputError(f"{file}: cannot be written ({error.strerror})") from error
    return Page(file, file.stat().st_size, history.add(point, began))


def quality_gate(gate: GateResult) -> Iterator[dict[str, Any]]:
    """Yield the rules of a gate as results of a quality gate of Allure 3; a refusal is one result.

    Allure's own rules count tests. These were judged by RetroCypher.
    """
    if gate.reason:
        yield _quality_rule(False, "gate", f"refused: {gate.reason}")
    for each in gate.rules:
        yield _quality_rule(each.holds, each.rule, "; ".join((rule_line(each), *each.notes, *gate.notes)))


def _quality_rule(success: bool, rule: str, message: str) -> dict[str, Any]:
    verdict = "holds" if success else "does not hold"
    return {
        "success": success,
        "rule": rule,
        "message": message,
        "expected": rule,
        "actual": verdict,
        "testResults": [],
    }


def _configuration(place: Path, name: str) -> dict[str, Any]:
    """Return Allure's configuration; no timeline, because records have no times of cases."""
    return {
        "name": name,
        "output": str(place / "page"),
        "historyPath": str(place / "history.jsonl"),
        "categories": categories_3(),
        "plugins": {"awesome": {"options": json.loads(_OPTIONS.read_text(encoding="utf-8"))}},
    }
