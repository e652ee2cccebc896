"""``retrocypher merge``: shards into the run they are parts of."""

from pathlib import Path

import click

from retrocypher.kg.errors import InputError
from retrocypher.plugins.cli.console import json_option, print_json, table_console
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.operations.merge import Merged, merge
from retrocypher.plugins.operations.rescore import render_rescored, rescore
from retrocypher.plugins.runs.parallel import spare_collections


@click.command("merge")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--into", required=True, type=click.Path(path_type=Path), help="Folder of the merged run.")
@click.option("--partial", is_flag=True, help="Merge what there is, though shards or cases are missing.")
@json_option
def merge_command(runs: tuple[Path, ...], into: Path, partial: bool, as_json: bool) -> None:
    """Join RUNS, the shards of a run (--shard i/n), into one run directory."""
    done = merge(runs, into, partial=partial)
    if as_json:
        print_json(_as_json(done))
        return
    cases = done.summary["cases"]
    shards = counted(done.runs[0].shard.of, "shard")
    click.echo(f"{len(done.runs)} of {shards}, {counted(cases, 'case')}: {done.path}")
    for line in done.missing:
        click.echo(f"incomplete: {line}")
    click.echo(f"table: retrocypher summary {done.path}")


def _as_json(done: Merged) -> dict[str, object]:
    return {
        "into": str(done.path),
        "of": done.runs[0].shard.of,
        "shards": [{"run": str(run.path), "number": run.shard.number} for run in done.runs],
        "cases": done.summary["cases"],
        "failed": done.summary["failed"],
        "infrastructure_errors": done.summary["infrastructure_errors"],
        "missing": list(done.missing),
        "allure_results": done.allure_results,
    }


@click.command("rescore")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Write a new run directory with the new scores.")
@click.option("--in-place", is_flag=True, help="Replace records, summary and manifest of the run itself.")
@click.option(
    "--case-threshold",
    type=click.FloatRange(0, 1),
    help="F1 under which a case fails (default: as in the run).",
)
@click.option(
    "--key-encoder",
    metavar="NAME@T",
    help="Encoder stage of key matching, or none (default: as in the run).",
)
@click.option("--workers", type=click.IntRange(1), help="Processes (default: one for each core).")
@json_option
def rescore_command(
    run: Path,
    out: Path | None,
    in_place: bool,
    case_threshold: float | None,
    key_encoder: str | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Score RUN again from its records, labels too, and say what changed; writes only where told to.

    The exit status is 0 whatever changed.
    """
    if out is not None and in_place:
        raise InputError("--out and --in-place: the scores go to one place; leave out one of the two")
    spare_collections()
    done = rescore(
        run,
        out=out,
        in_place=in_place,
        threshold=case_threshold,
        key_encoder=key_encoder,
        workers=workers,
    )
    if as_json:
        print_json(done.to_json())
    else:
        table_console().print(render_rescored(done))
