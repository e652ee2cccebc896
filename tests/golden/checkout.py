"""Runs sessions and commands of a checkout, and keeps their outputs."""

import gzip
import json
import os
import shlex
import shutil
import subprocess
import threading
import time
import tomllib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

import outputs
from outputs import Cleaner, Entries
from scripted_api import ScriptedApi
from scripted_models import KnownQueries, ScriptedModels

REMOVED_VARIABLES = (
    *("OPENAI_", "PYTEST_", "RETROCYPHER_", "NEO4J_", "PYTHONDONTWRITEBYTECODE"),
    *("CI", "GITHUB_", "GITLAB_", "JENKINS_", "BUILD_"),
)
"""Beginnings of names of environment variables that would change the outputs or slow the start."""
SHARED_FOLDERS = ("jars", "classes", "cypher-grammar", "passages")


class Checkout:
    """A checkout with a database server and a scripted API of its own.

    Args:
        code: The code to run.
        folder: Where to write: ``outputs`` is compared, ``work`` holds everything else.
        cache: Cache folder that several checkouts share: jars, databases, indexes.
        python: The Python that has the packages.
        quick: Whether to make the small version.
        jobs: How many sessions and commands run at once.
    """

    def __init__(self, code: Path, folder: Path, cache: Path, *, python: str, quick: bool, jobs: int) -> None:
        self.code, self.quick = code, quick
        self.outputs, self.work = folder / "outputs", folder / "work"
        for made in (self.outputs, self.work):
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir(parents=True)
        self.runs = self.work / "runs"
        self.runs.mkdir()
        self.bank_folder = code / "tests" / "data" / "bank"
        self.questions = [
            question
            for name in ("single_step", "multi_step")
            for question in outputs.read_lines(_questions(code) / f"{name}.jsonl")
        ]
        self.bank = self._read_bank()
        self.api = ScriptedApi(ScriptedModels(KnownQueries(self.questions, self.bank)))
        self._python, self._jobs = python, jobs
        self._shared_cache, self._cache = cache, self.work / "cache"
        project = tomllib.loads((code / "pyproject.toml").read_text(encoding="utf-8"))
        self._entry_point = project["project"]["scripts"]["retrocypher"]
        self._guard = threading.Lock()
        self._collected: dict[str, Entries] = {}
        self._names = {str(folder): "FOLDER", str(code): "CHECKOUT", self.api.address: "API"}
        self.cleaner = Cleaner(self._names)

    def _read_bank(self) -> list[dict[str, Any]]:
        lines = []
        for path in sorted(self.bank_folder.glob("*.jsonl.gz")):
            with gzip.open(path, "rt", encoding="utf-8") as file:
                lines += file.readlines()
        return [json.loads(line) for line in lines]

    def __enter__(self) -> Self:
        """Start a Neo4j that all sessions share."""
        self._cache.mkdir()
        for name in SHARED_FOLDERS:
            (self._shared_cache / name).mkdir(parents=True, exist_ok=True)
            (self._cache / name).symlink_to(self._shared_cache / name)
        self._start_server()
        self._use_shared_database()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the servers, and write what was added to outputs in parts."""
        self._retrocypher("graph down --json")
        self.api.stop()
        for name, entries in self._collected.items():
            outputs.write_entries(self.outputs / f"{name}.jsonl", entries)

    def _start_server(self) -> None:
        server = json.loads(self._retrocypher("graph up --json").stdout)["server"]
        self.cleaner = Cleaner({**self._names, server["uri"]: "GRAPH"})

    def _use_shared_database(self) -> None:
        """Replace the database by that of the first checkout: some prompts contain the ids of its nodes."""
        (own,) = (path for path in (self._cache / "stores").iterdir() if path.is_dir())
        shared = self._shared_cache / "golden-database"
        if not shared.exists():
            shutil.copytree(own, shared)
            return
        self._retrocypher("graph down --json")
        shutil.rmtree(own)
        shutil.copytree(shared, own)
        self._start_server()

    def size(self, full: int, quick: int) -> int:
        """Return a number that depends on the version that is made."""
        return quick if self.quick else full

    def at_once(self, *tasks: Callable[[], object]) -> None:
        """Run independent tasks in parallel."""
        with ThreadPoolExecutor(self._jobs) as pool:
            futures = [pool.submit(task) for task in tasks]
            try:
                for future in futures:
                    future.result()
            finally:
                pool.shutdown(cancel_futures=True)

    def save(self, output: str, entries: Entries) -> None:
        """Write an output."""
        outputs.write_entries(self.outputs / f"{output}.jsonl", self.cleaner.value(entries))

    def add(self, output: str, entry: str, value: Any) -> None:
        """Add an entry to an output that is written at the end."""
        with self._guard:
            entries = self._collected.setdefault(output, {})
            entries[self.cleaner.text(" ".join(entry.split()))] = self.cleaner.value(value)

    def session(self, name: str, options: str, workers: int | None = None) -> None:
        """Run ``pytest benchmarks`` in run directory ``name``; keep the exit status and the run."""
        xml = self.work / f"{name}.xml"
        number = self.size(2, 0) if workers is None else workers
        ended = self._pytest(f"-n{number} --run-dir={self.runs / name} --junitxml={xml} {options}")
        counts = outputs.case_counts(ended.stdout)
        self.add("sessions", name, {"status": ended.returncode, "counts": counts})
        self.save(f"junit.{name}", outputs.junit(xml))
        self.save_run(name)

    def refused_session(self, options: str) -> None:
        """Run ``pytest benchmarks`` with options that it refuses; keep the exit status."""
        run = self.work / "refused" / outputs.digest(options)
        self.add("sessions", options, {"status": self._pytest(f"-n0 --run-dir={run} {options}").returncode})

    def save_run(self, name: str) -> None:
        """Keep the records, the summary and the manifest of a run."""
        run = self.runs / name
        self.save(f"records.{name}", outputs.records(run))
        self.add("summaries", name, outputs.json_file(run / "summary.json"))
        self.add("manifests", name, outputs.json_file(run / "manifest.json"))

    def command(self, line: str) -> None:
        """Run ``retrocypher``; keep the exit status and what is printed as JSON."""
        ended = self._retrocypher(line)
        kept: dict[str, Any] = {"status": ended.returncode}
        if line.endswith("--help"):
            kept["options"] = outputs.options_in(ended.stdout)
        elif "--json" in line:
            kept["json"] = outputs.parse_json(ended.stdout)
        if line.startswith("runs ") and "json" in kept:
            # They are listed by the time at which they began.
            kept["json"]["runs"].sort(key=lambda run: str(run["path"]))
        if line.startswith("rescore ") and "json" in kept:
            # In the order of the records, which workers write as they end.
            kept["json"]["flipped"].sort(key=lambda case: str(case["case_id"]))
        self.add("commands", line, kept)

    def commands(self, lines: Iterable[str]) -> None:
        """Run commands in turn."""
        for line in lines:
            self.command(line)

    def _pytest(self, options: str) -> subprocess.CompletedProcess[str]:
        usual = "-q --tb=no -p no:cacheprovider -p no:allure_pytest --cache=none"
        return self._run(["-m", "pytest", "benchmarks", *shlex.split(f"{usual} {options}")], self.code)

    def _retrocypher(self, line: str) -> subprocess.CompletedProcess[str]:
        module, _, function = self._entry_point.partition(":")
        code = f"import sys; sys.argv[0] = 'retrocypher'; from {module} import {function} as f; sys.exit(f())"
        return self._run(["-c", code, *shlex.split(line)], self.work)

    def _run(self, arguments: Sequence[str], where: Path) -> subprocess.CompletedProcess[str]:
        kept = {key: text for key, text in os.environ.items() if not key.startswith(REMOVED_VARIABLES)}
        layout = self.code / "src"
        environment = {
            "PYTHONPATH": str(layout if layout.is_dir() else self.code),
            "PYTHONHASHSEED": "0",
            "PYTHONPYCACHEPREFIX": str(self.work / "pycache"),
            "RETROCYPHER_CACHE": str(self._cache),
            "OPENAI_BASE_URL": self.api.url,
            "OPENAI_API_KEY": "sk-golden-0123456789abcdef",
        }
        began = time.monotonic()
        ended = subprocess.run(
            [self._python, *arguments],
            cwd=where,
            env={**kept, **environment},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=14_400.0,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        seconds = time.monotonic() - began
        command = shlex.join(arguments[2:])
        with self._guard, (self.work / "log.txt").open("a", encoding="utf-8") as log:
            print(f"{seconds:6.1f} s  exit status {ended.returncode}  {command}", flush=True)
            log.write(f"$ {command}\n{ended.stdout}\n{ended.stderr}\n")
        return ended


def _questions(code: Path) -> Path:
    """Return the folder of the default questions; older versions have one set."""
    folder = code / "kg" / "data" / "questions"
    return folder / "set-2" if (folder / "set-2").is_dir() else folder
