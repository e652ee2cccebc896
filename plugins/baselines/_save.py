"""Keeps the scores of a run as a baseline: a small folder, to be committed."""

import csv
import gzip
import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.baselines._files import BASELINE, CASES, require_name
from plugins.baselines._find import HOME
from plugins.baselines._format import COLUMNS, SCHEMA_VERSION, row_of
from plugins.comparison import Side
from plugins.records import json_page
from plugins.statistics import slice_means

_LEFT_OUT = (
    *("run_dir", "cache", "graph", "replay", "questions", "prompt_dir", "model", "loop_model"),
    *("answer", "answer_model", "answer_context", "answer_encoder", "answer_weights", "answer_rows"),
    *("answer_budget", "answer_thresholds"),
    *("gate", "baseline", "gate_allow_inconclusive", "gate_partial", "gate_judge_kappa"),
)
"""Options that name places of the machine a run was made on, and those that do not decide a score."""

_OF_A_MACHINE = ("answers", "answering", "standstill", "machine", "merged_from")


@dataclass(frozen=True, slots=True)
class Saved:
    """A baseline as it was written.

    Attributes:
        folder: Where it lies.
        cases: How many cases it holds.
        bytes: Size of its files.
    """

    folder: Path
    cases: int
    bytes: int


def save(run: Side, name: str, root: Path, *, replace: bool = False) -> Saved:
    """Write a run as a baseline.

    Args:
        run: The run.
        name: What the baseline is to be called.
        root: The project's folder, which ``reports/baselines`` is below.
        replace: Whether a baseline of that name is replaced.

    Raises:
        InputError: If the run is not whole or says not what it was measured under, the name cannot be used
            or is taken, or the folder cannot be written.
    """
    require_name(name)
    folder = root / HOME / name
    if run.incomplete:
        raise InputError(
            f"{run.name}: an incomplete run ({run.incomplete}) is no baseline; run the same command again"
        )
    if not run.manifest or not run.records:
        raise InputError(f"{run.name}: without a manifest and cases this is no run to keep as a baseline")
    if folder.exists() and not replace:
        raise InputError(f"{folder} is there already; choose another name, or replace it with --replace")
    packed, sha = _packed(run)
    page = json_page(_page(run, name, sha)).encode()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in ((CASES, packed), (BASELINE, page)):
            partial = folder / f"{file}.partial"
            partial.write_bytes(content)
            partial.replace(folder / file)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error.strerror})") from error
    return Saved(folder, len(run.records), len(packed) + len(page))


def _packed(run: Side) -> tuple[bytes, str]:
    """Return the cases, compressed, and the hash of what they are uncompressed."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    table.writerows(sorted(row_of(each, run) for each in run.records))
    content = text.getvalue().encode()
    # Without the time, so that the same run is the same bytes.
    return gzip.compress(content, mtime=0), hashlib.sha256(content).hexdigest()


def _page(run: Side, name: str, sha: str) -> dict[str, Any]:
    table = run.table()
    means = [*slice_means(table), *slice_means(table, ("task",))]
    return {
        "schema_version": SCHEMA_VERSION,
        "name": name,
        "cases": len(run.records),
        "part": run.part,
        "cases_sha256": sha,
        "f1": [{"slice": each.slice, "mean": each.mean.to_json()} for each in means],
        "manifest": _without_places(run.manifest),
    }


def _without_places(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest without what only the machine of the run knows: a baseline is committed."""
    kept = {name: value for name, value in manifest.items() if name not in _OF_A_MACHINE}
    options = manifest.get("options") or {}
    kept["options"] = {name: value for name, value in options.items() if name not in _LEFT_OUT}
    kept["models"] = [_without_folder(model) for model in manifest.get("models") or ()]
    loops = manifest.get("loops") or {}
    players = {label: _without_folder(model) for label, model in (loops.get("players") or {}).items()}
    return {**kept, "loops": {**loops, "players": players}}


def _without_folder(model: Mapping[str, Any]) -> dict[str, Any]:
    of_file = model.get("kind") in ("gguf", "file")
    return {**model, "argument": Path(str(model["argument"])).name} if of_file else dict(model)
