"""Cases that need not be asked: the earlier part of the run has their records."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from plugins.records import Record
from plugins.session._failures import CaseFailedError, headline
from plugins.session._rounds import Outcome
from plugins.terminal import safe


@dataclass(frozen=True, slots=True)
class Taken:
    """What pytest needs to tell of a case that is on record.

    Attributes:
        passed: Whether it passed.
        said: What is said of it where it failed.
        scores: Its scores that are numbers, by name.
        time_s: Seconds of its rounds and of its execution.
        record: The record itself, where its page is missing in Allure; else None.
        messages: The messages of its rounds by their hash, where its page is missing.
    """

    passed: bool
    said: str
    scores: dict[str, float]
    time_s: float
    record: dict[str, Any] | None = None
    messages: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Taken":
        """Return what there is to tell of a record that has scores."""
        scores, execution = record["scores"], record["execution"]
        said = "\n".join(
            (
                headline(record["errors"], scores, execution),
                "taken:    from the earlier part of this run",
                f"question: {safe(record['question'])}",
                f"cypher:   {safe(record['cypher'] or '(no query in the answer)')}",
            )
        )
        numbers = {name: value for name, value in scores.items() if isinstance(value, int | float)}
        time_s = sum(turn["time_s"] for turn in record["rounds"]) + execution["time_s"]
        return cls(bool(record["passed"]), "" if record["passed"] else said, numbers, time_s)

    def with_page(self, record: Mapping[str, Any], messages: Mapping[str, Any]) -> "Taken":
        """Return the same with all that its page in Allure needs.

        Args:
            record: Its record.
            messages: The messages of the run by their hash.
        """
        hashes = {turn["messages_sha256"] for turn in record["rounds"]}
        asked = {name: messages[name] for name in hashes if name in messages}
        return replace(self, record=dict(record), messages=asked)

    def outcome(self) -> Outcome | None:
        """Return the case as it was run; None where its page is there."""
        if self.record is None:
            return None
        return Outcome(Record.from_json(self.record), self.messages)

    def raise_unless_passed(self) -> None:
        """Raise CaseFailedError where the case failed."""
        if not self.passed:
            raise CaseFailedError(self.said)

    def to_json(self) -> dict[str, Any]:
        """Return plain values that survive the way to a worker."""
        return asdict(self)
