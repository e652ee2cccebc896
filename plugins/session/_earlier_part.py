"""The earlier part of a run that is gone on with."""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from kg.execution import Standstill
from plugins.records import RunDirectory, read_manifest, read_messages, read_records
from plugins.resume import Earlier, with_costs
from plugins.session._taken import Taken
from plugins.terminal import counted


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
        self._manifest = read_manifest(run.path)
        self.taken: dict[str, Taken] = {}

    def take_up(self, count: Callable[[Mapping[str, Any]], None], shown: Collection[str] | None) -> None:
        """Mend the files, and count each case that is not asked again.

        Args:
            count: Takes a record.
            shown: Cases that have a page in Allure; None where Allure is off.

        Raises:
            InputError: If the files cannot be written to.
        """
        self._run.go_on(self._seen.lines if self._seen.dropped else None)
        messages: Mapping[str, Any] | None = None
        for record in read_records(self._run.path):
            case, taken = str(record["case_id"]), Taken.of(record)
            if shown is not None and case not in shown:
                messages = messages if messages is not None else read_messages(self._run.path)
                taken = taken.with_page(record, messages)
            self.taken[case] = taken
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
        return datetime.fromisoformat(self._manifest["started"])

    def describe(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """Return the manifest of the part that begins as the manifest of the whole run."""
        before = {name: self._manifest.get(name) for name in ("ended", "exit_status")}
        part = {
            "at": manifest["started"],
            "taken": len(self.taken),
            "retried": self._seen.retried,
            "before": before,
        }
        parts = [*self._manifest.get("continued", ()), part]
        return {**manifest, "started": self._manifest["started"], "continued": parts}

    def once(self, made: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return what was made once in the run: in this part too, unless it was had from the cache."""
        before = list((self._manifest.get("loops") or {}).get("once", ()))
        known = {each["key"] for each in before}
        more = (dict(each) for each in made if not (each["cached"] and each["key"] in known))
        return sorted([*before, *more], key=lambda each: str(each["key"]))

    def standstill(self, now: Standstill) -> Standstill:
        """Return what runaway queries cost the whole run."""
        before = self._manifest.get("standstill") or {"queries": 0, "seconds": 0.0}
        return Standstill(now.queries + before["queries"], now.seconds + before["seconds"])
