"""Two runs or baselines, compared question by question."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.run_scores import RunScores
from retrocypher.plugins.analysis.scores import Label, ScoreTable
from retrocypher.plugins.analysis.variation import (
    CHANGES,
    F1_SD,
    OVER,
    Over,
    count_of,
    groups_of,
    table_of,
)
from retrocypher.plugins.statistics.means import TIE
from retrocypher.plugins.statistics.paired import MARGIN, PairedComparison, corrected, paired, power_curve

PAIRED_ON = ("phrasing", "repeat", "prompt", "shot", "loop", "model")
"""What identifies a case, in addition to its question."""


class Change(Struct, frozen=True):
    """A pair of cases whose scores differ."""

    case: str
    """The case id, without what the runs differ in."""
    question_id: str
    a: float
    b: float


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How the scores of two sets of cases differ."""

    metric: str
    paired_on: tuple[str, ...]
    """What cases were paired on, in addition to the question; in the rest of `PAIRED_ON` the runs differ."""
    overall: PairedComparison
    slices: tuple[PairedComparison, ...]
    """The pairs of each slice; p-values and verdicts are corrected for the number of slices."""
    only_a: tuple[str, ...]
    """Cases of A that B does not have."""
    only_b: tuple[str, ...]
    """Cases of B that A does not have."""
    unscored: tuple[str, ...]
    """Common cases without the score on at least one side."""
    changes: tuple[Change, ...]
    """The pairs that differ, largest differences first."""
    correction: Literal["holm"] = "holm"
    """How slices are corrected for their number; all cases together are not corrected."""


def compare(
    a: ScoreTable,
    b: ScoreTable,
    metric: str = "f1",
    by: Sequence[Sequence[str]] = (("task",),),
    *,
    margin: float = MARGIN,
    paired_on: Sequence[str] | None = None,
) -> Comparison:
    """Compare the cases that A and B have in common; B is the new one.

    Raises InputError if nothing is in common, or several cases of one run would pair with one of the other.

    Args:
        by: Slicings, each by some of `DIMENSIONS`; labels are those of A.
        paired_on: What cases are paired on, in addition to their question; by default what `shared` returns.
    """
    on = tuple(shared(a, b) if paired_on is None else paired_on)
    rows_a, rows_b = _rows(a, on, "the first run"), _rows(b, on, "the second run")
    common = sorted(rows_a.keys() & rows_b.keys())
    values = {key: (a.scores(metric)[rows_a[key]], b.scores(metric)[rows_b[key]]) for key in common}
    keys = [key for key in common if not any(np.isnan(values[key]))]
    if not keys:
        raise InputError(
            f"no pair has {metric} on both sides (pairs: {len(common):,})"
            if common
            else f"they have no case in common, {_named(on)}"
        )
    places = np.asarray([rows_a[key] for key in keys], dtype=np.intp)
    before, after = np.asarray([values[key] for key in keys]).T
    clusters = a.clusters[places]
    scored = set(keys)

    def part(chosen: Any) -> PairedComparison:
        return paired(before[chosen], after[chosen], clusters[chosen], margin=margin)

    at = {int(place): number for number, place in enumerate(places)}
    slices = [
        replace(part([at[int(place)] for place in rows if int(place) in at]), slice=labels)
        for slicing in by
        for labels, rows in a.slices(slicing)
        if any(int(place) in at for place in rows)
    ]
    changes = [
        Change(key, a.questions[rows_a[key]], float(was), float(now))
        for key, was, now in zip(keys, before, after, strict=True)
        if abs(now - was) > TIE
    ]
    return Comparison(
        metric=metric,
        paired_on=on,
        overall=part(slice(None)),
        slices=corrected(slices),
        only_a=tuple(sorted(rows_a.keys() - rows_b.keys())),
        only_b=tuple(sorted(rows_b.keys() - rows_a.keys())),
        unscored=tuple(key for key in common if key not in scored),
        changes=tuple(sorted(changes, key=lambda each: (-abs(each.b - each.a), each.case))),
    )


def require_common(a: ScoreTable, b: ScoreTable, names: tuple[str, str]) -> tuple[int, int]:
    """Return how many cases only A and only B have; raise InputError if none, or several, would be paired."""
    on = shared(a, b)
    rows_a, rows_b = _rows(a, on, names[0]), _rows(b, on, names[1])
    if not rows_a.keys() & rows_b.keys():
        raise InputError(f"{names[0]} and {names[1]} have no case in common, {_named(on)}")
    return len(rows_a.keys() - rows_b.keys()), len(rows_b.keys() - rows_a.keys())


def shared(a: ScoreTable, b: ScoreTable) -> tuple[str, ...]:
    """Return the parts of `PAIRED_ON` in which two tables have a label in common.

    The runs differ in the other parts, such as the prompt if each run has one prompt of its own. These are
    what is compared.
    """
    return tuple(name for name in PAIRED_ON if {*a.labels(name)} & {*b.labels(name)})


def _rows(table: ScoreTable, on: Sequence[str], which: str) -> dict[str, int]:
    rows: dict[str, int] = {}
    columns = [(name, table.labels(name)) for name in on]
    for place, question in enumerate(table.questions):
        key = "-".join([question, *(part for name, column in columns for part in _part(name, column[place]))])
        if key in rows:
            raise InputError(
                f"{which} has several cases of {key}, {_named(on)}, so the pairs are ambiguous; "
                "compare runs that differ in one thing, or with one value of what they differ in"
            )
        rows[key] = place
    return rows


def _part(name: str, label: Label) -> tuple[str, ...]:
    """Return what a label adds to the name of a case; as in case ids, the first of each adds nothing."""
    if name in _LETTERS:
        return () if label == 1 else (f"{_LETTERS[name]}{label}",)
    return (str(label),)


_LETTERS = {"phrasing": "w", "repeat": "r"}


def _named(on: Sequence[str]) -> str:
    return f"paired on {', '.join(on)}" if on else "paired on nothing else"


_MOST_NAMED = 3


class Difference(Struct, frozen=True):
    """A condition that two runs must share and do not."""

    what: str
    """Such as ``graph fingerprint``."""
    a: str
    b: str
    questions: tuple[str, ...] = ()
    """The questions concerned; empty for all."""

    def __str__(self) -> str:
        if not self.questions:
            return f"{self.what}: {_short(self.a)} and {_short(self.b)}"
        named = ", ".join(self.questions[:_MOST_NAMED])
        more = len(self.questions) - _MOST_NAMED
        also = f" and {more:,} more" if more > 0 else ""
        return f"{self.what} of {named}{also} ({len(self.questions):,} in all)"


def differences(a: RunScores, b: RunScores, metric: str = "f1") -> list[Difference]:
    """Return what must be the same in two runs and is not.

    The threshold must be the same only if the share of passed cases is compared.
    """
    first, second = dict(a.conditions.fixed), dict(b.conditions.fixed)
    if metric == "passed":
        first["--case-threshold"] = a.conditions.threshold
        second["--case-threshold"] = b.conditions.threshold
    result = [Difference(name, value, second[name]) for name, value in first.items() if value != second[name]]
    ours, theirs = ({each.phrasing for each in run.cases} for run in (a, b))
    if ours and theirs and ours.isdisjoint(theirs):
        # In another wording a question has the same id, and is another question.
        result.append(Difference("--phrasing", _listed(ours), _listed(theirs)))
    result += _of_questions("text", a.texts, b.texts)
    result += _of_questions("gold answer or reference query", a.golds, b.golds)
    return result


def require_comparable(a: RunScores, b: RunScores, differing: list[Difference], remedy: str) -> None:
    """Raise InputError, which ends with the remedy, if two runs have `differences`."""
    if differing:
        listed = "; ".join(map(str, differing))
        raise InputError(
            f"{a.name} and {b.name} were measured under different conditions, so their scores are not "
            f"comparable. They differ in {listed}. {remedy}"
        )


def varied(a: RunScores, b: RunScores) -> dict[str, tuple[str, str]]:
    """Return the conditions that may differ and do, which the comparison is about."""
    first, second = a.conditions.varied, b.conditions.varied
    names = dict.fromkeys((*first, *second))
    both = {name: (first.get(name, ""), second.get(name, "")) for name in names}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1]}


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


def _of_questions(what: str, a: Mapping[str, str], b: Mapping[str, str]) -> list[Difference]:
    other = tuple(sorted(name for name in a.keys() & b.keys() if a[name] != b[name]))
    return [Difference(what, "", "", other)] if other else []


def _short(value: str) -> str:
    long_hash = len(value) == 64 and value.isalnum()
    return value[:12] if long_hash else value


_ON_COMMON = (
    "Run one of them again under the conditions of the other, or compare what is common with --on-common."
)


class ComparedRun(Struct, frozen=True):
    """A run or baseline of a comparison."""

    name: str
    cases: int
    infrastructure_errors: int
    incomplete: str
    part: str
    models: tuple[str, ...]


class PowerAt(Struct, frozen=True):
    """The power of a comparison at one true difference."""

    difference: float
    found: float
    """Share of comparisons of this size that would detect the difference."""


@dataclass(frozen=True, kw_only=True)
class ComparedRuns:
    """Two runs, and whether their scores are comparable."""

    schema_version: int = 1
    a: ComparedRun
    """The old run."""
    b: ComparedRun
    """The new run."""
    on_common: bool
    """Whether only what the runs have in common was compared, because they are not comparable otherwise."""
    against: tuple[Difference, ...]
    """What should be the same and is not."""
    left_out: tuple[str, ...]
    """Common questions that are not the same and were left out."""
    varied: dict[str, tuple[str, str]]
    """What may differ and does."""


class VariationChange(Struct, frozen=True):
    """How a figure of variation differs."""

    over: Over
    figure: str
    a: float | None
    b: float | None
    pairs: PairedComparison | None = None
    """The comparison; None for the standard deviation, which no single case has."""


@dataclass(frozen=True, kw_only=True)
class RunComparison(Comparison, ComparedRuns):
    """How the scores of B differ from those of A, and whether the two are comparable."""

    # Dataclasses, not structs: a struct can have only one base with fields. JSON starts with those of the
    # last base.
    power: tuple[PowerAt, ...]
    """The power of the comparison at some true differences."""
    variation: tuple[VariationChange, ...] = ()
    """How outcomes vary over repeats and paraphrases, where both have several, as many of each."""


def compare_runs(
    a: RunScores,
    b: RunScores,
    metric: str = "f1",
    by: Sequence[Sequence[str]] = (("task",),),
    *,
    margin: float = MARGIN,
    on_common: bool = False,
    remedy: str = _ON_COMMON,
) -> RunComparison:
    """Compare run B with run A, in slices by dimensions; raise InputError if they cannot be compared."""
    against = differences(a, b, metric)
    if not on_common:
        require_comparable(a, b, against, remedy)
    for run in (a, b):
        _require_scores(run)
    other = {name for each in against for name in each.questions}
    left_out = [name for name in {*a.texts, *b.texts} if name in other or name.rpartition("-w")[0] in other]
    try:
        tables = a.table(left_out), b.table(left_out)
        (first, name), (second, _) = (table_of(each, metric) for each in tables)
        comparison = compare(first, second, name, by, margin=margin)
        varying = tuple(_varying(*tables, margin))
    except InputError as error:
        raise InputError(f"{a.name} and {b.name}: {error}") from error
    curve = power_curve(
        comparison.overall.detectable,
        comparison.overall.difference.clusters,
        comparison.overall.effective_clusters,
    )
    return RunComparison(
        a=_compared(a),
        b=_compared(b),
        on_common=bool(against),
        against=tuple(against),
        left_out=tuple(sorted(other)),
        varied=varied(a, b),
        power=tuple(PowerAt(size, share) for size, share in curve),
        variation=varying,
        **{**vars(comparison), "metric": metric},
    )


def _varying(a: ScoreTable, b: ScoreTable, margin: float) -> Iterator[VariationChange]:
    for over in OVER:
        if not 1 < count_of(a, over) == count_of(b, over):
            continue
        first, second = groups_of(a, over), groups_of(b, over)
        for figure in (f"pass@{first.count}", f"pass^{first.count}", CHANGES):
            try:
                pairs = compare(first.table, second.table, figure, (), margin=margin).overall
            except InputError:
                # No case has a score in all of its repeats in both.
                continue
            yield VariationChange(over, figure, pairs.mean_a, pairs.mean_b, pairs)
        yield VariationChange(over, F1_SD, first.f1_sd().value, second.f1_sd().value)


def _compared(run: RunScores) -> ComparedRun:
    return ComparedRun(run.name, len(run.cases), run.errors, run.incomplete, run.part, run.models)


def _require_scores(run: RunScores) -> None:
    """Raise InputError, with the reason, if no case of a run has scores."""
    if any(each.scores is not None for each in run.cases):
        return
    if not run.cases:
        raise InputError(f"{run.name} has no case on record; run some first")
    kinds = ", ".join(f"{often:,} {kind}" for kind, often in run.errors_by_kind.items())
    cases = len(run.cases)
    have = "its only case has" if cases == 1 else f"all {cases:,} cases have"
    raise InputError(
        f"{run.name} has no scores: {have} an infrastructure error ({kinds}). Correct the cause "
        "(`retrocypher show` prints a case in full), and repeat the command to resume the run"
    )
