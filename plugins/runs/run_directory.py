"""The folder a run is written to, line by line as it happens."""

import contextlib
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.runs.files import (
    ALLURE,
    LOCK,
    MANIFEST,
    MESSAGES,
    QUESTIONS,
    RECORDS,
    SUMMARY,
    LineFile,
    RunLock,
    json_line,
    json_page,
    truncate_partial_line,
)
from retrocypher.plugins.runs.manifest import Manifest, conditions_sha256
from retrocypher.plugins.runs.record import JsonValue, fields_of
from retrocypher.plugins.runs.summary import RunSummary

_OURS = frozenset({RECORDS, MESSAGES, QUESTIONS, MANIFEST, SUMMARY, LOCK, ALLURE})
_PARTIAL = ".partial"


class RunDirectory:
    """Writes the files of one run; only one process may hold it.

    Every record is on the disk as it is written, so a killed run keeps what it had.

    Args:
        path: The folder; made if absent. A run that has no record yet starts again.
        resume: Whether the folder holds a run to resume; nothing in it is changed before `resume` is called.

    Raises:
        InputError: Another process holds the folder, it cannot be written to, or a new run would replace
            another run or other files.
    """

    def __init__(self, path: Path, *, resume: bool = False) -> None:
        self.path = path
        self._seen: set[str] = set()
        self._records: LineFile | None = None
        self._messages: LineFile | None = None
        self._conditions: dict[str, str] = {}
        with _understood(path):
            path.mkdir(parents=True, exist_ok=True)
            if not resume and not (path / LOCK).exists():
                _require_room(path)
            self._lock = RunLock(path)
            if not resume:
                self._begin()

    def __enter__(self) -> "RunDirectory":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def resume(self, kept: Iterable[int] | None) -> None:
        """Remove partial lines and records of lines not in `kept`, and open the files to append to them."""
        with _understood(self.path):
            for name in (RECORDS, MESSAGES):
                truncate_partial_line(self.path / name)
            if kept is not None:
                _keep_lines(self.path / RECORDS, frozenset(kept))
            (self.path / SUMMARY).unlink(missing_ok=True)
            self._open()
            self._seen = set(_hashes(self.path / MESSAGES))

    def write_record(self, line: str, messages: Mapping[str, JsonValue]) -> None:
        """Append a record and its new messages, by hash; raise OSError, with all lines whole."""
        if self._records is None or self._messages is None:
            raise ValueError(f"{self.path} is not open")
        for key, value in messages.items():
            if key not in self._seen:
                self._messages.append(json_line({"sha256": key, "messages": value}))
                self._seen.add(key)
        self._records.append(line)

    def begin(self, questions: Iterable[Question], manifest: Manifest | Mapping[str, JsonValue]) -> None:
        """Write or replace questions and manifest; raise InputError if they cannot be written."""
        with _understood(self.path):
            self.write_questions(questions)
            self.write_manifest(manifest)

    def write_questions(self, questions: Iterable[Question]) -> None:
        """Write or replace the questions of the run; raises OSError where they cannot be written."""
        _replace(self.path / QUESTIONS, "".join(json_line(question) + "\n" for question in questions))

    def write_manifest(self, manifest: Manifest | Mapping[str, JsonValue]) -> None:
        """Write or replace the manifest; raises OSError where it cannot be written."""
        page = json_page(manifest)
        self._conditions = {"conditions_sha256": conditions_sha256(json.loads(page))}
        _replace(self.path / MANIFEST, page)

    def write_summary(self, summary: RunSummary | Mapping[str, JsonValue]) -> None:
        """Write or replace the summary, for the manifest written last; raises OSError if that fails."""
        fields = fields_of(summary) if isinstance(summary, RunSummary) else dict(summary)
        _replace(self.path / SUMMARY, json_page({**fields, **self._conditions}))

    def close(self) -> None:
        """Close the files and let go of the folder; harmless when repeated."""
        for file in (self._records, self._messages):
            if file is not None:
                file.close()
        self._lock.release()

    def discard(self) -> None:
        """Remove a run in which no case was run, so that the folder can be used again."""
        _remove_files(self.path)
        self.close()
        for folder in (self.path / ALLURE, self.path):
            with contextlib.suppress(OSError):
                folder.rmdir()

    def _begin(self) -> None:
        try:
            # Once more: it may have been another's until now.
            _require_room(self.path)
            _remove_files(self.path)
            shutil.rmtree(self.path / ALLURE, ignore_errors=True)
            self._open()
        except BaseException:
            self._lock.release()
            raise

    def _open(self) -> None:
        self._records = LineFile(self.path / RECORDS)
        self._messages = LineFile(self.path / MESSAGES)


def _require_room(path: Path) -> None:
    if holds_records(path):
        raise InputError(
            f"--run-dir {path}: holds a run already; name another folder, or remove this one (--fresh does "
            "not replace a run)"
        )
    there = {entry.name for entry in path.iterdir() if entry.suffix != _PARTIAL}
    if there - _OURS or (there and not there & {RECORDS, LOCK}):
        raise InputError(f"--run-dir {path}: holds other files; name a new or an empty folder")


def _remove_files(path: Path) -> None:
    for name in (RECORDS, MESSAGES, QUESTIONS, MANIFEST, SUMMARY):
        (path / name).unlink(missing_ok=True)
        (path / name).with_suffix(_PARTIAL).unlink(missing_ok=True)


def holds_records(path: Path) -> bool:
    """Tell whether a folder holds a run with a record; raise InputError if that cannot be told."""
    try:
        with (path / RECORDS).open("rb") as file:
            return file.readline().endswith(b"\n")
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); name another folder") from error


def new_run_path(reports: Path, labels: Iterable[str], now: datetime) -> Path:
    """Return a new path for a run directory: time, then the models' labels."""
    name = f"{now:%Y%m%d-%H%M%S}-{'+'.join(labels)[:80].replace('/', '_')}"
    path = reports / name
    number = 2
    while path.exists():
        path = reports / f"{name}-{number}"
        number += 1
    return path


@contextlib.contextmanager
def _understood(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"--run-dir {path}: cannot be written to ({error.strerror}); name a writable folder"
        ) from error


def _keep_lines(path: Path, kept: frozenset[int]) -> None:
    partial = path.with_suffix(_PARTIAL)
    try:
        with path.open("rb") as lines, partial.open("wb") as file:
            file.writelines(line for number, line in enumerate(lines, 1) if number in kept)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
    partial.replace(path)


def _hashes(path: Path) -> Iterator[str]:
    with path.open("rb") as lines:
        for line in lines:
            yield json.loads(line)["sha256"]


def _replace(path: Path, text: str) -> None:
    partial = path.with_suffix(_PARTIAL)
    try:
        partial.write_text(text, encoding="utf-8")
    except OSError:
        # On a full disk its part would take the room that others need.
        partial.unlink(missing_ok=True)
        raise
    partial.replace(path)
