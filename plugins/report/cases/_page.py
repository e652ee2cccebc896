"""The page of one case."""

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from kg.errors import GraphError
from kg.labels import LABELS, name_of
from kg.questions import Question
from kg.schema import Schema
from plugins.answering import claim_line, verification_lines
from plugins.report._case import shortened
from plugins.report._environment import asset, environment, policy
from plugins.report.cases._cells import expected_rows, returned_rows
from plugins.report.cases._cypher import LONGEST, coloured, marked
from plugins.report.cases._difference import keys_of, pictures, routes_of
from plugins.report.cases._reactions import Reactions
from plugins.report.drawing import HEIGHT, WIDTH, Depictions
from plugins.scoring import Values, values_by_key
from plugins.taxonomy import diagnose

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
