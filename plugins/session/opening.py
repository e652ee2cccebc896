"""Where a run is written: a new folder, or that of a run that is gone on with."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from retrocypher.kg.errors import InputError
from retrocypher.kg.execution.recovery import Standstill
from retrocypher.plugins.formatting.text import counted, safe
from retrocypher.plugins.judge.judgement import VARIANTS
from retrocypher.plugins.reporting.case_view import headline
from retrocypher.plugins.reporting.failures import CaseFailedError
from retrocypher.plugins.runs.log import RunLog, locate_messages, read_records
from retrocypher.plugins.runs.manifest import Continued, Manifest, StandstillEntry
from retrocypher.plugins.runs.record import asked_a_model, is_whole, record_from
from retrocypher.plugins.runs.resume import RunKey, named_incomplete, newest_incomplete
from retrocypher.plugins.runs.run_directory import RunDirectory, new_run_path
from retrocypher.plugins.session.plan import Plan


@dataclass(frozen=True, slots=True)
class Taken:
    """What pytest needs to tell of a case that is on record.

    Attributes:
        passed: Whether it passed.
        said: What is said of it where it failed.
        scores: Its scores that are numbers, by name.
        time_s: Seconds of its rounds and of its execution.
    """

    passed: bool
    said: str
    scores: dict[str, float]
    time_s: float

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Taken":
        """Return what there is to tell of a record that has scores."""
        scores, execution = record["scores"], record["execution"]
        said = "\n".join(
            (
                headline(record_from(record)),
                "taken:    from the earlier part of this run",
                f"question: {safe(record['question'])}",
                f"cypher:   {safe(record['cypher'] or '(no query in the answer)')}",
            )
        )
        numbers = {name: value for name, value in scores.items() if isinstance(value, int | float)}
        time_s = sum(turn["time_s"] for turn in record["rounds"]) + execution["time_s"]
        return cls(bool(record["passed"]), "" if record["passed"] else said, numbers, time_s)

    def raise_unless_passed(self) -> None:
        """Raise CaseFailedError where the case failed."""
        if not self.passed:
            raise CaseFailedError(self.said)

    def to_json(self) -> dict[str, Any]:
        """Return plain values that survive the way to a worker."""
        return asdict(self)


Call = tuple[str, str | None, int]
"""A call of a case: role or variant, hash of what was asked, how many of the same came before."""


def paid_calls(record: Mapping[str, Any]) -> dict[Call, float | None]:
    """Return what each call of a case cost that was made for it, and not had from the cache.

    Args:
        record: A record as in ``records.jsonl``.
    """
    return {call: told["cost"] for call, told in _calls(record) if not told["cached"]}


def with_costs(record: dict[str, Any], paid: Mapping[Call, float | None]) -> bool:
    """Put on a record what its run paid for before it was asked again; tell whether there was such.

    The cache has the answers of the attempt before, but this run paid for them: so they are told as in a run
    in which the case was asked once.

    Args:
        record: The new record; changed.
        paid: What `paid_calls` gave of the one before.
    """
    found = [(call, told) for call, told in _calls(record) if told["cached"] and call in paid]
    for call, told in found:
        told["cached"], told["cost"] = False, paid[call]
    return bool(found)


def _calls(record: Mapping[str, Any]) -> Iterator[tuple[Call, Any]]:
    seen: dict[tuple[str, str | None], int] = {}
    turns = [
        (str(turn["role"]), turn["messages_sha256"], turn) for turn in record["rounds"] if asked_a_model(turn)
    ]
    judge = record.get("judge") or {}
    judged = [(variant, judge[variant]) for variant in VARIANTS if judge.get(variant)]
    turns += [(variant, told["asked_sha256"], told) for variant, told in judged if told["time_s"] > 0]
    for role, asked, told in turns:
        seen[role, asked] = number = seen.get((role, asked), -1) + 1
        yield (role, asked, number), told


@dataclass(frozen=True, slots=True)
class Earlier:
    """The earlier part of a run.

    Attributes:
        lines: Numbers of the lines of its records that are kept, from 1: the newest of each case that has
            a score and, where one was to be written, an answer.
        retried: How many cases had an infrastructure error or lack their answer; they are tried again.
        dropped: Whether there are lines that are not kept.
        paid: What was paid for each case that is tried again, by its id.
    """

    lines: frozenset[int]
    retried: int
    dropped: bool
    paid: Mapping[str, Mapping[Call, float | None]] = field(default_factory=dict)


def look_at(run: Path) -> Earlier:
    """Read the records and messages of a run that is to be gone on with.

    Args:
        run: The run directory.

    Raises:
        InputError: If a line is not what a run writes there, but for half a line at the end, or is of another
            version.
    """
    newest: dict[str, tuple[int, bool]] = {}
    paid: dict[str, dict[Call, float | None]] = {}
    count = 0
    try:
        for count, record in enumerate(read_records(run), 1):
            case, whole = str(record["case_id"]), is_whole(record)
            newest[case] = count, whole
            # A whole record tells what was paid; until then attempts add up.
            paid[case] = {} if whole else {**paid.get(case, {}), **paid_calls(record)}
        # Before anything is changed: a run without its messages cannot be told whole again.
        for _ in locate_messages(run):
            pass
    except InputError as error:
        raise InputError(
            f"{error}; to ask all of its cases again, give --fresh, or with --run-dir another folder"
        ) from error
    kept = frozenset(number for number, scored in newest.values() if scored)
    return Earlier(
        kept,
        len(newest) - len(kept),
        len(kept) < count,
        {case: calls for case, calls in paid.items() if calls},
    )


class EarlierPart:
    """What a run has from before, and how both parts make one run.

    Args:
        run: The run directory, held and not yet changed.
        seen: What is there.

    Attributes:
        taken: What there is to tell of the cases that are taken from its records, by their id.
    """

    def __init__(self, run: RunDirectory, seen: Earlier) -> None:
        self._run = run
        self._seen = seen
        self._manifest = RunLog(run.path).manifest
        self.taken: dict[str, Taken] = {}

    def take_up(self, count: Callable[[Mapping[str, Any]], None]) -> None:
        """Mend the files, and count each case that is not asked again.

        Args:
            count: Takes a record.

        Raises:
            InputError: If the files cannot be written to.
        """
        self._run.go_on(self._seen.lines if self._seen.dropped else None)
        for record in read_records(self._run.path):
            self.taken[str(record["case_id"])] = Taken.of(record)
            count(record)

    def adds_costs(self, record: dict[str, Any]) -> bool:
        """Put on the record of a case that was tried again what was paid for it before; tell whether any was.

        Args:
            record: The new record; changed.
        """
        return with_costs(record, self._seen.paid.get(str(record["case_id"]), {}))

    def opening(self, planned: int) -> str:
        """Return the line that says, before the first case, that a run is continued.

        Args:
            planned: How many cases the run's options make.
        """
        again = self._seen.retried
        retried = f", {again:,} that had an infrastructure error are tried again" if again else ""
        cases = f"{len(self.taken):,} of {counted(planned, 'case')}"
        are = "is" if len(self.taken) == 1 else "are"
        return f"CONTINUED: {cases} {are} taken from the records of this run{retried} (--fresh starts anew)"

    def closing(self) -> str:
        """Return the closing line that says the same."""
        count = len(self.taken)
        were = "case was" if count == 1 else "cases were"
        return f"continued: {count:,} {were} taken from the earlier part of this run"

    @property
    def started(self) -> datetime:
        """When the run began."""
        return datetime.fromisoformat(str(self._manifest.started))

    def describe(self, manifest: Manifest) -> None:
        """Turn the manifest of the part that begins into the manifest of the whole run."""
        before = self._manifest
        part = Continued(
            manifest.started or "",
            len(self.taken),
            self._seen.retried,
            {"ended": before.ended, "exit_status": before.exit_status},
        )
        manifest.continued = [*(before.continued or ()), part]
        manifest.started = before.started

    def once(self, made: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return what was made once in the run: in this part too, unless it was had from the cache."""
        before = list(self._manifest.loops.once or ())
        known = {each["key"] for each in before}
        more = (dict(each) for each in made if not (each["cached"] and each["key"] in known))
        return sorted([*before, *more], key=lambda each: str(each["key"]))

    def standstill(self, now: Standstill) -> Standstill:
        """Return what runaway queries cost the whole run."""
        before = self._manifest.standstill or StandstillEntry()
        return Standstill(now.queries + before.queries, now.seconds + before.seconds)


# What these choose depends on how the last session ended, so that no two sessions are of the same cases.
_CHANGEABLE = frozenset({"lf", "stepwise", "stepwise_skip"})


def open_run(plan: Plan, key: RunKey, root: Path) -> tuple[RunDirectory, EarlierPart | None]:
    """Open the directory of a run, and return it with what a run that is gone on with has.

    Args:
        plan: What the run will do.
        key: Its key.
        root: The project's folder.

    Raises:
        InputError: If the folder that was named holds another run or other things, another process writes
            the run, or its records cannot be read.
    """
    options = plan.options
    given = Path(options.run_dir) if options.run_dir else None
    if not options.fresh and not _CHANGEABLE & key.parts["selection"].keys():
        earlier = named_incomplete(given, key) if given else newest_incomplete(root / "reports", key)
        if earlier is not None:
            return _opened(earlier)
    labels = [model.label for model in plan.models]
    return RunDirectory(given or new_run_path(root / "reports", labels, datetime.now())), None


def _opened(folder: Path) -> tuple[RunDirectory, EarlierPart]:
    run = RunDirectory(folder, go_on=True)
    try:
        return run, EarlierPart(run, look_at(folder))
    except BaseException:
        run.close()
        raise
