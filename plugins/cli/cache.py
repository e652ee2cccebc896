"""``retrocypher cache``: what the cache of answers holds, and moving and removing it."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click
from rich import box
from rich.table import Table

from retrocypher.kg.errors import InputError
from retrocypher.plugins.cli.console import age, json_option, print_json, size, table_console
from retrocypher.plugins.formatting.text import counted, sized
from retrocypher.prompts.models.cache_files import (
    Conflict,
    default_file,
    export,
    import_answers,
    prune,
    stats,
)

_SHOWN = 10
F = TypeVar("F", bound=Callable[..., Any])


def _common(command: F) -> F:
    """Add the options that all of these commands take."""
    file = click.option(
        "--cache",
        type=click.Path(path_type=Path),
        help="File of the cache; else the one in the cache folder.",
    )
    return file(json_option(command))


@click.command("stats")
@_common
def cache_stats_command(cache: Path | None, as_json: bool) -> None:
    """Print what the cache holds, by model."""
    found = stats(_file(cache))
    if as_json:
        print_json(found.to_json())
        return
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("model", "API"):
        table.add_column(heading, overflow="fold")
    for heading in ("answers", "tokens", "oldest", "newest"):
        table.add_column(heading, justify="right", no_wrap=True)
    for model in found.models:
        table.add_row(
            model.model,
            model.api or "this machine",
            f"{model.answers:,}",
            f"{model.prompt_tokens + model.completion_tokens:,}",
            model.oldest[:10],
            model.newest[:10],
        )
    if found.models:
        table_console().print(table)
    click.echo(f"{found.file}: {counted(found.answers, 'answer')}, {sized(found.bytes)}")


@click.command("prune")
@click.option("--older-than", type=age, help="Remove answers older than this: 12h, 30d, 8w.")
@click.option("--model", multiple=True, help="Remove answers of this model only, as `stats` names it.")
@click.option("--to-size", type=size, help="Remove the oldest until the file is no larger: 500KB, 2GB.")
@_common
def cache_prune_command(
    older_than: Any, model: tuple[str, ...], to_size: int | None, cache: Path | None, as_json: bool
) -> None:
    """Remove answers that are old, of a model, or too many."""
    if older_than is None and not model and to_size is None:
        raise InputError("cache prune: say what to remove, with --older-than, --model or --to-size.")
    before = None if older_than is None else datetime.now(UTC) - older_than
    done = prune(_file(cache), before=before, models=model, to_bytes=to_size)
    if as_json:
        print_json(asdict(done))
        return
    click.echo(
        f"{counted(done.removed, 'answer')} removed, {done.left:,} left; "
        f"{sized(done.bytes_before)} before, {sized(done.bytes_after)} now"
    )


@click.command("export")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--model", multiple=True, help="Answers of this model only, as `stats` names it.")
@_common
def cache_export_command(file: Path, model: tuple[str, ...], cache: Path | None, as_json: bool) -> None:
    """Write the answers to FILE as lines of JSON; compressed where its name ends in .gz."""
    count = export(_file(cache), file, models=model)
    if as_json:
        print_json({"file": str(file), "answers": count, "bytes": file.stat().st_size})
        return
    click.echo(f"{counted(count, 'answer')} written to {file}, {sized(file.stat().st_size)}")


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@_common
def cache_import_command(files: tuple[Path, ...], cache: Path | None, as_json: bool) -> None:
    """Add the answers of FILES, which `cache export` wrote; what is there already stays."""
    done = import_answers(_file(cache), files)
    if as_json:
        conflicts = [asdict(conflict) for conflict in done.conflicts]
        print_json({"added": done.added, "known": done.known, "conflicts": conflicts})
        return
    click.echo(f"{counted(done.added, 'answer')} added, {done.known:,} there already")
    if done.conflicts:
        differ = "differs" if len(done.conflicts) == 1 else "differ"
        click.echo(
            f"{counted(len(done.conflicts), 'answer')} {differ} from those that are there, which stay:"
        )
        for conflict in done.conflicts[:_SHOWN]:
            click.echo(_in_words(conflict))
        if (more := len(done.conflicts) - _SHOWN) > 0:
            click.echo(f"  and {more:,} more (--json has them all)")


def _in_words(conflict: Conflict) -> str:
    return (
        f"  {conflict.file}, line {conflict.line}: {conflict.model}, request {conflict.key[:12]}, "
        f"answered {conflict.refused_made} there and {conflict.kept_made} here"
    )


def _file(cache: Path | None) -> Path:
    return cache.expanduser().absolute() if cache else default_file()
