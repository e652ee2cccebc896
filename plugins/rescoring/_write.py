"""Where the new records go: a folder of their own, or the run's."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from kg.errors import InputError
from plugins.records import MESSAGES, QUESTIONS, RECORDS, RunDirectory, code_facts

_CHECKOUT = Path(__file__).parents[2]
_PARTIAL = ".partial"


@dataclass(frozen=True, slots=True)
class Written:
    """Records in the course of being written.

    Attributes:
        path: The folder of the run that they will be in.
        records: Where their lines go.
    """

    path: Path
    records: IO[bytes]
    _run: Path
    _folder: RunDirectory

    def finish(
        self,
        manifest: Mapping[str, Any],
        summary: Mapping[str, Any],
        *,
        told_as: str = "rescored_from",
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """Put the records in their place, with manifest and summary; all lines are there.

        Args:
            manifest: The manifest of the run; it is told where the records are from.
            summary: The new summary.
            told_as: The name under which it is told.
            more: What else is told there.
        """
        self.records.close()
        origin = {
            "run": str(self._run.resolve()),
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            **code_facts(_CHECKOUT),
        }
        folder = self._folder.path
        # Records before the rest: scored again once more, a run that was cut off here is whole.
        Path(self.records.name).replace(folder / RECORDS)
        self._folder.write_manifest({**manifest, told_as: {**origin, **(more or {})}})
        self._folder.write_summary(summary)


@contextmanager
def write_beside(run: Path, out: Path) -> Iterator[Written]:
    """Write a new run directory; nothing is there unless all goes well.

    Args:
        run: The run that is scored again.
        out: The folder; it must be new or empty.

    Raises:
        InputError: If it holds anything, or cannot be written to.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"--out {out}: holds other files; name a new or an empty folder")
    unfinished = out.with_name(f".{out.name}{_PARTIAL}")
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        with RunDirectory(unfinished) as folder, _records(unfinished) as records:
            yield Written(out, records, run, folder)
        for name in (QUESTIONS, MESSAGES):
            if (run / name).is_file():
                shutil.copyfile(run / name, unfinished / name)
        unfinished.rename(out)
    except OSError as error:
        raise InputError(f"--out {out}: cannot be written ({error.strerror}); name another folder") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


@contextmanager
def write_in_place(run: Path) -> Iterator[Written]:
    """Replace records, manifest and summary of a run, once all goes well; no other process may write it.

    Args:
        run: The run directory.

    Raises:
        InputError: If another process holds it, or it cannot be written to.
    """
    partial = (run / RECORDS).with_suffix(_PARTIAL)
    try:
        with RunDirectory(run, go_on=True) as folder, partial.open("wb") as records:
            yield Written(run, records, run, folder)
    except OSError as error:
        raise InputError(
            f"{run}: cannot be written ({error.strerror}); write to another folder with --out"
        ) from error
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def _records(folder: Path) -> Iterator[IO[bytes]]:
    with (folder / RECORDS).with_suffix(_PARTIAL).open("wb") as records:
        yield records
