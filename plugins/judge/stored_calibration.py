"""Calibrations on file: small, and to be committed."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, convert
from msgspec.structs import replace

from retrocypher.kg.errors import InputError
from retrocypher.kg.paths import write_whole
from retrocypher.kg.ranges import Share
from retrocypher.plugins.runs.files import json_page
from retrocypher.plugins.runs.manifest import JudgeEntry
from retrocypher.plugins.runs.record import JsonValue, fields_of
from retrocypher.plugins.statistics.correlation import auroc, cohen_kappa
from retrocypher.plugins.statistics.intervals import Estimate

ACCEPTED = 0.5
"""The score from which a judge accepts a query."""

HOME = Path("reports", "calibrations")
"""Where calibrations are kept, below the project's folder."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")
_REMEDY = "take it from version control again, or make it again with `retrocypher judge --calibrate`"


def judge_identity(judge: JudgeEntry) -> str:
    """Return what tells a judge's model from others: its name behind an API, or the hash of its file.

    Neither the label that a user gives it nor the address of the API is a part of it.
    """
    model = judge.model
    return f"file {model.file_sha256}" if model.file_sha256 else model.argument or model.kind


class Rate(Struct, frozen=True):
    """How often a judge is mistaken about one kind of query."""

    rate: Estimate
    """Share of the judged queries."""
    score: Estimate


class Sensitivity(Struct, frozen=True):
    """How a score changes when a right query is rewritten."""

    change: Estimate
    """Mean score of the rewritten queries minus that of their references, from -1 to 1."""
    size: Estimate
    """Mean distance of the two scores, from 0 to 1."""
    turned: Estimate
    """Share of rewritten queries that are accepted while their reference is not, or the reverse."""


class TestRetest(Struct, frozen=True, kw_only=True):
    """How much a judge differs from itself, over queries that it scored each time."""

    repeats: int
    largest: float | None
    """Largest distance of two scores of one query; None without a query."""
    spread: Estimate
    """Mean standard deviation of the scores of a query (n - 1)."""
    turned: Estimate
    """Share of queries that were neither always accepted nor always rejected."""


class JudgedQuery(Struct, frozen=True):
    """A query of the sample, with what the judge said of it, from which the figures can be computed again."""

    id: str
    right: bool
    """Whether it answers its question."""
    molecule: str
    """Target of its question; queries about one molecule are one cluster."""
    scores: list[Share | None]
    """Its scores, each time it was judged; null where there is none. Figures are of the first."""


class Measured(Struct, frozen=True, kw_only=True):
    """A judge against what is known."""

    judged: int
    """Number of queries with a score."""
    unjudged: dict[str, int]
    """Number of queries without one, by the kind of error."""
    false_accept_rate: Estimate
    """Share of errors that the judge accepts."""
    false_reject_rate: Estimate
    """Share of right queries that it rejects."""
    kappa: Estimate
    """Cohen's kappa of *score at least 0.5* with *right*."""
    auroc: Estimate
    """Probability that a right query has a higher score than a wrong one."""
    test_retest: TestRetest
    by_error: dict[str, Rate]
    """The false accept rate, for each label of errors."""
    by_right: dict[str, Rate]
    """The false reject rate, for references and each group of neutral rewrites."""
    sensitivity: dict[str, Sensitivity]
    """By group of neutral rewrites, how the score changes."""

    queries: list[JudgedQuery] = []
    """The scores of each query; empty in files of earlier versions, which no gate accepts."""

    @property
    def unjudged_share(self) -> float:
        """Share of queries without a score; 1 without a query."""
        without = sum(self.unjudged.values())
        return without / (self.judged + without) if self.judged + without else 1.0


SCHEMA_VERSION = 1

PRIMARY = "with_reference"
"""The variant whose figures are shown first, and which a gate on ``judge`` is about."""

_HEAD = ("false_accept_rate", "false_reject_rate", "by_error", "kappa", "sensitivity", "test_retest")


class Calibration(Struct, frozen=True, kw_only=True):
    """How far one judge can be trusted, as it is stored."""

    schema_version: int = SCHEMA_VERSION
    judge: str
    model: str
    """Identity of the judge's model (`judge_identity`)."""
    criteria: str
    """SHA-256 of the criteria, and of the number of rows shown."""
    rows: int
    """Maximum number of result rows shown."""
    made: str
    """When, in UTC, as ISO 8601."""
    retrocypher: str
    questions_sha256: str
    bank: str
    """Part of the bank that the sample is from."""
    bank_entries: int
    """Number of entries of that part."""
    seed: int
    per_error: int
    """Number of errors requested of each label."""
    repeats: int
    sample: Mapping[str, int]
    """Number of queries by kind; neutral rewrites by group."""
    variants: dict[str, Measured]
    calls: dict[str, int]
    """Number of judgements; ``cached`` of them existed before."""
    tokens: dict[str, int]
    cost: float | None
    """Cost in USD of those paid for now, if all prices are known; otherwise None."""

    @property
    def primary(self) -> str:
        """The variant whose results come first."""
        return PRIMARY if PRIMARY in self.variants else next(iter(self.variants))

    def report(self) -> dict[str, JsonValue]:
        """Return what is printed as JSON: the calibration, preceded by the main results of `primary`."""
        results = self.variants[self.primary]
        return {
            "variant": self.primary,
            **{name: getattr(results, name) for name in _HEAD},
            **fields_of(self),
        }


_TOLERANCE = 1e-9


def agreement_of(queries: Sequence[JudgedQuery]) -> tuple[Estimate, Estimate]:
    """Return kappa of *score at least 0.5* with *right*, and AUROC, over the queries with a first score."""
    judged = [(each, score) for each in queries if (score := each.scores[0]) is not None]
    right, molecules = [each.right for each, _ in judged], [each.molecule for each, _ in judged]
    kappa = cohen_kappa([score >= ACCEPTED for _, score in judged], right, molecules)
    return kappa, auroc([score for _, score in judged], right, molecules)


def audited(variant: str, measured: Measured) -> Measured:
    """Return figures with kappa and AUROC computed again from the scores of the queries.

    The intervals are then those of this version, whatever the file says. Raises ValueError if the figures do
    not follow from the scores. Figures of earlier versions, without the scores, are returned as they are.
    """
    queries = measured.queries
    if not queries:
        return measured
    if any(not each.scores for each in queries) or len({each.id for each in queries}) < len(queries):
        raise ValueError(f"{variant}: a query has no scores, or occurs twice")
    judged = sum(each.scores[0] is not None for each in queries)
    counts = (judged, len(queries) - judged)
    if (measured.judged, sum(measured.unjudged.values())) != counts:
        raise ValueError(f"{variant}: the scores are of {counts[0]} judged and {counts[1]} unjudged queries")
    kappa, area = agreement_of(queries)
    for name, stored, found in (("kappa", measured.kappa, kappa), ("auroc", measured.auroc, area)):
        if not _same(stored.value, found.value):
            raise ValueError(f"{variant}: {name} is {stored.value}, and the scores give {found.value}")
    return replace(measured, kappa=kappa, auroc=area)


def _same(stored: float | None, found: float | None) -> bool:
    if stored is None or found is None:
        return stored is found
    return abs(stored - found) <= _TOLERANCE


class StoredCalibration(Struct, frozen=True):
    """A calibration on file."""

    name: str
    calibration: Calibration


def name_for(judge: str, criteria: str) -> str:
    """Return what the calibration of a judge is called where nobody says otherwise."""
    return f"{_UNFIT.sub('-', judge).strip('-._')[:60] or 'judge'}-{criteria[:8]}"


def keep(calibration: Calibration, name: str | None, root: Path) -> Path:
    """Write a calibration, by default under a name of judge and criteria; raise InputError if it cannot."""
    name = name or name_for(calibration.judge, calibration.criteria)
    require_name(name)
    file = root / HOME / f"{name}.json"
    write_whole(file, json_page(calibration))
    return file


def require_name(name: str) -> None:
    """Raise InputError if a name cannot be that of a calibration."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"--name {name!r}: not a name; use letters, digits, points, dashes and underscores (80 at most)"
        )


def load_calibrations(root: Path) -> list[StoredCalibration]:
    """Return the calibrations on file, the newest first; raise InputError if one cannot be read."""
    found = [_read(file) for file in sorted((root / HOME).glob("*.json"))]
    return sorted(found, key=lambda each: each.calibration.made, reverse=True)


def of_model(calibrations: Iterable[StoredCalibration], judge: JudgeEntry) -> list[StoredCalibration]:
    """Return those of a judge's model, by whatever criteria and variant, in their order."""
    return [each for each in calibrations if each.calibration.model == judge_identity(judge)]


def newest_of(
    calibrations: Iterable[StoredCalibration], judge: JudgeEntry, variant: str
) -> StoredCalibration | None:
    """Return the first that is of a judge, its criteria and a variant; None without one."""
    found = (each for each in of_model(calibrations, judge) if each.calibration.criteria == judge.criteria)
    return next((each for each in found if variant in each.calibration.variants), None)


def _read(file: Path) -> StoredCalibration:
    try:
        page = json.loads(file.read_bytes())
        if page["schema_version"] != SCHEMA_VERSION:
            raise ValueError(f"schema version {page['schema_version']!r}, and {SCHEMA_VERSION} is read here")
        found = convert(page, Calibration)
        variants = {name: audited(name, each) for name, each in found.variants.items()}
        return StoredCalibration(file.stem, replace(found, variants=variants))
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise InputError(f"{file}: not a calibration ({error!r}); {_REMEDY}") from error
