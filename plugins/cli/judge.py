"""``retrocypher judge``: judges the queries of a run from its records, or calibrates a judge."""

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from msgspec import UNSET
from rich.console import Group, RenderableType
from rich.text import Text

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.cli.bank import part_of
from retrocypher.plugins.cli.console import FOLDER, PATH, json_option, needs, print_json, table_console
from retrocypher.plugins.cli.suite_option import suite_option
from retrocypher.plugins.formatting.text import counted, one_line, usd
from retrocypher.plugins.judge.agreement import agreements, all_ratings
from retrocypher.plugins.judge.bank import bank_folder, has_bank, load_bank
from retrocypher.plugins.judge.calibration import CostEstimate
from retrocypher.plugins.judge.calibration_run import Calibrated, calibrate
from retrocypher.plugins.judge.stored_calibration import HOME, judge_identity, keep, require_name
from retrocypher.plugins.operations.judging import (
    INCOMPLETE,
    JUDGED_RUN_METRICS,
    JudgedRun,
    judge_request,
    judge_run,
    named_judge,
)
from retrocypher.plugins.reporting.judge_tables import agreement_table, calibration_table
from retrocypher.plugins.reporting.run_tables import counted_table
from retrocypher.plugins.runs.files import MANIFEST, no_run
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import VARIANTS, fields_of
from retrocypher.plugins.runs.summary import VariantSummary
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.prompts.models.cache_files import NO_CACHE
from retrocypher.prompts.models.prices import load_prices
from retrocypher.prompts.models.spec import ModelSpec

_logger = logging.getLogger(__name__)

_INTERRUPTED = 130


@click.command("judge")
@click.argument("run", type=PATH, required=False)
@suite_option("judge", default="that of the run")
@suite_option("judge_rows", default="as in the run, or 0")
@suite_option("concurrency")
@suite_option("cache")
@suite_option("offline")
@click.option("--replace", is_flag=True, help="Judge all cases again, and replace judgements on record.")
@click.option(
    "--calibrate", is_flag=True, help="Calibrate the judge on queries with known errors; takes no RUN."
)
@click.option("--per-error", type=click.IntRange(1), help="Number of errors of each label (default: 5).")
@click.option("--repeats", type=click.IntRange(1), help="Number of judgements of each query (default: 2).")
@click.option("--seed", type=click.IntRange(0), help="Seed of the sample and of the judge (default: 0).")
@click.option(
    "--bank",
    metavar="DIR",
    type=FOLDER,
    help="Bank of known errors (default: the cached one, or tests/data/bank).",
)
@click.option("--held-out", is_flag=True, help="Use the part of the bank that is reserved for final results.")
@click.option("--name", help="Name of the calibration (default: label and criteria of the judge).")
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
    """Let a model judge the queries of RUN, with and without the reference, and record the judgements.

    Judgements on record are kept and responses are cached, so repeating the command resumes it. Judgements of
    another judge are replaced only with --replace, and only when all new ones are there. With --calibrate the
    model judges queries with known errors, and the calibration is stored in reports/calibrations. The exit
    status is 16 if the judge could not be asked about some cases, 4 if its API refused the key or the model
    before any judgement, otherwise 0.
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
            cached = "; the responses are cached, so repeating the command resumes it"
            click.echo(
                f"interrupted: no calibration was stored{'' if cache == NO_CACHE else cached}", err=True
            )
            context.exit(_INTERRUPTED)
        context.exit(INCOMPLETE if faults else 0)
    if run is None:
        raise InputError("name the folder of a run, or give --calibrate")
    needs("--calibrate", *sampling)
    log = RunLog(run)
    if not log.has_manifest:
        raise no_run(run, MANIFEST)
    known = log.manifest.judge
    named = judge or (named_judge(known) if known else None)
    if named is None:
        raise InputError(f"{run} has no judge; name one with --judge MODEL")
    request = judge_request(
        named,
        rows=(known.rows if known else 0) if judge_rows is None else judge_rows,
        seed=log.manifest.known_options.seed or 0,
        of_tables=log.manifest.suite is not UNSET,
        **asked,
    )
    try:
        done, why = judge_run(log, request, replace=replace)
    except KeyboardInterrupt:
        kept = f"responses are in {request.cache}" if request.cache else "none is kept (--cache none)"
        click.echo(f"interrupted: the records are as before, and {kept}", err=True)
        context.exit(_INTERRUPTED)
    # If nothing was replaced, the records have another judge's.
    found = agreements(all_ratings(log.records(), log.clusters)) if done.written else []
    if as_json:
        print_json({**fields_of(done), "agreement": found})
    else:
        table_console().print(render_judged(done, why))
        if done.written:
            table_console().print(agreement_table(found))
    context.exit(INCOMPLETE if done.summary.faults else 0)


def render_judged(done: JudgedRun, why: str = "") -> Group:
    """Return the result of judging a run, with the first reason why the judge could not be asked."""
    return Group(*_judged(done, why))


def _judged(done: JudgedRun, why: str) -> Iterator[RenderableType]:
    judge = one_line(done.judge.model.label)
    yield Text(f"{one_line(done.run)}: {done.judged:,} of {counted(done.cases, 'case')} judged by {judge}")
    yield Text(
        f"judgements: {done.asked:,} requested, {done.from_cache:,} from the cache, {done.kept:,} on record"
        + ("" if done.cost is None else f", {usd(done.cost)}")
    )
    yield _means(done)
    for variant in VARIANTS:
        of_variant: VariantSummary = getattr(done.summary, variant)
        if lacking := of_variant.no_score:
            kinds = ", ".join(f"{one_line(kind)} {count:,}" for kind, count in lacking.items())
            yield Text(f"no score {variant.replace('_', ' ')}: {kinds}")
    if done.summary.faults:
        kept = "" if done.written else "nothing was replaced; "
        yield Text(
            f"incomplete: the judge could not be asked about {counted(done.summary.faults, 'case')}; "
            f"{kept}repeat the command to ask again"
        )
        if why:
            yield Text(one_line(why))


def _means(done: JudgedRun) -> RenderableType:
    table = counted_table(
        "mean [95 % interval]", "task", *(name.replace("_", " ") for name in JUDGED_RUN_METRICS)
    )
    table.padding = 0  # otherwise intervals do not fit 80 columns
    by_task: dict[str, dict[str, Estimate]] = {}
    for each in done.means:
        by_task.setdefault(str(each.slice.get("task", "all")), {})[each.metric] = each.mean
    for task, means in by_task.items():
        table.add_row(one_line(task), *(_mean(means[name]) for name in JUDGED_RUN_METRICS))
    return table


def _mean(mean: Estimate) -> str:
    if mean.value is None:
        return "n/a"
    interval = "" if mean.low is None else f" [{mean.low:.2f}, {mean.high:.2f}]"
    return f"{mean.value:.3f}{interval}"


_PER_ERROR = 5
_REPEATS = 2
_SAMPLE = Path("tests", "data", "bank")


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
    """Calibrate a judge, store the calibration, and print it; the arguments are the options of the command.

    It is not stored if the judge could not be asked about some queries; the cache has the responses.

    Raises InputError if the model cannot judge or be started, there is no bank, or the name is invalid.

    Returns:
        The number of judgements that could not be made, by the kind of error.
    """
    if name is not None:
        require_name(name)
    seed = seed or 0
    request = judge_request(
        judge, rows=rows, concurrency=concurrency, seed=seed, cache=cache, offline=offline
    )
    folder, bank_name = _bank(bank)
    part = part_of(held_out)
    entries = load_bank(part, folder)
    with request.pool() as pool:
        done = calibrate(
            request.spec.label,
            judge_identity(request.entry()),
            request.criteria,
            pool.judge,
            entries,
            load_questions(),
            bank=f"{part.replace('_', '-')} part of {bank_name}",
            per_error=per_error or _PER_ERROR,
            repeats=repeats or _REPEATS,
            seed=seed,
            begin=lambda estimate: _logger.info(_estimate(estimate, request.spec)),
        )
    file = None if done.faults else keep(done.calibration, name, Path.cwd())
    if as_json:
        kept = None if file is None else str(HOME / file.name)
        print_json({**done.calibration.report(), "file": kept, "faults": dict(done.faults)})
    else:
        table_console().print(calibration_table(done.calibration))
        click.echo(_closing(file, done))
    return done.faults


def _estimate(estimate: CostEstimate, spec: ModelSpec) -> str:
    price = load_prices().of(spec.argument) if spec.kind == "openai" else None
    tokens = {"prompt": estimate.prompt, "completion": estimate.completion}
    cost = "" if price is None else f", {usd(price.cost(tokens))} at list prices"
    sent, back = round(estimate.prompt, -3), round(estimate.completion, -3)
    return (
        f"{estimate.queries:,} queries, {counted(estimate.calls, 'judgement')}: about {sent:,} tokens sent "
        f"and {back:,} back{cost}\ncached responses cost nothing"
    )


def _closing(file: Path | None, done: Calibrated) -> str:
    if file is not None:
        return f"stored in {HOME / file.name}; commit it for gates on this judge"
    lacking = counted(sum(done.faults.values()), "judgement")
    kinds = ", ".join(f"{one_line(kind)} {count:,}" for kind, count in done.faults.items())
    return (
        f"incomplete, and not stored: {lacking} could not be made ({kinds}); repeat the command\n"
        f"{one_line(done.why)}"
    )


def _bank(named: Path | None) -> tuple[Path, str]:
    if named is not None:
        return named, f"the bank in the folder {named.name}"
    cached = bank_folder(load_questions())
    if not has_bank(cached) and has_bank(_SAMPLE):
        return _SAMPLE, "the sample in tests/data/bank"
    return cached, "the bank"
