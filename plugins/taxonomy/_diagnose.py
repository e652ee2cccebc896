"""What is wrong with one case."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from kg.labels import name_of
from kg.questions import Question
from kg.reading.queries import read_query
from kg.schema import Schema
from plugins.scoring import Values
from plugins.taxonomy._asked import asked_of
from plugins.taxonomy._evidence import evidence
from plugins.taxonomy._perfect import is_perfect
from plugins.taxonomy._precedence import CAUSES_FIRST, contradicted, ranked, specific, with_status
from plugins.taxonomy._rows import guesses, symptoms
from prompts.validation import Asked, Finding, critique


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong with a case.

    Attributes:
        labels: Labels of ``kg.labels``, with details where they have one, the primary label first; none where
            nothing is wrong.
        message: What the text of the query shows of the primary label, in words; None where it shows nothing
            of it, and of a query that did not run, of which the server says why.
    """

    labels: tuple[str, ...] = ()
    message: str | None = None


def diagnose(
    question: Question,
    cypher: str | None,
    execution: Mapping[str, Any],
    scores: Mapping[str, Any],
    schema: Schema,
    values: Mapping[str, Values] | None = None,
) -> Diagnosis:
    """Return what is wrong with a case.

    Something is wrong where the query did not run to its end, or where ``f1`` or ``row_f1`` is under 1. So
    a case can pass, with all values right, and still have labels: those of a result whose values do not
    stand in the rows of their reactions. The reference query is not looked at. The same arguments give the
    same diagnosis.

    Args:
        question: The question with its slots and gold answer.
        cypher: The query; None where there is none.
        execution: The record's ``execution``.
        scores: The record's ``scores``.
        schema: The schema of the graph that the query ran on.
        values: What `plugins.scoring.values_by_key` reads of the execution, without an encoder, where it was
            read already: of thousands of rows it is most of the work.

    Raises:
        GraphError: The tables of Cypher's grammar cannot be had.
    """
    status = execution["status"]
    if status == "ok" and is_perfect(scores):
        return Diagnosis()
    if cypher is None:
        return Diagnosis(("no_query",))
    if status in ("no_query", "refused"):
        return Diagnosis((status,))
    told, broken = _told(cypher, asked_of(question), schema)
    labels = _labels(question, execution, scores, values, [finding.label for finding in told], broken)
    return Diagnosis(tuple(labels), None if labels[0] == status else _message(told, labels[0]))


def labels_of(
    question: Question,
    cypher: str | None,
    execution: Mapping[str, Any],
    scores: Mapping[str, Any],
    schema: Schema,
) -> list[str]:
    """Return the labels of a case, as `diagnose` finds them."""
    return list(diagnose(question, cypher, execution, scores, schema).labels)


def _labels(
    question: Question,
    execution: Mapping[str, Any],
    scores: Mapping[str, Any],
    values: Mapping[str, Values] | None,
    told: list[str],
    broken: bool,
) -> list[str]:
    """The labels of a query with these labels by its text, which may be broken as the grammar has it."""
    status = execution["status"]
    if "refused" in told and status != "ok":
        return ["refused", status]
    # Apart from that the server has decided whether it is Cypher and runs.
    found = [label for label in told if name_of(label) in CAUSES_FIRST]
    shown = evidence(question, execution, scores, values)
    if status == "syntax_error" and broken:
        # What can be read of a broken query is no evidence of anything.
        return [status]
    if status == "ok" and not shown.empty and not shown.readable:
        found.append("return_shape")
    labels = ranked(found, shown, scores)
    if status != "ok":
        return with_status(specific(labels), status, execution.get("code"))
    causes = [label for label in labels if not contradicted(label, shown, scores)]
    causes = causes or list(guesses(question, shown, scores))
    seen = [*causes, *symptoms(shown, scores)]
    return specific([*(seen or ["other"]), *labels])


@lru_cache(maxsize=256)
def _told(cypher: str, asked: Asked, schema: Schema) -> tuple[tuple[Finding, ...], bool]:
    """What the text of a query shows, and whether it is broken as the grammar has it.

    A question often has the same query as an answer: from another prompt, in several rounds of a loop.
    """
    reading = read_query(cypher, schema)
    return critique(reading, asked, schema, "benchmark"), bool(reading.parsed.errors)


def _message(told: Iterable[Finding], label: str) -> str | None:
    return next((finding.message for finding in told if finding.label == label), None)
