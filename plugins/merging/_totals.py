"""What the cases of all shards come to."""

from collections.abc import Mapping, Sequence
from typing import Any

from kg.questions import Question
from plugins.ledger import Ledger
from plugins.merging._shard_run import ShardRun
from plugins.summary import Summary
from plugins.usage import Usage

_NO_LOOP = "none"


class Totals:
    """Counts records as a session does.

    Args:
        runs: The shards.
        questions: The questions of all of them.
    """

    def __init__(self, runs: Sequence[ShardRun], questions: Sequence[Question]) -> None:
        loops = runs[0].manifest["loops"]
        players = loops.get("players") or {}
        self._runs = runs
        self._looped = loops["names"] != [_NO_LOOP]
        self._summary = Summary()
        self._ledger = Ledger({each.id: each.target for each in questions})
        writers = (runs[0].manifest.get("answering") or {}).get("writers") or {}
        self._usage = Usage(
            {label: spec["label"] for label, spec in players.items()},
            {label: spec["label"] for label, spec in writers.items()},
        )
        for run in runs:
            self._usage.add_once(run.manifest["loops"].get("once", ()))

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record in."""
        self._summary.add(record)
        self._ledger.add(record)
        self._usage.add(record)

    @property
    def failed(self) -> int:
        """How many cases are under the threshold."""
        return self._summary.failed

    def summary(self) -> dict[str, Any]:
        """Return what ``summary.json`` of the merged run holds."""
        counts = {"selected_cases": self._selected(), "lost_cases": self._lost()}
        ledger = {"ledger": self._ledger.to_json()} if self._looped else {}
        return {**self._summary.to_json(), **counts, **ledger}

    def counts(self) -> dict[str, int]:
        """Return the ``counts`` of the manifest."""
        return {
            "planned": self._in_all(),
            "selected": self._selected(),
            "run": self._summary.cases,
            "passed": self._summary.passed,
            "failed": self._summary.failed,
            "infrastructure_errors": self._summary.infrastructure_errors,
            "lost": len(self._lost()),
        }

    def answers(self) -> dict[str, Any]:
        """Return the ``answers`` of the manifest; each shard has a cache of its own."""
        return {"cache": None, **self._usage.to_json()}

    def _in_all(self) -> int:
        return int(self._runs[0].manifest["shard"]["cases_in_all"])

    def _selected(self) -> int:
        """Return how many cases the whole has, those of shards that are missing among them."""
        return self._in_all() - sum(int(run.manifest["cases"]) - run.selected for run in self._runs)

    def _lost(self) -> list[str]:
        return sorted(case for run in self._runs for case in run.summary.get("lost_cases", ()))
