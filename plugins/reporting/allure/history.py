"""What earlier runs gave, case by case: one line of JSON a run, in Allure's own form."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from retrocypher.kg.errors import InputError

HISTORY = "allure-history.jsonl"
KEPT = 20
"""How many runs a history keeps; the newest."""


@dataclass(frozen=True, slots=True)
class History:
    """A history file.

    A run has one place in it, by the time it began and not by when its page was drawn: a page that is drawn
    again changes nothing, and the page of an older run shows what was before that run.

    Attributes:
        file: The file; it need not exist.
    """

    file: Path

    def before(self, when: int) -> list[dict[str, Any]]:
        """Return the points of the runs that began before a time.

        Args:
            when: Milliseconds of the epoch.

        Raises:
            InputError: If the file is not such a history.
        """
        return [point for point in self._read() if point["timestamp"] < when]

    def add(self, point: dict[str, Any], when: int) -> int:
        """Put a run into its place, and return how many runs the history has then.

        Args:
            point: What Allure wrote of the run.
            when: When the run began, in milliseconds of the epoch.

        Raises:
            InputError: If the file is not such a history, or cannot be written.
        """
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            lock = self.file.with_suffix(".lock")
            # Where a lock cannot be written, waiting for it would not end.
            lock.touch()
            with FileLock(lock):
                others = [each for each in self._read() if not _same(each, point, when)]
                points = sorted([*others, _slim(point, when)], key=_time)[-KEPT:]
                partial = self.file.with_suffix(".partial")
                partial.write_text(lines_of(points), encoding="utf-8")
                partial.replace(self.file)
        except OSError as error:
            raise InputError(f"{self.file}: cannot be written ({error.strerror})") from error
        return len(points)

    def _read(self) -> list[dict[str, Any]]:
        if not self.file.is_file():
            return []
        points = []
        for number, line in enumerate(self.file.read_text(encoding="utf-8").splitlines(), 1):
            try:
                point = json.loads(line)
                points.append({**point, "timestamp": int(point["timestamp"]), "name": str(point["name"])})
            except (ValueError, TypeError, KeyError) as error:
                raise InputError(
                    f"{self.file}, line {number}: no history of Allure; remove the file to begin a new one"
                ) from error
        return points


def lines_of(points: Sequence[dict[str, Any]]) -> str:
    """Return points in the form that Allure reads."""
    return "".join(json.dumps(point, ensure_ascii=False) + os.linesep for point in points)


def _same(one: dict[str, Any], other: dict[str, Any], when: int) -> bool:
    return bool(one["name"] == other["name"] and one["timestamp"] == when)


def _time(point: dict[str, Any]) -> int:
    return int(point["timestamp"])


def _slim(point: dict[str, Any], when: int) -> dict[str, Any]:
    """Leave out what the pages of later runs do not show: it is in the page and the records of this one."""
    results = {
        case: {
            **result,
            "message": (result.get("message") or "").split("\n", 1)[0],
            "trace": "",
            "labels": [],
        }
        for case, result in point["testResults"].items()
    }
    return {**point, "timestamp": when, "testResults": results}
