"""``retrocypher judge``: the queries of a run, judged from its records; or a judge, calibrated."""

from pathlib import Path
from typing import Any

import click

from kg.errors import InputError
from plugins.agreement import agreement_table, agreements, opinions
from plugins.command._console import table_console
from plugins.command._json import announcer, json_option, print_json
from plugins.judging import INCOMPLETE, NO_CACHE, judge_request, judge_run, render_judged, run_judge
from plugins.records import MANIFEST, no_run, read_manifest, read_records, read_targets

_INTERRUPTED = 130


@click.command("judge")
@click.argument("run", type=click.Path(path_type=Path), required=False)
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
@click.option("--replace", is_flag=True, help="Judge all anew, in the place of judgements on record.")
@click.option(
    "--calibrate", is_flag=True, help="Judge no RUN, but queries of which it is known whether they are right."
)
@click.option("--per-error", type=click.IntRange(1), help="Errors of each label (default: 5).")
@click.option("--repeats", type=click.IntRange(1), help="How often each query is judged (default: 2).")
@click.option("--seed", type=click.IntRange(0), help="Seed of the sample and of the judge (default: 0).")
@click.option(
    "--bank",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Bank of known errors (default: the cached one, else tests/data/bank).",
)
@click.option("--held-out", is_flag=True, help="Take the part of it that is set aside for final figures.")
@click.option("--name", help="What the calibration is called (default: the judge's label and criteria).")
@json_option
def judge_command(
    run: Path | None,
    judge: str | None,
    judge_rows: int | None,
    concurrency: int,
    cache: str | None,
    offline: bool,
    replace: bool,
    calibrate: bool,
    as_json: bool,
    **sampling: Any,
) -> None:
    """Have a model judge the queries of RUN, with and without the reference, and put it on the records.

    Judgements that are on record already are kept, and answers are cached, so the same command goes on after
    an interruption. Those of another judge are replaced with --replace alone, and once all new ones are had.
    With --calibrate it judges queries of which it is known whether they are right, and keeps what comes of
    that in reports/calibrations. The exit status is 16 where the judge could not be asked about some cases,
    else 0.
    """
    asked: dict[str, Any] = {"concurrency": concurrency, "cache": cache, "offline": offline}
    context = click.get_current_context()
    if calibrate:
        if run is not None:
            raise InputError(f"{run}: --calibrate judges no run; leave out one of the two")
        if replace:
            raise InputError("--replace goes with a run; leave it out with --calibrate")
        if judge is None:
            raise InputError("--calibrate needs a judge; name one with --judge MODEL")
        from plugins.command._judge_calibrate import calibrate_judge

        try:
            faults = calibrate_judge(judge, judge_rows or 0, as_json=as_json, **asked, **sampling)
        except KeyboardInterrupt:
            click.echo(f"interrupted: no calibration is kept{_answered(cache)}", err=True)
            context.exit(_INTERRUPTED)
        context.exit(INCOMPLETE if faults else 0)
    if run is None:
        raise InputError("name the folder of a run, or give --calibrate")
    if given := [name for name, value in sampling.items() if value is not None and value is not False]:
        raise InputError(f"--{given[0].replace('_', '-')} goes with --calibrate; leave it out, or give both")
    manifest = read_manifest(run)
    if not manifest:
        raise no_run(run, MANIFEST)
    named = judge or run_judge(manifest)
    if named is None:
        raise InputError(f"{run} has no judge; name one with --judge MODEL")
    rows = (manifest.get("judge") or {}).get("rows", 0) if judge_rows is None else judge_rows
    request = judge_request(
        named,
        rows=rows,
        seed=(manifest.get("options") or {}).get("seed", 0),
        **asked,
    )
    try:
        done = judge_run(run, request, announcer(as_json), replace=replace)
    except KeyboardInterrupt:
        kept = f"the answers are in {request.cache}" if request.cache else "no answer is kept (--cache none)"
        click.echo(f"interrupted: the records are as they were, and {kept}", err=True)
        context.exit(_INTERRUPTED)
    # Where nothing was replaced, the records have another judge's.
    found = agreements(opinions(read_records(run), read_targets(run))) if done.written else []
    if as_json:
        print_json({**done.to_json(), "agreement": [each.to_json() for each in found]})
    else:
        table_console().print(render_judged(done))
        if done.written:
            table_console().print(agreement_table(found))
    context.exit(INCOMPLETE if done.faults else 0)


def _answered(cache: str | None) -> str:
    return "" if cache == NO_CACHE else "; what was answered is in the cache, and the same command goes on"
