"""The folder a run is written to, line by line as it happens."""

import contextlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from kg.errors import InputError
from plugins.records._files import ALLURE, MANIFEST, MESSAGES, QUESTIONS, RECORDS, SUMMARY
from plugins.records._json_line import json_line, json_page


class RunDirectory:
    """Writes the files of one run; only one process may hold it.

    Every record is flushed as it is written, so a killed run keeps what it had.

    Args:
        path: The folder; made if absent.

    Raises:
        InputError: If the folder is not empty, or cannot be written to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            if (path / RECORDS).exists():
                raise InputError(
                    f"--run-dir {path}: holds a run already; name another folder, or remove this one"
                )
            if any(path.iterdir()):
                raise InputError(f"--run-dir {path}: holds other files; name a new or an empty folder")
            self._records: TextIO = (path / RECORDS).open("x", encoding="utf-8")
            self._messages: TextIO = (path / MESSAGES).open("w", encoding="utf-8")
        except OSError as error:
            raise InputError(
                f"--run-dir {path}: cannot be written to ({error.strerror}); name a folder that can"
            ) from error
        self._seen: set[str] = set()

    def __enter__(self) -> "RunDirectory":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def write_record(self, line: str, messages: Mapping[str, Any]) -> None:
        """Append a record, and those of its messages that were not written yet.

        Args:
            line: The record as one line of JSON.
            messages: The record's messages by their hash.
        """
        for key, value in messages.items():
            if key not in self._seen:
                self._seen.add(key)
                self._messages.write(json_line({"sha256": key, "messages": value}) + "\n")
        self._messages.flush()
        self._records.write(line + "\n")
        self._records.flush()

    def write_questions(self, questions: Iterable[Mapping[str, Any]]) -> None:
        """Write the questions of the run."""
        with (self.path / QUESTIONS).open("w", encoding="utf-8") as file:
            file.writelines(json_line(question) + "\n" for question in questions)

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Write or replace the manifest."""
        _replace(self.path / MANIFEST, manifest)

    def write_summary(self, summary: Mapping[str, Any]) -> None:
        """Write or replace the summary."""
        _replace(self.path / SUMMARY, summary)

    def close(self) -> None:
        """Close the files."""
        self._records.close()
        self._messages.close()

    def discard(self) -> None:
        """Remove a run in which no case was run, so that the folder can be used again."""
        self.close()
        for name in (RECORDS, MESSAGES, QUESTIONS, MANIFEST, SUMMARY):
            (self.path / name).unlink(missing_ok=True)
        for folder in (self.path / ALLURE, self.path):
            with contextlib.suppress(OSError):
                folder.rmdir()


def new_run_path(reports: Path, labels: Iterable[str], now: datetime) -> Path:
    """Return the path of a run directory that does not exist yet: time, then the models' labels.

    Args:
        reports: The folder that holds runs.
        labels: Labels of the run's models.
        now: The time of the run.
    """
    name = f"{now:%Y%m%d-%H%M%S}-{'+'.join(labels)[:80].replace('/', '_')}"
    path = reports / name
    number = 2
    while path.exists():
        path = reports / f"{name}-{number}"
        number += 1
    return path


def _replace(path: Path, value: Mapping[str, Any]) -> None:
    partial = path.with_suffix(".partial")
    partial.write_text(json_page(value), encoding="utf-8")
    partial.replace(path)
