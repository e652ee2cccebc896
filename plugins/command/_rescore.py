"""``retrocypher rescore``: a run's scores and labels made again from its records."""

from pathlib import Path

import click

from kg.errors import InputError
from plugins.command._console import table_console
from plugins.command._json import json_option, print_json
from plugins.parts import spare_collections
from plugins.rescoring import render_rescored, rescore


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
