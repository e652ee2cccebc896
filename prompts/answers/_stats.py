"""What a cache holds."""

from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from prompts.answers._connect import connect_to_read
from prompts.answers._faults import told
from prompts.answers._kept import SCHEMA_VERSION
from prompts.answers._prepare import prepare

_BY_MODEL = """
SELECT model, api, count(*),
    coalesce(sum(json_extract(answer, '$.tokens.prompt')), 0),
    coalesce(sum(json_extract(answer, '$.tokens.completion')), 0),
    sum(json_extract(answer, '$.time_s')), min(made), max(made)
FROM answers GROUP BY model, api ORDER BY count(*) DESC, model, api
"""


@dataclass(frozen=True, slots=True)
class ModelStats:
    """The answers of one model in a cache.

    Attributes:
        model: As in `Identity`.
        api: As in `Identity`.
        answers: How many there are.
        prompt_tokens: Tokens that were sent for them, as far as told.
        completion_tokens: Tokens that came back, as far as told.
        seconds: Time that their calls took.
        oldest: When the first was made, UTC.
        newest: When the last was made, UTC.
    """

    model: str
    api: str
    answers: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    oldest: str
    newest: str


@dataclass(frozen=True, slots=True)
class Stats:
    """What a cache holds.

    Attributes:
        file: Its file.
        bytes: Size of the file and what SQLite writes beside it.
        models: Its models, the one with most answers first.
    """

    file: Path
    bytes: int
    models: tuple[ModelStats, ...]

    @property
    def answers(self) -> int:
        """How many answers there are."""
        return sum(model.answers for model in self.models)

    def to_json(self) -> dict[str, Any]:
        """Return the figures as one JSON object."""
        models = [asdict(model) for model in self.models]
        dates = [date for model in self.models for date in (model.oldest, model.newest)]
        return {
            "file": str(self.file),
            "schema_version": SCHEMA_VERSION,
            "bytes": self.bytes,
            "answers": self.answers,
            "oldest": min(dates, default=None),
            "newest": max(dates, default=None),
            "models": models,
        }


def stats(path: Path) -> Stats:
    """Return what a cache holds; changes nothing.

    Raises:
        AnswerCacheError: If it cannot be read.
    """
    prepare(path, read_only=True)
    with told(path), closing(connect_to_read(path)) as connection:
        models = tuple(ModelStats(*row) for row in connection.execute(_BY_MODEL))
    return Stats(path, size_of(path), models)


def size_of(path: Path) -> int:
    """Return the bytes of a cache: its file, and the log of what is not in it yet."""
    log = path.with_name(path.name + "-wal")
    return path.stat().st_size + (log.stat().st_size if log.exists() else 0)
