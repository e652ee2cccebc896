"""Where the answers of a run are kept, and how many came from there."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.records import asked_a_model, had_before
from plugins.session._options import Options
from prompts.answers import default_file
from prompts.models import TEXT_KINDS, ModelSpec

NONE = "none"


def answers_file(options: Options, specs: Sequence[ModelSpec]) -> Path | None:
    """Return the file of the run's answer cache; None where no answer is to be kept.

    Args:
        options: What the user asked for.
        specs: The models of the run, those that play roles in its loops among them.

    Raises:
        InputError: If there can be no folder for it, or none is wanted where there is nobody to ask.
    """
    if not any(spec.kind in TEXT_KINDS for spec in specs):
        return None
    if options.cache == NONE:
        if options.offline:
            raise InputError("--offline --cache none: then there are no answers. Leave out one of the two.")
        return None
    return Path(options.cache).expanduser().absolute() if options.cache else default_file()


@dataclass(slots=True)
class AnswerCount:
    """How often models that read messages were asked.

    Attributes:
        asked: Answers that were asked for.
        from_cache: Answers that were had before.
    """

    asked: int = 0
    from_cache: int = 0

    def add(self, record: Mapping[str, Any]) -> None:
        """Count the rounds of a record in."""
        for turn in record["rounds"]:
            if asked_a_model(turn):
                self._add(had_before(turn))

    def add_once(self, made: Iterable[Mapping[str, Any]]) -> None:
        """Count in what was made once for the run."""
        for each in made:
            self._add(each["cached"])

    def line(self, cache: Path | None) -> str:
        """Return the count in words; empty where nothing was asked for.

        Args:
            cache: File of the cache; None without one.
        """
        if not self.asked and not self.from_cache:
            return ""
        kept = f", {self.from_cache:,} from the cache" if cache else ", none kept (--cache none)"
        return f"answers: {self.asked:,} asked{kept}"

    def _add(self, cached: bool) -> None:
        self.asked += not cached
        self.from_cache += cached
