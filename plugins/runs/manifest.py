"""The manifest: what a reader needs to know to trust, or repeat, a run."""

import hashlib
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import psutil

from retrocypher.plugins.runs.record import SCHEMA_VERSION

_CPUS = Path("/proc/cpuinfo")


def machine(java: str | None = None) -> dict[str, Any]:
    """Return what a reader of times should know of this machine.

    Args:
        java: Version of the Java that runs the graph's server here; None where it does not run here.

    Returns:
        ``system`` and ``os`` in the words of the system, ``architecture``, model of the ``cpu``, ``cores``
        (logical) and ``physical_cores``, ``memory_gib`` and ``java``; null where one is not told.
    """
    return {
        "system": platform.platform(terse=True),
        "os": _os(),
        "architecture": platform.machine(),
        "cpu": _cpu(),
        "cores": psutil.cpu_count(),
        "physical_cores": psutil.cpu_count(logical=False),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "java": java,
    }


def _os() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return f"{platform.system()} {platform.release()}".strip() or None


def _cpu() -> str | None:
    try:
        lines = _CPUS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or None


_PACKAGES = (
    "retrocypher",
    "neo4j",
    "neo4j-rust-ext",
    "openai",
    "pytest",
    "pytest-xdist",
    "allure-pytest",
    "antlr4-python3-runtime",
    "numpy",
    "scipy",
    "rdkit",
    "sacrebleu",
    "nltk",
    "rouge-score-rs",
    "sentence-transformers",
    "deepeval",
    "xllamacpp",
)
# Not to be taken for the server's version.
_SHOWN_AS = {"neo4j": "neo4j-driver"}


def manifest(
    *,
    started: datetime,
    options: Mapping[str, Any],
    models: list[dict[str, Any]],
    loops: Mapping[str, Any],
    judge: Mapping[str, Any] | None = None,
    api: str | None,
    prices: Mapping[str, Any] | None,
    questions: Mapping[str, Any],
    prompts: Mapping[str, str],
    exemplars: Mapping[str, str],
    graph: Mapping[str, Any],
    java: str | None,
    cases: int,
    checkout: Path,
) -> dict[str, Any]:
    """Return the manifest of a run.

    Args:
        started: When the run began.
        options: The options as resolved; no secret among them.
        models: The run's models, label and kind of each.
        loops: Its loops, their validator, and the models that play their roles.
        judge: Its judge: model, address, criteria; None without one.
        api: Host, port and path of the API that models are behind; None without such a model.
        prices: List prices of the run's models, with their date; None where none is known.
        questions: Count, hash and graph fingerprint of the question set.
        prompts: SHA-256 of each prompt by name.
        exemplars: SHA-256 of the exemplar bank of each setting.
        graph: Kind, version, fingerprint, schema and notes of the server.
        java: Version of the Java that runs the server on this machine; None where none does.
        cases: Number of cases planned.
        checkout: The project's folder, for the commit.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "started": started.astimezone(UTC).isoformat(timespec="seconds"),
        "ended": None,
        "exit_status": None,
        "cases": cases,
        "options": dict(options),
        "models": models,
        "loops": dict(loops),
        "judge": None if judge is None else dict(judge),
        "api": api,
        "prices": None if prices is None else dict(prices),
        "questions": dict(questions),
        "prompts": dict(prompts),
        "exemplars": dict(exemplars),
        "graph": {**graph, "schema_sha256": hashlib.sha256(str(graph["schema"]).encode()).hexdigest()},
        **code_facts(checkout),
        "machine": machine(java),
    }


def code_facts(checkout: Path) -> dict[str, Any]:
    """Return what tells the code that is running: ``versions`` of packages, and ``git``, the commit.

    Args:
        checkout: The project's folder.
    """
    return {
        "versions": {"python": platform.python_version(), **_versions()},
        "git": _commit(checkout),
    }


def _versions() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        try:
            found[_SHOWN_AS.get(name, name)] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _commit(checkout: Path) -> dict[str, Any] | None:
    def git(*arguments: str) -> str:
        command = ["git", "-C", str(checkout), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()

    try:
        # The package may be installed in a folder of somebody else's repository.
        git("ls-files", "--error-unmatch", str(Path(__file__).resolve()))
        return {"commit": git("rev-parse", "HEAD"), "changed": bool(git("status", "--porcelain"))}
    except (OSError, subprocess.SubprocessError):
        return None
