"""The page of one case."""

import hashlib
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from retrocypher.kg.cypher.edits import differing, is_word
from retrocypher.kg.cypher.tokens import Token, TokenKind, tokens
from retrocypher.kg.errors import GraphError, InputError
from retrocypher.kg.labels.error_labels import LABELS, name_of
from retrocypher.kg.questions.question import Question
from retrocypher.kg.semantics.schema import Schema, parse_schema
from retrocypher.plugins.reporting.html.difference import (
    Reactions,
    expected_rows,
    keys_of,
    pictures,
    returned_rows,
    routes_of,
)
from retrocypher.plugins.reporting.html.drawing import HEIGHT, WIDTH, Depictions
from retrocypher.plugins.reporting.html.environment import asset, environment, policy, visible
from retrocypher.plugins.reporting.html.run import shortened
from retrocypher.plugins.runs.files import QUESTIONS
from retrocypher.plugins.runs.log import read_questions
from retrocypher.plugins.runs.parallel import Chunk, chunks_of, records_of
from retrocypher.plugins.scoring.labels import diagnose
from retrocypher.plugins.scoring.single_step import Values, values_by_key
from retrocypher.plugins.scoring.verdict import claim_line, verification_lines

LONGEST = 20_000
"""Characters of a query that are shown."""

_MOST_TOKENS = 1_500
_CLASSES = {
    TokenKind.STRING: "s",
    TokenKind.NUMBER: "n",
    TokenKind.ERROR: "e",
}


class Marked(NamedTuple):
    """Two queries as HTML.

    Attributes:
        query: The generated one; what the reference does not have is marked.
        reference: The reference; what the generated one does not have is marked.
        note: What is not shown, in words; empty where all is.
    """

    query: Markup
    reference: Markup
    note: str


def marked(query: str, reference: str) -> Marked:
    """Return a query and its reference, coloured and with their difference marked."""
    cut = [text[:LONGEST] for text in (query, reference)]
    notes = [f"Only the first {LONGEST:,} characters of the query are shown."] if len(query) > LONGEST else []
    try:
        first, second = (tokens(text) for text in cut)
    except GraphError:
        return Marked(
            _plain(cut[0]), _plain(cut[1]), "Cypher's grammar cannot be had here: nothing is marked."
        )
    if max(len(first), len(second)) > _MOST_TOKENS:
        notes.append("The query is too long to be compared word by word.")
        return Marked(_coloured(cut[0], first, set()), _coloured(cut[1], second, set()), " ".join(notes))
    mine, theirs = differing(first, second)
    return Marked(
        _coloured(cut[0], first, mine, "del"), _coloured(cut[1], second, theirs, "ins"), " ".join(notes)
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


_ANSWER = 8_000
_ROUNDS = 20
_SCORES = (
    "f1",
    "precision",
    "recall",
    "focus_f1",
    "row_f1",
    "partial_path_recall",
    "bleu",
    "meteor",
    "rouge_l",
)


class CasePages:
    """Makes pages of the cases of a run.

    Args:
        run: The run's name.
        questions: Its questions by id; a case whose question is not there has no expected rows.
        reactions: What reactions look like.
        schema: The schema of the run's graph; None where it is not known.
        back: The address of the report, seen from the pages.
    """

    def __init__(
        self,
        run: str,
        questions: Mapping[str, Question],
        reactions: Reactions,
        schema: Schema | None,
        back: str,
    ) -> None:
        self._questions = questions
        self._schema = schema
        self._reactions = reactions
        style = Markup("\n").join([asset("base.css"), asset("case.css")])
        script = asset("theme.js")
        self._template = environment().get_template("case.html")
        self._always = {
            "run": run,
            "back": back,
            "style": style,
            "script": script,
            "policy": policy([script], [style]),
            "size": (WIDTH, HEIGHT),
        }

    def render(self, record: Mapping[str, Any]) -> str:
        """Return the page of a case."""
        depictions = Depictions()
        question = self._questions.get(str(record["question_id"]))
        told = self._told(record, question, depictions)
        # Last: by then every molecule of the page was asked for.
        return self._template.render(
            **self._always, **told, symbols=Markup("").join(depictions.symbols()), record=record
        )

    def _told(
        self, record: Mapping[str, Any], question: Question | None, depictions: Depictions
    ) -> dict[str, Any]:
        execution, scores = record.get("execution") or {}, record.get("scores") or {}
        values: dict[str, Values] = {}
        if question is not None and execution:
            values = values_by_key(question, execution)
        cypher = record.get("cypher")
        return {
            "execution": execution,
            "scores": [(name, scores[name]) for name in _SCORES if isinstance(scores.get(name), int | float)],
            "labels": [_label(str(label)) for label in record.get("errors") or ()],
            "finding": self._finding(record, question, values),
            "target": None if question is None else (question.target, depictions.number(question.target)),
            "cypher": None if cypher is None else marked(str(cypher), str(record["reference_cypher"])),
            "reference": coloured(str(record["reference_cypher"])),
            "rounds": list(_rounds(record)),
            "more_rounds": max(0, len(record.get("rounds") or ()) - _ROUNDS),
            **_written(record),
            "keys": keys_of(values, depictions),
            "routes": routes_of(values["route"]) if "route" in values else None,
            "returned": returned_rows(execution, scores, values),
            "expected": None if question is None else expected_rows(question.gold, values),
            "pictures": [] if question is None else pictures(question, values, self._reactions, depictions),
        }

    def _finding(
        self, record: Mapping[str, Any], question: Question | None, values: Mapping[str, Values]
    ) -> str | None:
        """Return what the text of the query shows of the primary label."""
        errors, cypher = record.get("errors") or (), record.get("cypher")
        if question is None or self._schema is None or not errors or cypher is None or len(cypher) > LONGEST:
            return None
        try:
            execution, scores = record["execution"], record["scores"]
            found = diagnose(question, cypher, execution, scores, self._schema, values or None)
        except GraphError:
            return None
        return found.message if found.labels[:1] == (errors[0],) else None


def _label(label: str) -> tuple[str, str]:
    known = LABELS.get(name_of(label))
    return label.replace(":", ": "), known.meaning if known else ""


def _rounds(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    before = None
    for turn in (record.get("rounds") or ())[:_ROUNDS]:
        cypher = turn.get("cypher")
        answer = str(turn.get("answer") or "")
        yield {
            "role": turn.get("role"),
            "verdict": turn.get("verdict"),
            "time_s": float(turn.get("time_s") or 0),
            "tokens": sum((turn.get("tokens") or {}).values()),
            "answer": shortened(answer, _ANSWER) if answer != cypher else "",
            "cypher": coloured(str(cypher)) if cypher is not None and cypher != before else None,
            "findings": [_finding(each) for each in turn.get("findings") or ()][:_ROUNDS],
        }
        before = cypher


def _written(record: Mapping[str, Any]) -> dict[str, Any]:
    """The written answer with its claims, for a page that a browser bears."""
    claims, verification = record.get("claims") or (), record.get("verification")
    return {
        "answer": shortened(str(record.get("answer") or ""), _ANSWER),
        "verification": [*verification_lines(verification)] if verification else [],
        "claims": [shortened(claim_line(claim), 600) for claim in claims[:_ROUNDS]],
        "more_claims": max(0, len(claims) - _ROUNDS),
    }


def _finding(finding: Any) -> str:
    if not isinstance(finding, Mapping):
        return shortened(str(finding), 400)
    if "message" in finding:
        return shortened(f"{finding.get('label', '')}: {finding['message']}", 400)
    return shortened(", ".join(f"{name} {value}" for name, value in finding.items()), 400)


_MARK = ".retrocypher-cases"
_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST = 90


class CaseFolder:
    """A folder for pages that no other files are in, which takes the place of one made before.

    The old pages stay until all of the new ones are written.

    Args:
        path: The folder.

    Raises:
        InputError: If it holds files that no report wrote.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._new = path.with_name(f"{path.name}.new")
        for folder in (path, self._new):
            if folder.exists() and not (folder / _MARK).is_file():
                raise InputError(f"{folder}: holds files that no report wrote; name another page with --out")

    def __enter__(self) -> Path:
        """Return the folder to write the pages into."""
        shutil.rmtree(self._new, ignore_errors=True)
        self._new.mkdir()
        (self._new / _MARK).touch()
        return self._new

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            shutil.rmtree(self._new, ignore_errors=True)
            return
        shutil.rmtree(self.path, ignore_errors=True)
        self._new.rename(self.path)


def file_of(run: str, case: str) -> str:
    """Return the name of a case's page: the same each time, and fit for any file system."""
    told = hashlib.sha256(f"{run}\n{case}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{_UNFIT.sub('-', case)[:_LONGEST].strip('-')}-{told}.html"


@dataclass(frozen=True, slots=True)
class Job:
    """How the pages of a run are made, as plain values.

    Attributes:
        name: What the report calls the run.
        run: The run directory.
        fingerprint: That of its graph; None where it is not known.
        schema: Schema text of its graph; None where it is not known.
        back: The address of the report, seen from the pages.
        folder: Where the pages go.
    """

    name: str
    run: Path
    fingerprint: str | None
    schema: str | None
    back: str
    folder: Path


class Part(NamedTuple):
    """Some lines of the records, and the names of the pages of its cases that have one, by case id."""

    chunk: Chunk
    pages: Mapping[str, str]


def parts_of(run: Path, cases: Sequence[str], pages: Mapping[str, str]) -> list[Part]:
    """Return the parts of a run that hold cases with a page.

    Args:
        run: The run directory.
        cases: The ids of its cases, in the order of the records.
        pages: By case id, the names of all pages.
    """
    parts = []
    for chunk in chunks_of(run):
        own = cases[chunk.first - 1 : chunk.first - 1 + chunk.lines]
        parts.append(Part(chunk, {case: pages[case] for case in own if case in pages}))
    return [part for part in parts if part.pages]


class PageWriter:
    """Writes pages of a run.

    Args:
        job: How.
    """

    def __init__(self, job: Job) -> None:
        # A run without its questions has pages without expected rows.
        questions = read_questions(job.run) if (job.run / QUESTIONS).is_file() else {}
        schema = parse_schema(job.schema) if job.schema else None
        self._job = job
        self._pages = CasePages(job.name, questions, Reactions(job.fingerprint), schema, job.back)

    def __call__(self, part: Part) -> list[int]:
        """Write the pages of a part, and return their sizes in bytes.

        Raises:
            InputError: If a line is not a record.
            OSError: If a page cannot be written.
        """
        return [
            (self._job.folder / part.pages[record["case_id"]]).write_bytes(
                self._pages.render(record).encode()
            )
            for _, _, record in records_of(self._job.run, part.chunk)
            if record["case_id"] in part.pages
        ]
