"""A session of the suite, run as a user does: a pytest of its own, in the checkout."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Ran:
    """A session that ended."""

    status: int
    output: str
    run: Path

    @property
    def records(self) -> dict[str, dict[str, Any]]:
        """Records by case."""
        lines = (self.run / "records.jsonl").read_text().splitlines()
        records = [json.loads(line) for line in lines]
        assert len({record["case_id"] for record in records}) == len(records)
        return {record["case_id"]: record for record in records}

    @property
    def summary(self) -> dict[str, Any]:
        """The summary."""
        found: dict[str, Any] = json.loads((self.run / "summary.json").read_text())
        return found


Suite = Callable[..., Ran]
