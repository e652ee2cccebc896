"""Where the answers of a run are kept, and how many came from there."""

from collections.abc import Sequence
from pathlib import Path

from kg.errors import InputError
from plugins.session._options import Options
from plugins.usage import Usage
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
    replayed = options.offline and bool(options.replay)
    if options.cache == NONE:
        if options.offline and not replayed:
            raise InputError("--offline --cache none: then there are no answers. Leave out one of the two.")
        return None
    if options.cache:
        return Path(options.cache).expanduser().absolute()
    # The runs that are replayed may have all answers.
    return None if replayed and not default_file().is_file() else default_file()


def answers_line(usage: Usage, cache: Path | None, replayed: bool = False) -> str:
    """Return in words how many answers a run asked for; empty where it asked for none.

    Args:
        usage: What was asked for.
        cache: File of the cache; None without one.
        replayed: Whether answers come from the records of runs, too.
    """
    if not usage.asked and not usage.from_cache:
        return ""
    kept = f", {usage.from_cache:,} from the cache" if cache else ", none kept (--cache none)"
    if replayed:
        kept = f", {usage.from_cache:,} had before"
    return f"answers: {usage.asked:,} asked{kept}"
