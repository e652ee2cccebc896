"""Baselines: scores of runs that are stored under a name, in a folder that is committed."""

import csv
import gzip
import hashlib
import io
import json
import math
import re
import zlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.run_scores import RunScores, conditions_of, read_scores
from retrocypher.plugins.analysis.scores import (
    CASE_LABELS,
    COMPARABLE_METRICS,
    DIMENSIONS,
    LEAK,
    CaseScores,
    slice_means,
)
from retrocypher.plugins.runs.files import RECORDS, json_page
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import Manifest, ModelEntry
from retrocypher.plugins.runs.record import KEY_METRICS, SCORE_METRICS, JsonValue
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.plugins.statistics.means import TIE

HOME = Path("reports", "baselines")
"""Where baselines are stored, below the project's folder."""
BASELINE = "baseline.json"
CASES = "cases.csv.gz"

SCHEMA_VERSION = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_NUMBERS = ("steps", "phrasing", "repeat")
_HASHES = ("asked", "gold", "target")
_MAY_LACK = {"repeat", LEAK, *SCORE_METRICS, *KEY_METRICS}
COLUMNS = ("question_id", *DIMENSIONS, *_HASHES, *COMPARABLE_METRICS)
_SAVE = "`retrocypher baseline save RUN NAME`"
_REMEDY = f"restore it from version control, or save it again with {_SAVE}"


class SliceF1(Struct, frozen=True):
    """Mean F1 of a slice."""

    slice: dict[str, str | int]
    mean: Estimate


class BaselinePage(Struct, frozen=True):
    """The content of `baseline.json`."""

    schema_version: int
    name: str
    cases: int
    part: str | None
    """Which part of the planned cases they are, in words; empty for all."""
    cases_sha256: str
    """Hash of the uncompressed table of cases."""
    f1: list[SliceF1]
    """Mean F1 of all cases, and of each task."""
    manifest: dict[str, JsonValue]
    """The manifest of the run, without what concerns only its machine."""

    @property
    def run(self) -> Manifest:
        """The manifest as a type."""
        return msgspec.convert(self.manifest, Manifest)


def known_baselines(home: Path) -> list[str]:
    """Return the names of the baselines in a folder; none if it does not exist."""
    return sorted(file.parent.name for file in home.glob(f"*/{BASELINE}"))


def require_name(name: str) -> None:
    """Raise InputError if a name cannot be that of a baseline, because it becomes a folder."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"baseline {name!r}: not a name; use letters, digits, points, dashes and underscores (80 at most)"
        )


def _row_of(case: CaseScores, run: RunScores) -> list[str]:
    question, scores = case.question_id, case.scores or {}
    hashes = (run.texts[case.text_id], run.golds[question], run.clusters[question])
    labels = (str(getattr(case, name)) for name in DIMENSIONS)
    return [question, *labels, *hashes, *(_written(scores[name]) for name in COMPARABLE_METRICS)]


def _case_of(columns: Sequence[str], cells: Sequence[str]) -> tuple[CaseScores, tuple[str, str, str]]:
    """Return the case in a line, with its hashes of text, gold and target; raise ValueError if damaged."""
    named = {"repeat": "1", LEAK: "unknown", **dict(zip(columns, cells, strict=True))}
    labels = {name: int(named[name]) if name in _NUMBERS else named[name] for name in DIMENSIONS}
    scores = {name: float(named[name]) if named.get(name) else None for name in COMPARABLE_METRICS}
    for name, score in scores.items():
        if score is not None and not 0 <= score <= 1:
            raise ValueError(f"{name} of {named['question_id']} is {score}, and must be from 0 to 1")
    if scores["f1"] is None:
        raise ValueError(f"{named['question_id']} has no f1")
    text, gold, target = (named[name] for name in _HASHES)
    case = CaseScores(question_id=named["question_id"], scores=scores, **labels)  # type: ignore[arg-type]
    return case, (text, gold, target)


def _written(score: float | None) -> str:
    """Return a score as text that parses to the same number; integers have no decimal point."""
    if score is None:
        return ""
    return str(int(score)) if score == int(score) else repr(float(score))


def read_page(folder: Path) -> BaselinePage:
    """Read `baseline.json`; raise InputError if it is damaged or of another schema version."""
    file = folder / BASELINE
    try:
        page = json.loads(file.read_bytes())
        version = page["schema_version"]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"{file}: not a baseline ({error!r}); {_REMEDY}") from error
    if version != SCHEMA_VERSION:
        raise InputError(
            f"{file}: schema version {version!r}, and this RetroCypher reads {SCHEMA_VERSION}; "
            "make the run again and save it with `retrocypher baseline save RUN NAME --replace`"
        )
    try:
        return msgspec.convert(page, BaselinePage)
    except msgspec.ValidationError as error:
        raise InputError(f"{file}: not a baseline ({error}); {_REMEDY}") from error


def read_baseline(folder: Path) -> RunScores:
    """Read the scores of a baseline; raise InputError if a file of it is damaged or was changed."""
    page, file = read_page(folder), folder / CASES
    try:
        content = gzip.decompress(file.read_bytes())
        if hashlib.sha256(content).hexdigest() != page.cases_sha256:
            raise ValueError(f"its hash is not the one in {BASELINE}")
        header, *lines = csv.reader(io.StringIO(content.decode(), newline=""))
        # A baseline from before a column was added lacks it: its scores are unknown, and it has no repeats.
        if [name for name in COLUMNS if name in header or name not in _MAY_LACK] != header:
            raise ValueError("its columns are not those of a baseline")
        cases = [_case_of(header, line) for line in lines]
        _require_agreement(page, [case for case, _ in cases])
        manifest = page.run
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise InputError(f"{file}: cannot be read ({error}); {_REMEDY}") from error
    return RunScores(
        name=f"baseline {page.name}",
        conditions=conditions_of(manifest),
        manifest=manifest,
        cases=tuple(case for case, _ in cases),
        texts={case.text_id: text for case, (text, _, _) in cases},
        golds={case.question_id: gold for case, (_, gold, _) in cases},
        clusters={case.question_id: cluster for case, (_, _, cluster) in cases},
        part=page.part or "",
    )


def _require_agreement(page: BaselinePage, cases: Sequence[CaseScores]) -> None:
    """Raise ValueError if a case occurs twice, or the page counts or averages other cases."""
    asked = {(each.text_id, *(getattr(each, name) for name in CASE_LABELS)) for each in cases}
    if len(asked) < len(cases):
        raise ValueError("a case occurs more than once")
    if page.cases != len(cases):
        raise ValueError(f"{BASELINE} counts {page.cases:,} cases, and the table has {len(cases):,}")
    mean = math.fsum(each.scores["f1"] or 0.0 for each in cases if each.scores) / max(len(cases), 1)
    stored = next((each.mean.value for each in page.f1 if not each.slice), None)
    if stored is None or abs(stored - mean) > TIE:
        raise ValueError(f"{BASELINE} says mean F1 {stored}, and the table gives {mean}")


def find_scores(named: str, root: Path) -> RunScores:
    """Read the scores of a run or a baseline, by its folder or name; raise InputError if there is none."""
    folder = Path(named)
    if (folder / RECORDS).is_file():
        return read_scores(RunLog(folder))
    home = root / HOME
    for place in (folder, home / named):
        if (place / BASELINE).is_file():
            return read_baseline(place)
    if folder.is_dir():
        raise InputError(f"{named}: no run and no baseline; name a folder with {RECORDS} or {BASELINE}")
    names = known_baselines(home)
    there = f"known baselines: {', '.join(names)}" if names else f"save one with {_SAVE}"
    raise InputError(f"{named}: no such run, and no such baseline in {home}; {there}")


_LEFT_OUT = (
    *("run_dir", "cache", "graph", "replay", "questions", "prompt_dir", "exemplar_dir"),
    *("model", "loop_model"),
    *(
        "answer",
        "answer_model",
        "claims_model",
        "answer_context",
        "answer_encoder",
        "answer_weights",
        "answer_rows",
    ),
    *("answer_budget", "answer_thresholds"),
    *("gate", "baseline", "gate_cases", "gate_allow_inconclusive", "gate_partial", "gate_judge_kappa"),
)
"""Options that name places on the machine of the run, and those that have no influence on scores."""

_OF_A_MACHINE = ("answers", "answering", "standstill", "machine", "merged_from")


class SavedBaseline(Struct, frozen=True):
    """A baseline that was written."""

    name: str
    folder: Path
    cases: int
    bytes: int


def save(run: RunLog, name: str, root: Path, *, replace: bool = False) -> SavedBaseline:
    """Write the scores of a run as a baseline; raise InputError if it cannot be one, or cannot be written."""
    require_name(name)
    folder, scores = root / HOME / name, read_scores(run)
    if scores.incomplete:
        raise InputError(
            f"{run}: an incomplete run ({scores.incomplete}) is no baseline; repeat its command to resume it"
        )
    if not run.has_manifest or not scores.cases:
        raise InputError(f"{run}: without a manifest and cases it cannot be kept as a baseline")
    if scores.disagreement:
        raise InputError(f"{scores.disagreement}. It cannot be kept as a baseline")
    if folder.exists() and not replace:
        raise InputError(f"{folder} exists; choose another name, or replace it with --replace")
    packed, sha256 = _packed(scores)
    means = [*slice_means(table := scores.table()), *slice_means(table, ("task",))]
    page = BaselinePage(
        schema_version=SCHEMA_VERSION,
        name=name,
        cases=len(scores.cases),
        part=scores.part,
        cases_sha256=sha256,
        f1=[SliceF1(each.slice, each.mean) for each in means],
        manifest=_without_places(run),
    )
    text = json_page(page).encode()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in ((CASES, packed), (BASELINE, text)):
            partial = folder / f"{file}.partial"
            partial.write_bytes(content)
            partial.replace(folder / file)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error.strerror})") from error
    return SavedBaseline(name, folder, len(scores.cases), len(packed) + len(text))


def _packed(run: RunScores) -> tuple[bytes, str]:
    """Return the compressed table of cases, and the hash of the uncompressed one."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    table.writerows(sorted(_row_of(each, run) for each in run.cases))
    content = text.getvalue().encode()
    # Without the time, so that the same run gives the same bytes.
    return gzip.compress(content, mtime=0), hashlib.sha256(content).hexdigest()


def _without_places(run: RunLog) -> dict[str, JsonValue]:
    """Return the manifest without what concerns only the machine of the run: a baseline is committed."""
    manifest, loops = run.manifest, run.manifest_json.get("loops", {})
    return {
        **{name: value for name, value in run.manifest_json.items() if name not in _OF_A_MACHINE},
        "options": {name: value for name, value in manifest.options.items() if name not in _LEFT_OUT},
        "models": [_without_folder(model) for model in manifest.models],
        "loops": {
            **loops,
            "players": {label: _without_folder(model) for label, model in manifest.loops.players.items()},
        },
    }


def _without_folder(model: ModelEntry) -> ModelEntry:
    of_file = model.kind in ("gguf", "file")
    return msgspec.structs.replace(model, argument=Path(model.argument).name) if of_file else model
