"""``retrocypher cache``: shows, prunes, exports and imports cached responses."""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import click
from rich import box
from rich.table import Table

from retrocypher.kg.errors import InputError
from retrocypher.plugins.cli.console import PATH, emit, json_option, print_json, table_console
from retrocypher.plugins.formatting.text import counted, sized
from retrocypher.prompts.models.cache_files import (
    Conflict,
    default_file,
    export,
    import_responses,
    prune,
    stats,
)

_SHOWN = 10
_HOURS = {"h": 1, "d": 24, "w": 168}
_BYTES = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9}
_AMOUNT = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s*([A-Za-z]+)")
_LONGEST_H = 1_000 * 365 * 24
F = TypeVar("F", bound=Callable[..., Any])


def age(text: str) -> timedelta:
    """Return an age such as ``30d``; raises BadParameter if it is none, or over 1,000 years."""
    hours = _amount(text, _HOURS)
    if hours is None or hours > _LONGEST_H:
        raise click.BadParameter(f"{text}: give a number of hours, days or weeks, such as 12h, 30d, 8w")
    return timedelta(hours=hours)


def size(text: str) -> int:
    """Return a size such as ``200MB`` in bytes; raises BadParameter if it is none."""
    number = _amount(text, _BYTES)
    if number is None:
        raise click.BadParameter(f"{text}: give a number of B, KB, MB or GB, such as 200MB")
    return round(number)


def _amount(text: str, units: Mapping[str, int]) -> float | None:
    match = _AMOUNT.fullmatch(text.strip())
    factor = units.get(match[2].lower()) if match else None
    return float(match[1]) * factor if match and factor else None


def _common(command: F) -> F:
    file = click.option(
        "--cache", type=PATH, help="File of the cache (default: the one in the cache folder)."
    )
    return file(json_option(command))


@click.command("stats")
@_common
def cache_stats_command(cache: Path | None, as_json: bool) -> None:
    """Print the number of cached responses, by model."""
    cache_stats = stats(_file(cache))
    if as_json:
        print_json(cache_stats)
        return
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("model", "API"):
        table.add_column(heading, overflow="fold")
    for heading in ("responses", "tokens", "oldest", "newest"):
        table.add_column(heading, justify="right", no_wrap=True)
    for model in cache_stats.models:
        table.add_row(
            model.model,
            model.api or "this machine",
            f"{model.answers:,}",
            f"{model.prompt_tokens + model.completion_tokens:,}",
            model.oldest[:10],
            model.newest[:10],
        )
    if cache_stats.models:
        table_console().print(table)
    click.echo(f"{cache_stats.file}: {counted(cache_stats.answers, 'response')}, {sized(cache_stats.bytes)}")


@click.command("prune")
@click.option("--older-than", type=age, help="Remove responses older than this: 12h, 30d, 8w.")
@click.option("--model", multiple=True, help="Remove responses of this model only, as named by `stats`.")
@click.option("--to-size", type=size, help="Remove the oldest until the file is this small: 500KB, 2GB.")
@_common
def cache_prune_command(
    older_than: Any, model: tuple[str, ...], to_size: int | None, cache: Path | None, as_json: bool
) -> None:
    """Remove cached responses that are old, of a model, or too many."""
    if older_than is None and not model and to_size is None:
        raise InputError("cache prune: name what to remove, with --older-than, --model or --to-size.")
    before = None if older_than is None else datetime.now(UTC) - older_than
    done = prune(_file(cache), before=before, models=model, to_bytes=to_size)
    removed = f"{counted(done.removed, 'response')} removed, {done.left:,} left"
    sizes = f"{sized(done.bytes_before)} before, {sized(done.bytes_after)} now"
    emit(as_json, asdict(done), f"{removed}; {sizes}")


@click.command("export")
@click.argument("file", type=PATH)
@click.option("--model", multiple=True, help="Responses of this model only, as named by `stats`.")
@_common
def cache_export_command(file: Path, model: tuple[str, ...], cache: Path | None, as_json: bool) -> None:
    """Write the cached responses to FILE as lines of JSON; compressed if its name ends in .gz."""
    count = export(_file(cache), file, models=model)
    size = file.stat().st_size
    value = {"file": str(file), "answers": count, "bytes": size}
    emit(as_json, value, f"{counted(count, 'response')} written to {file}, {sized(size)}")


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=PATH)
@_common
def cache_import_command(files: tuple[Path, ...], cache: Path | None, as_json: bool) -> None:
    """Add the responses in FILES, written by `cache export`; responses already in the cache stay."""
    done = import_responses(_file(cache), files)
    conflicts = done.conflicts
    lines = [f"{counted(done.added, 'response')} added, {done.known:,} in the cache already"]
    if conflicts:
        differ = "differs" if len(conflicts) == 1 else "differ"
        lines.append(f"{counted(len(conflicts), 'response')} {differ} from the cached ones, which stay:")
        lines += map(_in_words, conflicts[:_SHOWN])
    if (more := len(conflicts) - _SHOWN) > 0:
        lines.append(f"  and {more:,} more (--json has them all)")
    value = {"added": done.added, "known": done.known, "conflicts": [asdict(each) for each in conflicts]}
    emit(as_json, value, *lines)


def _in_words(conflict: Conflict) -> str:
    return (
        f"  {conflict.file}, line {conflict.line}: {conflict.model}, request {conflict.key[:12]}, "
        f"answered {conflict.refused_made} there and {conflict.kept_made} in the cache"
    )


def _file(cache: Path | None) -> Path:
    return cache.expanduser().absolute() if cache else default_file()
