"""``retrocypher judge --calibrate``: how far a judge can be believed."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from kg.questions import load_questions
from plugins.bank import bank_folder, has_bank, load_bank
from plugins.calibration import HOME, Bill, calibrate, calibration_table, judge_identity, keep, require_name
from plugins.command._bank_options import part_of
from plugins.command._console import table_console
from plugins.command._json import announcer, print_json
from plugins.judging import judge_request
from plugins.terminal import counted, one_line
from prompts.models import ModelSpec, load_prices

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
