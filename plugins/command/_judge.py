"""``retrocypher judge``: the queries of a run, judged from its records."""

from pathlib import Path

import click

from kg.errors import InputError
from plugins.command._console import table_console
from plugins.command._json import announcer, json_option, print_json
from plugins.judging import judge_request, judge_run, render_judged, run_judge
from plugins.records import read_manifest

_INCOMPLETE = 16
_INTERRUPTED = 130


@click.command("judge")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--judge", metavar="MODEL", help="Model that judges, as SPEC or LABEL=SPEC (default: the run's)."
)
@click.option(
    "--judge-rows",
    type=click.IntRange(0),
    help="Most rows of its result that the judge is shown (default: as in the run, else 0).",
)
@click.option("--concurrency", type=click.IntRange(1), default=8, show_default=True, help="Calls in flight.")
@click.option(
    "--cache", metavar="FILE", help="File that answers are kept in, or none (default: the usual one)."
)
@click.option("--offline", is_flag=True, help="Reach no other machine: answers come from the cache.")
@json_option
def judge_command(
    run: Path,
    judge: str | None,
    judge_rows: int | None,
    concurrency: int,
    cache: str | None,
    offline: bool,
    as_json: bool,
) -> None:
    """Have a model judge the queries of RUN, with and without the reference, and put it on the records.

    Judgements that are on record already are kept, and answers are cached, so the same command goes on after
    an interruption. The exit status is 16 where the judge could not be asked about some cases, else 0.
    """
    manifest = read_manifest(run)
    named = judge or run_judge(manifest)
    if named is None:
        raise InputError(f"{run} has no judge; name one with --judge MODEL")
    rows = (manifest.get("judge") or {}).get("rows", 0) if judge_rows is None else judge_rows
    request = judge_request(
        named,
        rows=rows,
        concurrency=concurrency,
        seed=(manifest.get("options") or {}).get("seed", 0),
        cache=cache,
        offline=offline,
    )
    context = click.get_current_context()
    try:
        done = judge_run(run, request, announcer(as_json))
    except KeyboardInterrupt:
        kept = f"the answers are in {request.cache}" if request.cache else "no answer is kept (--cache none)"
        click.echo(f"interrupted: the records are as they were, and {kept}", err=True)
        context.exit(_INTERRUPTED)
    if as_json:
        print_json(done.to_json())
    else:
        table_console().print(render_judged(done))
    context.exit(_INCOMPLETE if done.faults else 0)
