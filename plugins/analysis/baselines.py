"""The names of the files of a baseline."""

import csv
import gzip
import hashlib
import io
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.score_table import DIMENSIONS, slice_means
from retrocypher.plugins.analysis.scores import MEASURES, Side, asked_as, conditions_of, read_run
from retrocypher.plugins.runs.files import RECORDS, json_page

BASELINE = "baseline.json"
CASES = "cases.csv.gz"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def known_baselines(home: Path) -> list[str]:
    """Return the names of the baselines in a folder; none where it does not exist."""
    return sorted(file.parent.name for file in home.glob(f"*/{BASELINE}"))


def require_name(name: str) -> None:
    """Refuse what cannot be the name of a baseline: it names a folder, and is shown.

    Raises:
        InputError: If it holds anything but letters, digits, points, dashes and underscores.
    """
    if not _NAME.fullmatch(name):
        raise InputError(
            f"baseline {name!r}: not a name; use letters, digits, points, dashes and underscores (80 at most)"
        )


SCHEMA_VERSION = 1
_NUMBERS = ("steps", "phrasing")
_HASHES = ("asked", "gold", "target")
COLUMNS = ("question_id", *DIMENSIONS, *_HASHES, *MEASURES)


def row_of(record: Mapping[str, Any], side: Side) -> list[str]:
    """Return a case as the cells of a line.

    Args:
        record: The case, scored, as in ``side.records``.
        side: The side it is of.
    """
    question = str(record["question_id"])
    hashes = (side.asked[asked_as(record)], side.golds[question], side.targets[question])
    labels = (str(record[name]) for name in DIMENSIONS)
    return [question, *labels, *hashes, *(_written(record["scores"][name]) for name in MEASURES)]


def record_of(cells: Sequence[str]) -> tuple[dict[str, Any], tuple[str, str, str]]:
    """Return a case as in ``records`` of a side, and its hashes: asked, gold and target.

    Args:
        cells: The cells of a line.

    Raises:
        ValueError: If there are too few, or a number is none.
    """
    named = dict(zip(COLUMNS, cells, strict=True))
    labels = {name: int(named[name]) if name in _NUMBERS else named[name] for name in DIMENSIONS}
    scores = {name: float(named[name]) if named[name] else None for name in MEASURES}
    asked, gold, target = (named[name] for name in _HASHES)
    return {"question_id": named["question_id"], **labels, "scores": scores}, (asked, gold, target)


def _written(score: float | None) -> str:
    """Return a score so that the same number is read back; whole ones without the point."""
    if score is None:
        return ""
    return str(int(score)) if score == int(score) else repr(float(score))


_REMEDY = "take it from version control again, or save it anew with `retrocypher baseline save`"

_PARTS = {"name", "cases", "part", "cases_sha256", "f1"}


def read_page(folder: Path) -> dict[str, Any]:
    """Read what a baseline says of itself.

    Args:
        folder: Its folder.

    Raises:
        InputError: If it is not JSON of a baseline, or of another schema version.
    """
    file = folder / BASELINE
    try:
        page = json.loads(file.read_bytes())
        version = page["schema_version"]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"{file}: not a baseline ({error!r}); {_REMEDY}") from error
    if version != SCHEMA_VERSION:
        raise InputError(
            f"{file}: schema version {version!r}, and this RetroCypher reads {SCHEMA_VERSION}; "
            "run it again and save it anew with `retrocypher baseline save RUN NAME --replace`"
        )
    if not isinstance(page.get("manifest"), dict) or not page.keys() >= _PARTS:
        raise InputError(f"{file}: not a baseline (parts are missing); {_REMEDY}")
    return dict(page)


def read_baseline(folder: Path) -> Side:
    """Read a baseline as one side of a comparison.

    Args:
        folder: Its folder.

    Raises:
        InputError: If a file of it cannot be read, is of another schema version, or was changed.
    """
    page, file = read_page(folder), folder / CASES
    try:
        content = gzip.decompress(file.read_bytes())
        if hashlib.sha256(content).hexdigest() != page["cases_sha256"]:
            raise ValueError(f"not the table that {BASELINE} is of")
        header, *lines = csv.reader(io.StringIO(content.decode(), newline=""))
        if tuple(header) != COLUMNS:
            raise ValueError("other columns than a baseline has")
        cases = [record_of(line) for line in lines]
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise InputError(f"{file}: cannot be read ({error}); {_REMEDY}") from error
    return Side(
        name=f"baseline {page.get('name', folder.name)}",
        conditions=conditions_of(page["manifest"]),
        manifest=page["manifest"],
        records=tuple(record for record, _ in cases),
        asked={asked_as(record): asked for record, (asked, _, _) in cases},
        golds={record["question_id"]: gold for record, (_, gold, _) in cases},
        targets={record["question_id"]: target for record, (_, _, target) in cases},
        faults={},
        incomplete="",
        part=str(page.get("part") or ""),
    )


HOME = Path("reports", "baselines")
"""Where baselines are kept, below the project's folder."""


def find_side(named: str, root: Path) -> Side:
    """Read a run or a baseline.

    Args:
        named: The folder of a run or of a baseline, or the name of a baseline.
        root: The project's folder, which ``reports/baselines`` is below.

    Raises:
        InputError: If there is none of that name, or it cannot be read.
    """
    folder = Path(named)
    if (folder / RECORDS).is_file():
        return read_run(folder)
    kept = root / HOME
    for place in (folder, kept / named):
        if (place / BASELINE).is_file():
            return read_baseline(place)
    if folder.is_dir():
        raise InputError(f"{named}: no run and no baseline; name a folder with {RECORDS} or {BASELINE}")
    names = known_baselines(kept)
    there = f"baselines there are: {', '.join(names)}" if names else "no baseline is kept yet"
    raise InputError(f"{named}: no such run, and no such baseline in {kept}; {there}")


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
