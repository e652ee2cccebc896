"""Two runs or baselines, compared question by question."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import asdict

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.paired_scores import Change, compare
from retrocypher.plugins.analysis.scores import RunScores, slice_name
from retrocypher.plugins.statistics.paired import MARGIN, PairedComparison, power_curve

_NAMED = 5


def unseen_note(rows: Iterable[PairedComparison]) -> str:
    """Return what slices without any difference leave open; empty without such a slice with an interval."""
    open_ = [(each.unseen, each) for each in rows if each.unseen is not None and each.difference.has_interval]
    if not open_:
        return ""
    open_.sort(key=lambda pair: -pair[0])
    shares = [f"{100 * share:.2g} % ({slice_name(each.slice)})" for share, each in open_[:_NAMED]]
    more = len(open_) - _NAMED
    also = f" and less in {more:,} more" if more > 0 else ""
    return (
        "where no pair differs, the interval is the point 0; other questions may still differ, "
        f"up to this share of them: {', '.join(shares)}{also}"
    )


_MOST_NAMED = 3


class Difference(Struct, frozen=True):
    """Something that must be the same in two runs and is not."""

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
    """Return what must be the same in two runs and is not; the share of passed cases adds the threshold."""
    first, second = dict(a.conditions.fixed), dict(b.conditions.fixed)
    if metric == "passed":
        first["--case-threshold"] = a.conditions.threshold
        second["--case-threshold"] = b.conditions.threshold
    found = [Difference(name, value, second[name]) for name, value in first.items() if value != second[name]]
    found += _of_questions("text", a.texts, b.texts)
    found += _of_questions("gold answer or reference query", a.golds, b.golds)
    return found


def require_comparable(a: RunScores, b: RunScores, found: list[Difference], remedy: str) -> None:
    """Raise InputError, which ends with the remedy, if two runs have `differences`."""
    if found:
        listed = "; ".join(map(str, found))
        raise InputError(
            f"{a.name} and {b.name} were measured under different conditions, so their scores are not "
            f"comparable. They differ in {listed}. {remedy}"
        )


def varied(a: RunScores, b: RunScores) -> dict[str, tuple[str, str]]:
    """Return what may differ and does: what the comparison is about. Empty if a manifest is missing."""
    first, second = a.conditions.varied, b.conditions.varied
    names = dict.fromkeys((*first, *second))
    both = {name: (first.get(name, ""), second.get(name, "")) for name in names}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1]}


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
    """Share of comparisons like this one that would show the difference."""


class RunComparison(Struct, frozen=True, kw_only=True):
    """How the scores of B differ from those of A, and how far the two are comparable."""

    schema_version: int = 1
    a: ComparedRun
    """The old run."""
    b: ComparedRun
    """The new run."""
    on_common: bool
    """Whether the runs were compared although they are not comparable as a whole."""
    against: tuple[Difference, ...]
    """What should be the same and is not."""
    left_out: tuple[str, ...]
    """Common questions that are not the same and were left out."""
    varied: dict[str, tuple[str, str]]
    """What may differ and does."""
    metric: str
    paired_on: tuple[str, ...]
    """What cases were paired on beside the question."""
    overall: PairedComparison
    slices: tuple[PairedComparison, ...]
    only_a: tuple[str, ...]
    """Cases of A that B does not have."""
    only_b: tuple[str, ...]
    """Cases of B that A does not have."""
    unscored: tuple[str, ...]
    """Common cases without the score on at least one side."""
    changes: tuple[Change, ...]
    """The pairs that differ, largest differences first."""
    power: tuple[PowerAt, ...]
    """The power of the comparison at some true differences."""


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
    """Compare run B with run A.

    Raises InputError if they are not comparable, have nothing in common, or cannot be paired.

    Args:
        by: Slicings, each by some of the dimensions.
        margin: The largest difference that does not matter.
    """
    against = differences(a, b, metric)
    if not on_common:
        require_comparable(a, b, against, remedy)
    for run in (a, b):
        _require_scores(run)
    other = {name for each in against for name in each.questions}
    left_out = [name for name in {*a.texts, *b.texts} if name in other or name.rpartition("-w")[0] in other]
    try:
        found = compare(a.table(left_out), b.table(left_out), metric, by, margin=margin)
    except InputError as error:
        raise InputError(f"{a.name} and {b.name}: {error}") from error
    curve = power_curve(found.overall.detectable, found.overall.difference.clusters)
    return RunComparison(
        a=_compared(a),
        b=_compared(b),
        on_common=bool(against),
        against=tuple(against),
        left_out=tuple(sorted(other)),
        varied=varied(a, b),
        power=tuple(PowerAt(size, share) for size, share in curve),
        **asdict(found),
    )


def _compared(run: RunScores) -> ComparedRun:
    return ComparedRun(run.name, len(run.cases), run.errors, run.incomplete, run.part, run.models)


def _require_scores(run: RunScores) -> None:
    """Refuse a run without a single score, with the reason."""
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
