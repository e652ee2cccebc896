"""Runs sessions of the suite and the ``retrocypher`` command, and keeps what comes of them."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import normalise
from normalise import Entries, Normaliser
from scripted_api import Library, ScriptedApi

KEY = "sk-golden-0123456789abcdef"
STALE = ("OPENAI_", "PYTEST_", "RETROCYPHER_", "NEO4J_", "GITHUB_", "GITLAB_", "JENKINS_", "CI", "BUILD_")
SHARED = ("jars", "classes")
COPIED = ("stores", "cypher-grammar", "passages")


class Workshop:
    """One golden run as it is made.

    Args:
        folder: Where it is made: ``outputs`` is what is kept, ``work`` the rest.
        checkout: The code that is run.
        python: The Python that runs it.
        command: ``module:function`` of the command; None for what pyproject.toml of the checkout says.
        cache: Folder of jars and graph stores that may be shared; filled where it is empty.
        quick: Whether the small version is made.
        jobs: Sessions and commands at once.
    """

    def __init__(
        self,
        folder: Path,
        checkout: Path,
        python: str,
        command: str | None,
        cache: Path,
        quick: bool,
        jobs: int,
    ) -> None:
        self.folder = folder.resolve()
        self.checkout = checkout.resolve()
        self.quick = quick
        self.work = self.folder / "work"
        self.runs = self.work / "runs"
        for made in (self.folder / "outputs", self.work):
            shutil.rmtree(made, ignore_errors=True)
        self.runs.mkdir(parents=True)
        self.questions = [
            question
            for name in ("single_step.jsonl", "multi_step.jsonl")
            for question in normalise.read_lines(self._data(f"kg/**/questions/{name}"))
        ]
        self.bank_folder = self._data("[bkpt]*/**/development.jsonl.gz").parent
        self.bank = [
            entry
            for name in ("development", "held_out")
            for entry in normalise.read_lines(self.bank_folder / f"{name}.jsonl.gz")
        ]
        self.api = ScriptedApi(Library(self.questions, self.bank))
        self._python = python
        self._entry = command or self._entry_point()
        self._shared_cache = cache.resolve()
        self._cache = self.work / "cache"
        self._jobs = jobs
        self._guard = threading.Lock()
        self._commands: Entries = {}
        self._sessions: Entries = {}
        self.normaliser = self._normaliser({})

    def _normaliser(self, more: Mapping[str, str]) -> Normaliser:
        places = {str(self.folder): "WORK", str(self.checkout): "CHECKOUT"}
        return Normaliser({**places, self.api.address: "API", f"127.0.0.1:{self.api.port}": "API", **more})

    def _data(self, pattern: str) -> Path:
        return min(self.checkout.glob(pattern))

    def _entry_point(self) -> str:
        declared = tomllib.loads((self.checkout / "pyproject.toml").read_text())
        return str(declared["project"]["scripts"]["retrocypher"])

    def size(self, full: int, quick: int) -> int:
        """Return a number by which version is made."""
        return quick if self.quick else full

    def _environment(self, named: Mapping[str, str]) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(STALE)}
        layout = self.checkout / "src"
        kept.setdefault("PYTHONPATH", str(layout if layout.is_dir() else self.checkout))
        ours = {"RETROCYPHER_CACHE": str(self._cache), "COLUMNS": "160", "PYTHONHASHSEED": "0"}
        return {**kept, **ours, **named}

    @property
    def with_api(self) -> dict[str, str]:
        """What a session is told so that it finds the scripted models."""
        return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": self.api.address}

    def _run(
        self, arguments: Sequence[str], where: Path, named: Mapping[str, str], timeout_s: float
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self._python, *arguments],
            cwd=where,
            env=self._environment(named),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def session(
        self,
        name: str,
        *arguments: str,
        workers: int = 0,
        run: Path | None = None,
        keep: bool = True,
        environment: Mapping[str, str] | None = None,
    ) -> Path:
        """Run ``pytest benchmarks``, and keep what it says and what its run directory holds.

        Args:
            name: What it is called in the outputs.
            arguments: Those of pytest.
            workers: Workers of pytest-xdist.
            run: The run directory; a new one where None.
            keep: Whether the run directory is kept in the outputs.
            environment: More variables.

        Returns:
            The run directory.
        """
        folder = run or self.runs / name
        cache = () if any(each.startswith("--cache") for each in arguments) else ("--cache=none",)
        xml = self.work / f"{name}.xml"
        began = time.monotonic()
        ended = self._run(
            [
                *("-m", "pytest", "benchmarks", "-q", "-p", "no:cacheprovider", f"-n{workers}"),
                *("--tb=no", f"--run-dir={folder}", f"--junitxml={xml}", *cache, *arguments),
            ],
            self.checkout,
            environment or {},
            3_000.0,
        )
        told = f"{ended.stdout}\n{ended.stderr}"
        (self.work / f"{name}.said").write_text(told)
        self._tell(name, ended.returncode, began)
        with self._guard:
            self._sessions[name] = {
                "status": ended.returncode,
                "counts": normalise.pytest_counts(ended.stdout),
                "text": self.normaliser.prose(told).splitlines(),
            }
        if keep:
            self.keep_run(name, folder, xml)
        return folder

    def _tell(self, name: str, status: int, began: float) -> None:
        seconds = time.monotonic() - began
        print(f"{seconds:6.1f} s  {name}: exit status {status}", file=sys.stderr, flush=True)

    def usage(self, name: str, *arguments: str) -> None:
        """Run ``pytest benchmarks`` with arguments that it is to refuse."""
        ended = self._run(
            ["-m", "pytest", "benchmarks", "-q", "-p", "no:cacheprovider", "-n0", *arguments],
            self.checkout,
            {},
            300.0,
        )
        with self._guard:
            self._sessions[f"usage: {name}"] = {
                "status": ended.returncode,
                "text": self.normaliser.prose(f"{ended.stdout}\n{ended.stderr}").splitlines(),
            }

    def keep_run(self, name: str, folder: Path, xml: Path | None = None) -> None:
        """Put what a run directory holds into the outputs."""
        kept: dict[str, Callable[[Path, Normaliser], Entries]] = {
            "records": normalise.records,
            "questions": normalise.questions,
            "messages": normalise.messages,
            "summary": normalise.summary,
            "manifest": normalise.manifest,
        }
        for section, read in kept.items():
            self.save(f"{section}.{name}", read(folder, self.normaliser))
        self.save(f"allure.{name}", normalise.allure(folder / "allure-results", self.normaliser))
        self.save(f"allure-files.{name}", normalise.allure_files(folder / "allure-results", self.normaliser))
        if xml is not None:
            self.save(f"junit.{name}", normalise.junit(xml, self.normaliser))

    def save(self, section: str, entries: Entries) -> None:
        """Write a part of the outputs."""
        normalise.write_entries(self.folder / "outputs" / f"{section}.jsonl.gz", entries)

    def command(
        self,
        name: str,
        *arguments: str,
        where: Path | None = None,
        environment: Mapping[str, str] | None = None,
        keep: bool = True,
    ) -> str:
        """Run ``retrocypher``, and keep status and output.

        Args:
            name: What it is called in the outputs.
            arguments: Those of the command.
            where: Folder it is run in.
            environment: More variables.
            keep: Whether its output is kept.

        Returns:
            What it wrote to stdout.
        """
        module, _, function = self._entry.partition(":")
        code = f"import sys; sys.argv[0] = 'retrocypher'; from {module} import {function} as f; sys.exit(f())"
        began = time.monotonic()
        ended = self._run(["-c", code, *arguments], where or self.work, environment or {}, 1_200.0)
        self._tell(name, ended.returncode, began)
        if keep:
            found: dict[str, Any] = {"status": ended.returncode}
            if "--json" in arguments:
                found["json"] = self._parsed(ended.stdout)
            else:
                found["text"] = self.normaliser.prose(ended.stdout).splitlines()
                found["options"] = normalise.options_in(ended.stdout) if "--help" in arguments else None
            found["errors"] = self.normaliser.prose(ended.stderr).splitlines()
            with self._guard:
                self._commands[name] = found
        return ended.stdout

    def _parsed(self, text: str) -> Any:
        try:
            return _by_path(normalise.shortened(self.normaliser.value(json.loads(text))))
        except json.JSONDecodeError:
            return {"not JSON": self.normaliser.prose(text)}

    def command_by_line(self, section: str, *arguments: str) -> None:
        """Run a command that prints a line of JSON for each of its input, and keep the lines."""
        told = self.command(section, *arguments, keep=False)
        values = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
        self.save(section, normalise.by_line(values, self.normaliser))

    def at_once(self, *tasks: Callable[[], object]) -> None:
        """Do independent things side by side."""
        with ThreadPoolExecutor(self._jobs) as pool:
            for done in [pool.submit(task) for task in tasks]:
                done.result()

    def start_server(self) -> None:
        """Leave a Neo4j running that all sessions share."""
        self._cache.mkdir()
        for name in SHARED:
            (self._shared_cache / name).mkdir(parents=True, exist_ok=True)
            (self._cache / name).symlink_to(self._shared_cache / name)
        for found in self._shared_cache.iterdir():
            if found.name.startswith(COPIED):
                copy = shutil.copytree if found.is_dir() else shutil.copy2
                copy(found, self._cache / found.name)
        started = json.loads(self.command("graph up", "graph", "up", "--json", keep=False) or "{}")
        uri = started["server"]["uri"]
        self.normaliser = self._normaliser({uri: "GRAPH", uri.rpartition("/")[2]: "GRAPH"})

    def stop_server(self) -> None:
        """End what `start_server` started, and leave for others what may be shared."""
        self.command("graph down", "graph", "down", "--json", keep=False)
        for found in self._cache.iterdir():
            kept = self._shared_cache / found.name
            if found.name.startswith(COPIED) and not kept.exists():
                copy = shutil.copytree if found.is_dir() else shutil.copy2
                copy(found, kept)
        shutil.rmtree(self._cache)

    def finish(self) -> None:
        """Write what sessions and commands said, and stop the API."""
        self.save("sessions", self._sessions)
        self.save("commands", self._commands)
        self.api.stop()


def _by_path(found: Any) -> Any:
    """Put runs in the order of their folders: when each began is not kept."""
    runs = found.get("runs") if isinstance(found, dict) else None
    if runs and all("path" in run for run in runs):
        return {**found, "runs": {run["path"]: run for run in runs}}
    return found
