"""Answers of a file, judged and printed line by line."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import click

from kg.claims import VerifiedClaim, Verifier
from plugins.verification import AnswerVerdict, Thresholds, judge_answer

_REMEDY = 'Give one JSON object a line, such as {"question": "...", "answer": "..."}.'


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the file: its number, and what stands there, or why it cannot be used."""

    number: int
    question: str = ""
    answer: str = ""
    error: str = ""


def judge_lines(
    name: str, lines: Iterable[bytes], verifier: Verifier, thresholds: Thresholds, as_json: bool
) -> int:
    """Judge and print the answers of a file, each as it is read.

    Returns:
        The exit status: 1 where an answer is not verified, a line cannot be used or there is none, else 0.
    """
    status, count, verified = 0, 0, 0
    for line in _lines(lines):
        if line.error:
            status = 1
            click.echo(f"{name}, line {line.number}: {line.error} {_REMEDY}", err=True)
            if as_json:
                click.echo(json.dumps({"line": line.number, "error": line.error}))
            continue
        found = judge_answer(line.question, line.answer, verifier, thresholds)
        count += 1
        verified += found.verdict == "VERIFIED"
        click.echo(_as_json(line, found) if as_json else _as_text(name, line, found))
    if not as_json:
        click.echo(f"{verified} of {count} answers are verified.")
    if not (count or status):
        click.echo(f"{name} holds no answer.", err=True)
    return status or int(verified < count or not count)


def _lines(lines: Iterable[bytes]) -> Iterator[Line]:
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


def _as_json(line: Line, found: AnswerVerdict) -> str:
    return json.dumps(
        {"line": line.number, "question": line.question, "answer": line.answer, **found.to_json()}
    )


def _as_text(name: str, line: Line, found: AnswerVerdict) -> str:
    supported = found.counts["SUPPORTED"]
    parts = [f"{name}:{line.number}: {found.verdict} ({supported} of {len(found.claims)} claims supported)"]
    parts += [f"  {each}" for each in found.shortcomings]
    parts += [f"  {claim_text(each)}" for each in found.claims]
    return "\n".join("".join(c if c.isprintable() else " " for c in part) for part in parts)


def claim_text(found: VerifiedClaim) -> str:
    """Return a claim on one line: the verdict, the triple, why, and the source of the reaction."""
    claim = found.claim
    ends = ["?" if end is None else str(end) for end in (claim.subject, claim.object)]
    said = f"({ends[0]}, {'not ' if claim.negated else ''}{claim.predicate}, {ends[1]})"
    asked = " [asked]" if claim.origin == "question" else ""
    sources = [each for each in found.evidence if each.source is not None]
    traced = f"; {_source(sources[0].source)}" if sources and sources[0].source else ""
    return f"{found.verdict}{asked} {said}: {found.reason}{traced}"


def _source(source: dict[str, Any]) -> str:
    return f"{source['file']} row {source['row']}"
