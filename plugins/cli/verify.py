"""``retrocypher verify``: checks written answers from any source against the graph."""

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click
from msgspec import UNSET

from retrocypher.kg.claims.claim import VerifiedClaim
from retrocypher.kg.claims.facts import asking
from retrocypher.kg.claims.verification import Tolerance, Verifier
from retrocypher.kg.errors import InputError
from retrocypher.kg.evidence.lookup import evidence_of
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint, fingerprint_of
from retrocypher.kg.graph.loading import load
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.server.endpoint import connect
from retrocypher.kg.server.open import is_uri, open_server
from retrocypher.plugins.cli.console import SHARE, NumberRange, json_option, needs, server_option
from retrocypher.plugins.cli.suite_option import suite_option
from retrocypher.plugins.operations.extraction import extract_claims
from retrocypher.plugins.reporting.case_view import source_text
from retrocypher.plugins.runs.written_answer import Thresholds
from retrocypher.plugins.scoring.answer_check import open_verifier, require_evidence
from retrocypher.plugins.scoring.verdict import AnswerVerdict, is_false, judge_answer
from retrocypher.prompts.answering.writing import StatedClaims
from retrocypher.prompts.models.pool import model_to_ask

_logger = logging.getLogger(__name__)

_REMEDY = 'Give one JSON object a line, such as {"question": "...", "answer": "..."}.'


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the file, or why it cannot be used."""

    number: int
    question: str = ""
    answer: str = ""
    error: str = ""


Judged = tuple[Line, AnswerVerdict | None]
"""A line with its verdict; None for a line that cannot be used."""


def judge_lines(
    lines: Iterable[Line],
    verifier: Verifier,
    thresholds: Thresholds,
    claims: Mapping[str, StatedClaims] | None = None,
) -> Iterator[Judged]:
    """Yield the verdict on each line; `claims` are those that a model lists of each answer."""
    for line in lines:
        if line.error:
            yield line, None
            continue
        entries = None if claims is None else claims[line.answer].usable
        yield line, judge_answer(line.question, line.answer, verifier, thresholds, entries)


def report(name: str, judged: Iterable[Judged], as_json: bool) -> int:
    """Print each verdict at once, and return the exit status, 0 or 1."""
    count, verified, failed = 0, 0, 0
    reasons: list[str] = []
    for line, verdict in judged:
        if verdict is None:
            failed += 1
            click.echo(f"{name}, line {line.number}: {line.error} {_REMEDY}", err=True)
            if as_json:
                click.echo(json.dumps({"line": line.number, "error": line.error}))
            continue
        count += 1
        verified += verdict.verdict == "VERIFIED"
        if verdict.verdict != "VERIFIED":
            reasons.append(f"  line {line.number}: {verdict.verdict}: {reason_of(verdict)}")
        click.echo(_as_json(line, verdict) if as_json else _as_text(name, line, verdict))
    if not as_json:
        click.echo(f"{verified} of {count} answers are verified.")
        for each in reasons[:_MOST_REASONS]:
            click.echo(_printable(each))
        if len(reasons) > _MOST_REASONS:
            click.echo(f"  and {len(reasons) - _MOST_REASONS} more")
    if not (count or failed):
        click.echo(f"{name} has no answer.", err=True)
    return int(failed > 0 or verified < count or not count)


_MOST_REASONS = 20


def reason_of(verdict: AnswerVerdict) -> str:
    """Return why an answer is not verified: the claims that fail, or else what is not read of it."""
    failed = [claim_text(each) for each in verdict.claims if is_false(each)]
    found = failed or [*verdict.shortcomings]
    if not found:
        uncertain = [claim_text(each) for each in verdict.claims if each.verdict != "SUPPORTED"]
        found = uncertain or ["it claims nothing"]
    more = f" and {len(found) - 2} more" if len(found) > 2 else ""
    return f"{' | '.join(found[:2])}{more}"


def lines_of(lines: Iterable[bytes]) -> Iterator[Line]:
    """Yield the lines of a file that are not blank."""
    for number, raw in enumerate(lines, start=1):
        if raw.strip(b"\xef\xbb\xbf \t\r\n"):
            yield _line(number, raw)


def _line(number: int, raw: bytes) -> Line:
    try:
        entry = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return Line(number, error=f"not UTF-8 at byte {error.start}.")
    except (ValueError, RecursionError) as error:
        return Line(number, error=f"not JSON ({str(error)[:100]}).")
    if not isinstance(entry, dict):
        return Line(number, error="not an object.")
    question, answer = entry.get("question"), entry.get("answer")
    if not isinstance(question, str):
        return Line(number, error='"question" is no text.')
    if "answer" not in entry or not isinstance(answer, (str, type(None))):
        return Line(number, error='"answer" is no text.')
    return Line(number, question, answer or "")


def _as_json(line: Line, verdict: AnswerVerdict) -> str:
    return json.dumps(
        {"line": line.number, "question": line.question, "answer": line.answer, **verdict.to_json()}
    )


def _as_text(name: str, line: Line, verdict: AnswerVerdict) -> str:
    supported = verdict.counts["SUPPORTED"]
    parts = [
        f"{name}:{line.number}: {verdict.verdict} ({supported} of {len(verdict.claims)} claims supported)"
    ]
    parts += [f"  {each}" for each in verdict.shortcomings]
    parts += [f"  {claim_text(each)}" for each in verdict.claims]
    return "\n".join(map(_printable, parts))


def _printable(text: str) -> str:
    return "".join(each if each.isprintable() else " " for each in text)


def claim_text(claim_verdict: VerifiedClaim) -> str:
    """Return a claim on one line: the verdict, the triple, why, and the source of the reaction."""
    claim = claim_verdict.claim
    ends = ["?" if end is None else str(end) for end in (claim.subject, claim.object)]
    role = f" {claim.role}" if claim.role else ""
    triple = f"({ends[0]}, {'not ' if claim.negated else ''}{claim.predicate}{role}, {ends[1]})"
    asked = " [asked]" if claim.origin == "question" else ""
    shown = next((each for each in claim_verdict.evidence if each.source is not None), None)
    traced = f"; {source_text(shown)}" if shown else ""
    return f"{claim_verdict.verdict}{asked} {triple}: {claim_verdict.reason}{traced}"


_DEFAULT, _SAME = Thresholds(), Tolerance()


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """The values of `verify_options`; raises InputError if they contradict each other."""

    server: str
    verified: float
    partial: float
    false_claims: int
    tolerance: float
    evidence: bool
    evidence_confidence: float

    def __post_init__(self) -> None:
        if self.partial > self.verified:
            raise InputError(f"--partial {self.partial:g} is above --verified {self.verified:g}; lower it.")

    @property
    def thresholds(self) -> Thresholds:
        """Thresholds of the verdicts."""
        least = self.evidence_confidence if self.evidence else UNSET
        return Thresholds(self.verified, self.partial, self.false_claims, least)

    @contextmanager
    def open_verifier(self) -> Iterator[tuple[Verifier, tuple[Reaction, ...]]]:
        """Connect to the graph, with a server if needed; yields the verifier and the default reactions."""
        reactions = read_graph()
        expected = fingerprint_of(reactions)
        running = open_server(
            self.server,
            graph_fingerprint=expected,
            load_graph=lambda driver: load(driver, reactions),
        )
        with running, connect(running.endpoint) as driver:
            database = running.endpoint.database
            loaded = fingerprint(driver, database) if is_uri(self.server) else expected
            if self.evidence:
                require_evidence(loaded)
            if loaded != expected:
                _logger.warning(
                    "This is not the default graph, so evidence names reactions without their source records."
                )
            near = Tolerance(min(_SAME.same, self.tolerance), self.tolerance)
            least = self.evidence_confidence if self.evidence else None
            with open_verifier(asking(driver, database), evidence_of(loaded), near, least) as verifier:
                yield verifier, reactions


def verify_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `VerifyOptions` to a command."""
    options = (
        server_option("with the graph"),
        click.option(
            "--verified",
            type=SHARE,
            default=_DEFAULT.verified,
            show_default=True,
            help="Minimum share of supported claims of a verified answer.",
        ),
        click.option(
            "--partial",
            type=SHARE,
            default=_DEFAULT.partial,
            show_default=True,
            help="Minimum share of a partially verified answer.",
        ),
        click.option(
            "--false-claims",
            type=click.IntRange(min=0),
            default=_DEFAULT.false_claims,
            show_default=True,
            help="Maximum number of claims of a verified answer that the graph does not support.",
        ),
        click.option(
            "--tolerance",
            type=NumberRange(0, 100),
            default=_SAME.near,
            show_default=True,
            help="Percentage points by which a yield may differ and be uncertain, not contradicted.",
        ),
        suite_option("evidence"),
        suite_option("evidence_confidence"),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command("verify")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@verify_options
@click.option(
    "--claims-model",
    metavar="SPEC",
    help="Model that lists the claims: gguf:PATH, local, or one behind an OpenAI-compatible API (default: "
    "they are read by rules).",
)
@suite_option("concurrency")
@suite_option("cache")
@suite_option("offline")
@json_option
@click.pass_context
def verify_command(
    context: click.Context,
    /,
    file: str,
    claims_model: str | None,
    concurrency: int,
    cache: str | None,
    offline: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Check the answers in FILE against the graph: lines of JSON with "question" and "answer", - for stdin.

    The records.jsonl of a run is such a file. Each line is checked as it is read; with --claims-model a model
    first lists the claims of all answers. With --json each result is one JSON object on a line. A line that
    cannot be used is reported, and the others are checked anyway. The exit status is 0 if all answers are
    verified, 1 if one is not, a line cannot be used or there is no answer, and 2 if FILE or an option cannot
    be used.
    """
    given = VerifyOptions(**options)
    needs("--evidence", "evidence_confidence")
    needs("--claims-model SPEC", "cache", "offline")
    model = (
        None
        if claims_model is None
        else model_to_ask(
            claims_model, "--claims-model", concurrency=concurrency, cache=cache, offline=offline
        )
    )
    # The graph before the model: that it has no evidence is known before anything is paid.
    with click.open_file(file, "rb") as opened, given.open_verifier() as (verifier, _):
        lines: Iterable[Line] = lines_of(opened)
        claims = None
        if model is not None:
            lines = list(lines)
            claims = extract_claims([each.answer for each in lines if not each.error], *model)
        status = report(file, judge_lines(lines, verifier, given.thresholds, claims), as_json)
    context.exit(status)
