"""Written answers, counted apart from what queries are worth."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plugins.records import answer_fault, is_of_answer
from plugins.summary._running import RunningMean

MEASURED = ("faithfulness", "answer_relevancy")
"""What a judge measures of written answers, in the order it is told."""

_STATES = ("written", "insufficient", "empty")


@dataclass(slots=True)
class Answers:
    """Cases that an answer was to be written for; no mean of scores knows of them."""

    cases: int = 0
    failed: int = 0
    states: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    support: RunningMean = field(default_factory=RunningMean)
    measured: dict[str, RunningMean] = field(default_factory=dict)
    unmeasured: Counter[str] = field(default_factory=Counter)

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record in, where an answer was to be written."""
        turn = next((turn for turn in record.get("rounds") or () if is_of_answer(turn["role"])), None)
        if turn is None:
            return
        self.cases += 1
        self.failed += answer_fault(record) is not None
        if turn["verdict"] in _STATES:
            self.states[turn["verdict"]] += 1
        # Records of the first versions have no such field.
        verification = record.get("verification")
        if verification is not None:
            self.verdicts[str(verification["verdict"])] += 1
            if verification["support"] is not None:
                self.support.add(verification["support"])
            self._add_measured(verification.get("judge") or {})

    def _add_measured(self, judge: Mapping[str, Any]) -> None:
        for name, told in judge.items():
            if name == "model":
                continue
            mean = self.measured.setdefault(name, RunningMean())
            if told["score"] is None:
                self.unmeasured[f"{name}: {told['error']['kind']}"] += 1
            else:
                mean.add(told["score"])

    def to_json(self) -> dict[str, Any]:
        """Return the counts, and the mean share of supported claims over the answers that claim anything.

        ``claiming`` says how many those are; ``failed`` are the cases where a model or the graph could not be
        asked, for the text, its claims or their verdicts.
        """
        return {
            "cases": self.cases,
            **{name: self.states[name] for name in _STATES},
            "failed": self.failed,
            "verdicts": dict(sorted(self.verdicts.items())),
            "support": self.support.mean,
            "claiming": self.support.count,
            **({"judge": self._judge()} if self.measured else {}),
        }

    def _judge(self) -> dict[str, Any]:
        means = {
            name: {"mean": mean.mean, "count": mean.count} for name, mean in sorted(self.measured.items())
        }
        return {**means, "without_score": dict(sorted(self.unmeasured.items()))}
