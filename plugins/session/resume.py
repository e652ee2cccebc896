"""Where a run is written: a new folder, or that of a run that is resumed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from retrocypher.kg.errors import InputError
from retrocypher.kg.execution.recovery import ExclusiveRerunStats
from retrocypher.plugins.formatting.text import counted, safe
from retrocypher.plugins.reporting.case_view import CaseFailedError, headline
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import Continued, ExclusiveRerunEntry, MadeOnce, Manifest, SessionEnd
from retrocypher.plugins.runs.record import Judgement, Record, Round
from retrocypher.plugins.runs.resume import RunKey, named_incomplete, newest_incomplete
from retrocypher.plugins.runs.run_directory import RunDirectory, new_run_path
from retrocypher.plugins.session.plan import Plan


class ResumedCase(Struct, frozen=True):
    """What pytest needs to report a case that is on record already."""

    passed: bool
    """Whether it passed."""
    message: str
    """Why it failed; empty if it passed."""
    scores: dict[str, float]
    """Its scores that are numbers, by name."""
    time_s: float
    """Seconds of its rounds and of its execution."""

    @classmethod
    def of(cls, record: Record) -> "ResumedCase":
        """Return the resumed case of a record that has scores."""
        message = "\n".join(
            (
                headline(record),
                "taken:    from the earlier part of this run",
                f"question: {safe(record.question)}",
                f"cypher:   {safe(record.cypher or '(no query in the answer)')}",
            )
        )
        time_s = sum(turn.time_s for turn in record.rounds)
        time_s += record.execution.time_s if record.execution else 0.0
        return cls(record.passed, "" if record.passed else message, record.numbers, time_s)

    @property
    def failure(self) -> CaseFailedError | None:
        """Why the case failed; None if it passed."""
        return None if self.passed else CaseFailedError(self.message)


PaidCall = tuple[str, str | None, int]
"""A call of a case: role or variant, hash of what was asked, how many of the same came before."""


def paid_calls(record: Record) -> dict[PaidCall, float | None]:
    """Return the cost of each call that was made for a case, and not answered from the cache."""
    return {call: made.cost for call, made in _calls(record) if not made.cached}


def restore_costs(record: Record, paid: Mapping[PaidCall, float | None]) -> bool:
    """Put on a record what its run paid for before the case was tried again; return whether there was any.

    The cache has the completions of the earlier attempt, but this run paid for them.
    """
    found = [(call, made) for call, made in _calls(record) if made.cached and call in paid]
    for call, made in found:
        made.cached, made.cost = False, paid[call]
    return bool(found)


def _calls(record: Record) -> Iterator[tuple[PaidCall, Round | Judgement]]:
    seen: dict[tuple[str, str | None], int] = {}
    made: list[tuple[str, str | None, Round | Judgement]] = [
        (turn.role, turn.messages_sha256, turn) for turn in record.rounds if turn.asked_model
    ]
    judged = record.judge.judgements if record.judge else {}
    made += [(variant, each.asked_sha256, each) for variant, each in judged.items() if each.time_s > 0]
    for role, asked, call in made:
        seen[role, asked] = number = seen.get((role, asked), -1) + 1
        yield (role, asked, number), call


class Resumable(Struct, frozen=True):
    """What the records of a run that is to be resumed hold."""

    lines: frozenset[int]
    """Numbers of the lines that are kept, from 1: the newest of each case that has a score and, if one was to
    be written, an answer."""
    retried: int
    """How many cases had an infrastructure error or lack their answer; they are tried again."""
    dropped: bool
    """Whether there are lines that are not kept."""
    paid: dict[str, dict[PaidCall, float | None]] = {}
    """What was paid for each case that is tried again, by its id."""


def read_resumable(log: RunLog) -> Resumable:
    """Read the records and messages of a run that is to be resumed; raise InputError if one is damaged."""
    newest: dict[str, tuple[int, bool]] = {}
    paid: dict[str, dict[PaidCall, float | None]] = {}
    count = 0
    try:
        for count, record in enumerate(log.records(), 1):
            case, whole = record.case_id, record.is_whole
            newest[case] = count, whole
            # A whole record has all costs; until then those of the attempts add up.
            paid[case] = {} if whole else {**paid.get(case, {}), **paid_calls(record)}
        # Read before anything is changed, because a run without its messages cannot be made whole again.
        for _ in log.message_lines():
            pass
    except InputError as error:
        raise InputError(
            f"{error}; to ask all of its cases again, give --fresh, or with --run-dir another folder"
        ) from error
    kept = frozenset(number for number, scored in newest.values() if scored)
    return Resumable(
        kept,
        len(newest) - len(kept),
        len(kept) < count,
        {case: calls for case, calls in paid.items() if calls},
    )


class ResumeState:
    """The earlier part of a resumed run, with its cases by id, and how both parts make one run."""

    def __init__(self, run: RunDirectory, found: Resumable) -> None:
        self._run = run
        self._found = found
        self._manifest = RunLog(run.path).manifest
        self.cases: dict[str, ResumedCase] = {}

    def resume(self, count: Callable[[Record], None]) -> None:
        """Repair the files, and count each case that is not asked again; raises InputError if that fails."""
        self._run.resume(self._found.lines if self._found.dropped else None)
        for record in RunLog(self._run.path).records():
            self.cases[record.case_id] = ResumedCase.of(record)
            count(record)

    def restore_costs(self, record: Record) -> bool:
        """Put what was paid before on the record of a case that was tried again; return if there was any."""
        return restore_costs(record, self._found.paid.get(record.case_id, {}))

    def opening(self, planned: int) -> str:
        """Return the line that says, before the first case, that the run is resumed."""
        again = self._found.retried
        retried = f", {again:,} that had an infrastructure error are tried again" if again else ""
        cases = f"{len(self.cases):,} of {counted(planned, 'case')}"
        are = "is" if len(self.cases) == 1 else "are"
        return (
            f"CONTINUED: {cases} {are} taken from the records of this run{retried} (--fresh starts a new run)"
        )

    def closing(self) -> str:
        """Return the closing line that says the same."""
        count = len(self.cases)
        were = "case was" if count == 1 else "cases were"
        return f"continued: {count:,} {were} taken from the earlier part of this run"

    def describe(self, manifest: Manifest) -> None:
        """Turn the manifest of the part that begins into the manifest of the whole run."""
        before = self._manifest
        part = Continued(
            manifest.started or "",
            len(self.cases),
            self._found.retried,
            SessionEnd(before.ended, before.exit_status),
        )
        manifest.continued = [*(before.continued or ()), part]
        manifest.started = before.started

    def once(self, made: Iterable[MadeOnce]) -> list[MadeOnce]:
        """Return what was made once in the run: in this part too, unless it came from the cache."""
        before = list(self._manifest.loops.once or ())
        known = {each.key for each in before}
        more = (each for each in made if not (each.cached and each.key in known))
        return sorted([*before, *more], key=lambda each: each.key)

    def standstill(self, now: ExclusiveRerunStats) -> ExclusiveRerunStats:
        """Return what runaway queries cost the whole run."""
        before = self._manifest.standstill or ExclusiveRerunEntry()
        return ExclusiveRerunStats(now.queries + before.queries, now.seconds + before.seconds)


# What these choose depends on how the last session ended, so no two sessions have the same cases.
_CHANGEABLE = frozenset({"lf", "stepwise", "stepwise_skip"})


def open_run(plan: Plan, key: RunKey, root: Path) -> tuple[RunDirectory, ResumeState | None]:
    """Open the directory of a run, and return it with what a resumed run has already.

    Raises:
        InputError: The named folder holds another run or other files, another process writes the run, or its
            records cannot be read.
    """
    options = plan.options
    given = Path(options.run_dir) if options.run_dir else None
    if not options.fresh and not _CHANGEABLE & key.parts["selection"].keys():
        earlier = named_incomplete(given, key) if given else newest_incomplete(root / "reports", key)
        if earlier is not None:
            return _opened(earlier)
    labels = [model.label for model in plan.models]
    return RunDirectory(given or new_run_path(root / "reports", labels, datetime.now())), None


def _opened(folder: Path) -> tuple[RunDirectory, ResumeState]:
    run = RunDirectory(folder, resume=True)
    try:
        return run, ResumeState(run, read_resumable(RunLog(folder)))
    except BaseException:
        run.close()
        raise
