"""Writes the pages of single cases."""

import hashlib
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from retrocypher.kg.cypher.edits import is_word
from retrocypher.kg.cypher.tokens import Token, TokenKind, tokens
from retrocypher.kg.errors import GraphError, InputError
from retrocypher.plugins.analysis.cases import CaseReader
from retrocypher.plugins.formatting.text import shortened
from retrocypher.plugins.reporting.case_view import CaseView, compare_queries, view_of
from retrocypher.plugins.reporting.html.difference import (
    Reactions,
    expected_rows,
    keys_of,
    pictures,
    returned_rows,
    routes_of,
)
from retrocypher.plugins.reporting.html.drawing import HEIGHT, WIDTH, Depictions
from retrocypher.plugins.reporting.html.rendering import asset, environment, policy, visible
from retrocypher.plugins.runs.log import Chunk, RunLog
from retrocypher.plugins.runs.record import SCORE_METRICS, JsonValue, Record, Round

LONGEST = 20_000
"""Maximum number of characters of a query."""
_ANSWER = 8_000
_FINDING = 400
_CLAIM = 600
_MOST = 20
"""Maximum numbers of rounds, of findings of a round, and of claims."""
_ROUTE_METRICS = ("exact_path_f1", "exact_path_precision", "exact_path_recall")
_SHOWN_METRICS = tuple(name for name in SCORE_METRICS if name not in _ROUTE_METRICS)
_CLASSES = {TokenKind.STRING: "s", TokenKind.NUMBER: "n", TokenKind.ERROR: "e"}


class Marked(NamedTuple):
    """Two queries as HTML."""

    query: Markup
    """The generated one; what the reference does not have is marked."""
    reference: Markup
    """The reference; what the generated one does not have is marked."""
    note: str
    """What is not shown, in words; empty if all is."""


def marked(query: str, reference: str) -> Marked:
    """Return a query and its reference, coloured and with their difference marked."""
    first, second = query[:LONGEST], reference[:LONGEST]
    notes = [f"Only the first {LONGEST:,} characters of the query are shown."] if len(query) > LONGEST else []
    found = compare_queries(first, second)
    if found is None:
        return Marked(
            _plain(first), _plain(second), "Cypher's grammar is not available: differences are not marked."
        )
    if not found.is_compared:
        notes.append("The query is too long to be compared word by word.")
    return Marked(
        _coloured(first, found.query, found.only_query, "del"),
        _coloured(second, found.reference, found.only_reference, "ins"),
        " ".join(notes),
    )


def coloured(query: str) -> Markup:
    """Return a query with its words coloured."""
    text = query[:LONGEST]
    try:
        return _coloured(text, tokens(text), set())
    except GraphError:
        return _plain(text)


def _coloured(text: str, found: Sequence[Token], differing: set[int], tag: str = "del") -> Markup:
    return Markup("").join(_parts(text, found, differing, tag))


def _parts(text: str, found: Sequence[Token], differing: set[int], tag: str) -> Iterator[Markup]:
    end = 0
    for place, token in enumerate(found):
        yield _between(text[end : token.start])
        if place in differing and place - 1 not in differing:
            yield Markup(f"<{tag}>")
        kind = "k" if is_word(token) else _CLASSES.get(token.kind)
        shown = _plain(token.text)
        yield Markup('<span class="{}">{}</span>').format(kind, shown) if kind else shown
        if place in differing and place + 1 not in differing:
            yield Markup(f"</{tag}>")
        end = token.stop
    yield _between(text[end:])


def _between(text: str) -> Markup:
    return Markup('<span class="c">{}</span>').format(_plain(text)) if text.strip() else _plain(text)


def _plain(text: str) -> Markup:
    return escape(visible(text))


class CasePages:
    """Makes pages of the cases of a run, which link back to the report."""

    def __init__(self, log: RunLog, name: str, back: str) -> None:
        graph = log.manifest.graph
        self._cases = CaseReader(log)
        self._reactions = Reactions(graph.fingerprint if graph else None)
        style = Markup("\n").join([asset("base.css"), asset("case.css")])
        script = asset("theme.js")
        self._template = environment().get_template("case.html")
        self._always = {
            "run": name,
            "back": back,
            "style": style,
            "script": script,
            "policy": policy([script], [style]),
            "size": (WIDTH, HEIGHT),
        }

    def render(self, record: Record) -> str:
        """Return the page of a case."""
        depictions = Depictions()
        shown = self._shown(view_of(self._cases, record), depictions)
        # Symbols last: only then are all molecules of the page known.
        return self._template.render(**self._always, **shown, symbols=Markup("").join(depictions.symbols()))

    def _shown(self, view: CaseView, depictions: Depictions) -> dict[str, Any]:
        record, question, values = view.record, view.question, self._cases.values(view.record)
        return {
            "record": record,
            "scores": [(name, record.numbers[name]) for name in _SHOWN_METRICS if name in record.numbers],
            "labels": [(label.replace(":", ": "), meaning) for label, meaning in view.labels],
            "finding": view.explanation.why.finding or None,
            "target": None if question is None else (question.target, depictions.number(question.target)),
            "cypher": None if record.cypher is None else marked(record.cypher, record.reference_cypher),
            "reference": coloured(record.reference_cypher),
            "rounds": list(_rounds(record.rounds)),
            "more_rounds": max(0, len(record.rounds) - _MOST),
            "answer": shortened(record.answer or "", _ANSWER),
            "verification": view.verification,
            "claims": [shortened(claim, _CLAIM) for claim in view.claims[:_MOST]],
            "more_claims": max(0, len(view.claims) - _MOST),
            "keys": keys_of(values, depictions),
            "routes": routes_of(values["route"]) if "route" in values else None,
            "returned": returned_rows(record.execution, record.scores, values),
            "expected": None if question is None else expected_rows(question.gold, values),
            "pictures": [] if question is None else pictures(question, values, self._reactions, depictions),
        }


def _rounds(rounds: Sequence[Round]) -> Iterator[dict[str, Any]]:
    before = None
    for turn in rounds[:_MOST]:
        yield {
            "role": turn.role,
            "verdict": turn.verdict,
            "time_s": turn.time_s,
            "tokens": turn.token_count,
            "answer": shortened(turn.answer, _ANSWER) if turn.answer != turn.cypher else "",
            "cypher": coloured(turn.cypher) if turn.cypher is not None and turn.cypher != before else None,
            "findings": [_finding(each) for each in turn.findings][:_MOST],
        }
        before = turn.cypher


def _finding(finding: JsonValue) -> str:
    if not isinstance(finding, Mapping):
        return shortened(str(finding), _FINDING)
    if "message" in finding:
        return shortened(f"{finding.get('label', '')}: {finding['message']}", _FINDING)
    return shortened(", ".join(f"{name} {value}" for name, value in finding.items()), _FINDING)


_MARK = ".retrocypher-cases"
_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST = 90


@contextmanager
def case_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder for pages, which replaces an older one when all are written.

    Raises InputError if there are files that no report wrote.
    """
    new = path.with_name(f"{path.name}.new")
    for folder in (path, new):
        if folder.exists() and not (folder / _MARK).is_file():
            raise InputError(f"{folder}: has files that no report wrote; name another page with --out")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    (new / _MARK).touch()
    try:
        yield new
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    shutil.rmtree(path, ignore_errors=True)
    new.rename(path)


def file_of(run: str, case: str) -> str:
    """Return the name of a case's page: the same each time, and valid on any file system."""
    digest = hashlib.sha256(f"{run}\n{case}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{_UNFIT.sub('-', case)[:_LONGEST].strip('-')}-{digest}.html"


class Job(NamedTuple):
    """How the pages of a run are made, as plain values."""

    name: str
    run: Path
    back: str
    """The address of the report, seen from the pages."""
    folder: Path


class Part(NamedTuple):
    """Some lines of the records, and the names of the pages of its cases that have one, by case id."""

    chunk: Chunk
    pages: Mapping[str, str]


def parts_of(log: RunLog, cases: Sequence[str], pages: Mapping[str, str]) -> list[Part]:
    """Return the parts of a run that have cases with a page; ``cases`` are in the order of the records."""
    parts = []
    for chunk in log.chunks():
        own = cases[chunk.first - 1 : chunk.first - 1 + chunk.lines]
        parts.append(Part(chunk, {case: pages[case] for case in own if case in pages}))
    return [part for part in parts if part.pages]


class PageWriter:
    """Writes pages of a run, in a separate process."""

    def __init__(self, job: Job) -> None:
        self._log = RunLog(job.run)
        self._folder = job.folder
        self._pages = CasePages(self._log, job.name, job.back)

    def __call__(self, part: Part) -> list[int]:
        """Write the pages of a part, and return their sizes in bytes."""
        return [
            (self._folder / part.pages[record.case_id]).write_bytes(self._pages.render(record).encode())
            for *_, record in self._log.record_lines(part.chunk)
            if record.case_id in part.pages
        ]
