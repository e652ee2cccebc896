"""``retrocypher verify``: answers from anywhere, held against the graph."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import click

from kg.claims import Tolerance, Verifier, asking
from kg.errors import InputError
from kg.questions import load_questions, select
from kg.reactions import Reaction, fingerprint_of, read_graph
from kg.server import connect, is_uri, open_server
from kg.store import fingerprint, load
from plugins.command._console import table_console
from plugins.command._json import announcer, json_option, print_json
from plugins.command._verify_lines import claim_text, judge_lines
from plugins.verification import (
    GraphSample,
    Thresholds,
    Trial,
    run_trial,
    trial_table,
)

_SHARE = click.FloatRange(0, 1)
_DEFAULT, _SAME = Thresholds(), Tolerance()


@click.command("verify")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--calibrate", is_flag=True, help="Try it on answers that are known to be true or false.")
@click.option(
    "--graph",
    "server",
    metavar="SPEC",
    default="auto",
    show_default=True,
    help="The Neo4j that holds the graph: auto, docker, local or a URI.",
)
@click.option(
    "--verified",
    type=_SHARE,
    default=_DEFAULT.verified,
    show_default=True,
    help="Least share of supported claims of a verified answer.",
)
@click.option(
    "--partial",
    type=_SHARE,
    default=_DEFAULT.partial,
    show_default=True,
    help="Least share of a partially verified one.",
)
@click.option(
    "--false-claims",
    type=click.IntRange(min=0),
    default=_DEFAULT.false_claims,
    show_default=True,
    help="Most claims of a verified answer that the graph does not hold.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 100),
    default=_SAME.near,
    show_default=True,
    help="Percentage points up to which another yield is uncertain and not contradicted.",
)
@click.option("--sample", type=click.IntRange(min=1), help="With --calibrate: so many questions, not all.")
@click.option("--seed", type=int, default=0, show_default=True, help="With --calibrate.")
@click.option(
    "--misses",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="With --calibrate: answers to show that were not judged as they should be; JSON has all.",
)
@json_option
@click.pass_context
def verify_command(
    context: click.Context,
    file: str | None,
    calibrate: bool,
    server: str,
    verified: float,
    partial: float,
    false_claims: int,
    tolerance: float,
    sample: int | None,
    seed: int,
    misses: int,
    as_json: bool,
) -> None:
    """Hold the answers of FILE against the graph: lines of JSON with "question" and "answer", - for stdin.

    The records.jsonl of a run is such a file. Each line is judged as it is read, and with --json is answered
    by one JSON object on a line. A line that cannot be used is named, and the others are judged all the same.
    The exit status is 0 where all answers are verified, 1 where any is not, where a line cannot be used or
    where there is no answer at all, and 2 where FILE or an option cannot be used.

    With --calibrate, true answers and planted falsehoods are written from the questions of this project, and
    a table says how many were judged as they should be; with --json it is one JSON object.
    """
    if calibrate == (file is not None):
        raise InputError("Give a FILE of answers, or --calibrate, and not both.")
    if sample is not None and not calibrate:
        raise InputError("--sample goes with --calibrate: of a FILE all answers are judged.")
    if any(map(math.isnan, (verified, partial, tolerance))):
        raise InputError("--verified, --partial and --tolerance take numbers, and nan is none.")
    if partial > verified:
        raise InputError(f"--partial {partial:g} is above --verified {verified:g}: give less.")
    thresholds = Thresholds(verified, partial, false_claims)
    with _verifier(server, tolerance, as_json) as (verifier, reactions):
        if calibrate:
            questions = load_questions().questions
            chosen = questions if sample is None else select(questions, sample=sample, seed=seed)
            trial = run_trial(chosen, verifier, GraphSample(reactions), seed, thresholds)
            _show_trial(trial, misses, as_json)
            return
        assert file is not None
        with click.open_file(file, "rb") as lines:
            status = judge_lines(file, lines, verifier, thresholds, as_json)
    context.exit(status)


@contextmanager
def _verifier(
    server: str, tolerance: float, as_json: bool
) -> Iterator[tuple[Verifier, tuple[Reaction, ...]]]:
    announce = announcer(as_json)
    reactions = read_graph()
    expected = fingerprint_of(reactions)
    running = open_server(
        server, graph_fingerprint=expected, fill=lambda driver: load(driver, reactions), announce=announce
    )
    with running, connect(running.endpoint) as driver:
        database = running.endpoint.database
        known = not is_uri(server) or fingerprint(driver, database) == expected
        if not known:
            announce(
                "The graph is not the default one, so evidence names reactions without their source records."
            )
        sources = {each.id: each.source for each in reactions if each.source} if known else {}
        near = Tolerance(min(_SAME.same, tolerance), tolerance)
        yield Verifier(asking(driver, database), sources, near), reactions


def _show_trial(trial: Trial, misses: int, as_json: bool) -> None:
    if as_json:
        found = {
            "kinds": trial.to_json(),
            "claims": trial.claims,
            "misses": [each.to_json() for each in trial.misses],
        }
        print_json(found)
        return
    console = table_console()
    console.print(trial_table(trial))
    console.print(f"{trial.claims:,} claims, {len(trial.misses):,} answers not judged as they should be.")
    for miss in trial.misses[:misses]:
        console.print(f"\n{miss.kind}, {miss.question_id}, {miss.wording}: {miss.question}", markup=False)
        console.print(miss.answer, markup=False)
        for each in miss.verdict.claims:
            console.print(f"  {claim_text(each)}", markup=False)
