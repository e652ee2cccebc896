"""A cache made ready before a run, while nothing has been paid for yet."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from kg.paths import cache_dir
from prompts.answers._connect import connect, connect_to_read
from prompts.answers._faults import fault, told
from prompts.answers._kept import stamp

_FILE = "answers.sqlite"


def default_file() -> Path:
    """Return where answers are kept unless told otherwise.

    Raises:
        AnswerCacheError: If there can be no folder for it.
    """
    try:
        return cache_dir() / _FILE
    except OSError as error:
        raise fault(
            Path(error.filename or "", _FILE),
            f"cannot be made ({error.strerror})",
            "Name a folder that can be written to with RETROCYPHER_CACHE",
        ) from error


def prepare(path: Path, *, read_only: bool = False) -> int:
    """Make sure that a cache can be used, and return how many answers it holds.

    It is read through once, and written to: what is wrong with it is to be known before a model is asked.

    Args:
        path: Its file; made if absent, unless it is only read.
        read_only: Whether nothing is to be kept.

    Raises:
        AnswerCacheError: If it cannot be used, with the reason and a remedy.
    """
    with told(path), closing(connect_to_read(path) if read_only else connect(path)) as connection:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            reason = " ".join(str(found).split())[:200]
            raise fault(path, f"is damaged ({reason})", "Move it away and import an export of it")
        if not read_only:
            now = stamp(datetime.now(UTC))
            connection.execute("INSERT OR REPLACE INTO opened VALUES (1, ?)", (now,))
        (count,) = connection.execute("SELECT count(*) FROM answers").fetchone()
        return int(count)
