"""``retrocypher judge``: the queries of a run, judged from its records; or a judge, calibrated."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.cli.bank import part_of
from retrocypher.plugins.cli.console import announcer, json_option, print_json, table_console
from retrocypher.plugins.formatting.text import counted, one_line
from retrocypher.plugins.judge.agreement import agreements, opinions
from retrocypher.plugins.judge.bank import bank_folder, has_bank, load_bank
from retrocypher.plugins.judge.calibration import Bill, judge_identity
from retrocypher.plugins.judge.calibration_run import calibrate
from retrocypher.plugins.judge.stored_calibration import HOME, keep, require_name
from retrocypher.plugins.operations.judge_request import NO_CACHE, judge_request, run_judge
from retrocypher.plugins.operations.judging import INCOMPLETE, judge_run, render_judged
from retrocypher.plugins.reporting.judge_tables import agreement_table, calibration_table
from retrocypher.plugins.runs.files import MANIFEST, no_run
from retrocypher.plugins.runs.log import read_manifest, read_records, read_targets
from retrocypher.prompts.models.prices import load_prices
from retrocypher.prompts.models.spec import ModelSpec

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


_PER_ERROR = 5
_REPEATS = 2
_SAMPLE = Path("tests", "data", "bank")
_EVERY_S = 10.0


def calibrate_judge(
    judge: str,
    rows: int,
    *,
    concurrency: int,
    cache: str | None,
    offline: bool,
    per_error: int | None,
    repeats: int | None,
    seed: int | None,
    bank: Path | None,
    held_out: bool,
    name: str | None,
    as_json: bool,
) -> Mapping[str, int]:
    """Calibrate a judge, keep the calibration on file, and print it.

    It is not kept where the judge could not be asked about some of the queries, nor where it is interrupted;
    the cache has the answers then.

    Args:
        judge: Its model, as ``SPEC`` or ``LABEL=SPEC``.
        rows: Most rows of a result that it is shown.
        concurrency: Calls in flight.
        cache: File that answers are kept in, or ``none``; None for the usual one.
        offline: Whether no other machine is to be reached.
        per_error: How many errors of each label.
        repeats: How often each query is judged.
        seed: Seed of the sample and of the judge.
        bank: Folder of the bank of known errors; None for the cached one, else the sample of a checkout.
        held_out: Whether its part for final figures is taken.
        name: What the calibration is called; None for a name made of judge and criteria.
        as_json: Whether one JSON object is printed.

    Returns:
        How many judgements could not be had, by the kind of error.

    Raises:
        InputError: If the model cannot judge or be started, there is no bank, or the name is none.
    """
    if name is not None:
        require_name(name)
    seed = seed or 0
    request = judge_request(
        judge, rows=rows, concurrency=concurrency, seed=seed, cache=cache, offline=offline
    )
    folder, told = _bank(bank)
    part = part_of(held_out)
    entries = load_bank(part, folder)
    with request.panel() as panel:
        done = calibrate(
            request.spec.label,
            judge_identity(request.to_json()),
            request.criteria,
            panel.judge,
            entries,
            load_questions(),
            bank=f"{part.replace('_', '-')} part of {told}",
            per_error=per_error or _PER_ERROR,
            repeats=repeats or _REPEATS,
            seed=seed,
            progress=_progress(announcer(as_json)),
            begin=lambda bill: announcer(as_json)(_told(bill, request.spec)),
        )
    file = None if done.faults else keep(done.calibration, name, Path.cwd())
    if as_json:
        kept = None if file is None else str(HOME / file.name)
        print_json({**done.calibration.to_json(), "file": kept, "faults": dict(done.faults)})
    else:
        table_console().print(calibration_table(done.calibration))
        click.echo(_closing(file, done.faults))
    return done.faults


def _told(bill: Bill, spec: ModelSpec) -> str:
    price = load_prices().of(spec.argument) if spec.kind == "openai" else None
    tokens = {"prompt": bill.prompt, "completion": bill.completion}
    cost = "" if price is None else f", {price.cost(tokens):.2f} USD at list prices"
    sent, back = round(bill.prompt, -3), round(bill.completion, -3)
    return (
        f"{bill.queries:,} queries, {counted(bill.calls, 'judgement')}: about {sent:,} tokens sent and "
        f"{back:,} back{cost}\nwhat the cache has costs nothing"
    )


def _closing(file: Path | None, faults: Mapping[str, int]) -> str:
    if file is not None:
        return f"kept in {HOME / file.name}; commit it for gates on this judge"
    lacking = counted(sum(faults.values()), "judgement")
    kinds = ", ".join(f"{one_line(kind)} {count:,}" for kind, count in faults.items())
    return f"incomplete, and not kept: {lacking} could not be had ({kinds}); the same command asks again"


def _bank(named: Path | None) -> tuple[Path, str]:
    """Return the folder of the bank to read, and what it is called."""
    if named is not None:
        return named, f"the bank in the folder {named.name}"
    cached = bank_folder(load_questions())
    if not has_bank(cached) and has_bank(_SAMPLE):
        return _SAMPLE, "the sample in tests/data/bank"
    return cached, "the bank"


def _progress(announce: Callable[[str], None]) -> Callable[[int, int], None]:
    told = time.monotonic()

    def progress(done: int, of: int) -> None:
        nonlocal told
        if time.monotonic() - told >= _EVERY_S:
            told = time.monotonic()
            announce(f"{done:,} of {of:,} judgements")

    return progress
