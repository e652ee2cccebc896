"""``retrocypher verify``: answers from anywhere, held against the graph."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from kg.claims import Tolerance, Verifier, asking
from kg.errors import InputError
from kg.reactions import Reaction, fingerprint_of, read_graph
from kg.server import connect, is_uri, open_server
from kg.store import fingerprint, load
from plugins.command._json import announcer, json_option
from plugins.command._verify_lines import judge_lines
from plugins.verification import Thresholds

_SHARE = click.FloatRange(0, 1)
_DEFAULT, _SAME = Thresholds(), Tolerance()


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """The values of `verify_options`; raises InputError where they do not fit together."""

    server: str
    verified: float
    partial: float
    false_claims: int
    tolerance: float

    def __post_init__(self) -> None:
        if any(map(math.isnan, (self.verified, self.partial, self.tolerance))):
            raise InputError("--verified, --partial and --tolerance take numbers, and nan is none.")
        if self.partial > self.verified:
            raise InputError(f"--partial {self.partial:g} is above --verified {self.verified:g}: give less.")

    @property
    def thresholds(self) -> Thresholds:
        """Where verdicts begin."""
        return Thresholds(self.verified, self.partial, self.false_claims)

    @contextmanager
    def open_verifier(self, as_json: bool) -> Iterator[tuple[Verifier, tuple[Reaction, ...]]]:
        """Connect to the graph, with a server where one is needed.

        Yields:
            What looks claims up, and the reactions of the default graph.
        """
        announce = announcer(as_json)
        reactions = read_graph()
        expected = fingerprint_of(reactions)
        running = open_server(
            self.server,
            graph_fingerprint=expected,
            fill=lambda driver: load(driver, reactions),
            announce=announce,
        )
        with running, connect(running.endpoint) as driver:
            database = running.endpoint.database
            known = not is_uri(self.server) or fingerprint(driver, database) == expected
            if not known:
                announce(
                    "The graph is not the default one, so evidence names reactions without their source "
                    "records."
                )
            sources = {each.id: each.source for each in reactions if each.source} if known else {}
            near = Tolerance(min(_SAME.same, self.tolerance), self.tolerance)
            yield Verifier(asking(driver, database), sources, near), reactions


def verify_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Declare the options for the graph and for the verdicts, whose values are a `VerifyOptions`."""
    options = (
        click.option(
            "--graph",
            "server",
            metavar="SPEC",
            default="auto",
            show_default=True,
            help="The Neo4j that holds the graph: auto, docker, local or a URI.",
        ),
        click.option(
            "--verified",
            type=_SHARE,
            default=_DEFAULT.verified,
            show_default=True,
            help="Least share of supported claims of a verified answer.",
        ),
        click.option(
            "--partial",
            type=_SHARE,
            default=_DEFAULT.partial,
            show_default=True,
            help="Least share of a partially verified one.",
        ),
        click.option(
            "--false-claims",
            type=click.IntRange(min=0),
            default=_DEFAULT.false_claims,
            show_default=True,
            help="Most claims of a verified answer that the graph does not hold.",
        ),
        click.option(
            "--tolerance",
            type=click.FloatRange(0, 100),
            default=_SAME.near,
            show_default=True,
            help="Percentage points up to which another yield is uncertain and not contradicted.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command("verify")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@verify_options
@json_option
@click.pass_context
def verify_command(context: click.Context, /, file: str, as_json: bool, **options: Any) -> None:
    """Hold the answers of FILE against the graph: lines of JSON with "question" and "answer", - for stdin.

    The records.jsonl of a run is such a file. Each line is judged as it is read, and with --json is answered
    by one JSON object on a line. A line that cannot be used is named, and the others are judged all the same.
    The exit status is 0 where all answers are verified, 1 where any is not, where a line cannot be used or
    where there is no answer at all, and 2 where FILE or an option cannot be used.
    """
    given = VerifyOptions(**options)
    with given.open_verifier(as_json) as (verifier, _), click.open_file(file, "rb") as lines:
        status = judge_lines(file, lines, verifier, given.thresholds, as_json)
    context.exit(status)
