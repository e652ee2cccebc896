"""Two tables of scores, compared case by case."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.score_table import Label, ScoreTable
from retrocypher.plugins.statistics.intervals import Resampler
from retrocypher.plugins.statistics.paired import MARGIN, TIE, PairedComparison, holm, paired

PAIRED_ON = ("phrasing", "prompt", "shot", "loop", "model")
"""What identifies a case, beside its question."""


class Change(Struct, frozen=True):
    """A pair of cases whose scores differ."""

    case: str
    """The case id, without what the runs differ in."""
    question_id: str
    a: float
    b: float


class Comparison(Struct, frozen=True, kw_only=True):
    """How the scores of two sets of cases differ."""

    metric: str
    paired_on: tuple[str, ...]
    """What cases were paired on beside the question; in the rest of `PAIRED_ON` the runs differ."""
    overall: PairedComparison
    slices: tuple[PairedComparison, ...]
    """The pairs of each slice, corrected for the number of slices."""
    only_a: tuple[str, ...]
    """Cases of A that B does not have."""
    only_b: tuple[str, ...]
    """Cases of B that A does not have."""
    unscored: tuple[str, ...]
    """Common cases without the score on at least one side."""
    changes: tuple[Change, ...]
    """The pairs that differ, largest differences first."""


def compare(
    a: ScoreTable,
    b: ScoreTable,
    metric: str = "f1",
    by: Sequence[Sequence[str]] = (("task",),),
    *,
    margin: float = MARGIN,
    paired_on: Sequence[str] | None = None,
    resampler: Resampler | None = None,
) -> Comparison:
    """Compare the cases that A and B have in common; B is the new one.

    Raises InputError if nothing is in common, or several cases of one run would pair with one of the other.

    Args:
        by: Slicings, each by some of `DIMENSIONS`; labels are those of A.
        paired_on: What cases are paired on beside their question; by default what `shared` returns.
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
    resampler = resampler or Resampler()
    places = np.asarray([rows_a[key] for key in keys], dtype=np.intp)
    before, after = np.asarray([values[key] for key in keys]).T
    clusters = a.clusters[places]
    scored = set(keys)

    def part(chosen: Any) -> PairedComparison:
        return paired(before[chosen], after[chosen], clusters[chosen], margin=margin, resampler=resampler)

    at = {int(place): number for number, place in enumerate(places)}
    slices = [
        replace(part([at[int(place)] for place in rows if int(place) in at]), slice=labels)
        for slicing in by
        for labels, rows in a.slices(slicing)
        if any(int(place) in at for place in rows)
    ]
    corrected = holm([each.p_value for each in slices])
    changes = [
        Change(key, a.questions[rows_a[key]], float(was), float(now))
        for key, was, now in zip(keys, before, after, strict=True)
        if abs(now - was) > TIE
    ]
    return Comparison(
        metric=metric,
        paired_on=on,
        overall=part(slice(None)),
        slices=tuple(replace(each, p_holm=p) for each, p in zip(slices, corrected, strict=True)),
        only_a=tuple(sorted(rows_a.keys() - rows_b.keys())),
        only_b=tuple(sorted(rows_b.keys() - rows_a.keys())),
        unscored=tuple(key for key in common if key not in scored),
        changes=tuple(sorted(changes, key=lambda each: (-abs(each.b - each.a), each.case))),
    )


def require_common(a: ScoreTable, b: ScoreTable, names: tuple[str, str]) -> tuple[int, int]:
    """Refuse two tables of which no case would be paired, or ambiguously; scores do not matter.

    Raises InputError if they have no case in common, or several cases of one would pair with one of the
    other.

    Returns:
        The number of cases that only A has, and that only B has.
    """
    on = shared(a, b)
    rows_a, rows_b = _rows(a, on, names[0]), _rows(b, on, names[1])
    if not rows_a.keys() & rows_b.keys():
        raise InputError(f"{names[0]} and {names[1]} have no case in common, {_named(on)}")
    return len(rows_a.keys() - rows_b.keys()), len(rows_b.keys() - rows_a.keys())


def shared(a: ScoreTable, b: ScoreTable) -> tuple[str, ...]:
    """Return the parts of `PAIRED_ON` in which two tables have a label in common.

    A part without one, such as the prompt of two runs with one prompt each, is what is compared.
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
    """Return what a label adds to the name of a case; as in case ids, the first paraphrase adds nothing."""
    if name == "phrasing":
        return () if label == 1 else (f"w{label}",)
    return (str(label),)


def _named(on: Sequence[str]) -> str:
    return f"paired on {', '.join(on)}" if on else "paired on nothing else"
