"""The error labels of a case."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.interpreter.constants import with_made_strings
from retrocypher.kg.interpreter.values import NotInterpretedError
from retrocypher.kg.labels.error_labels import detail_of, name_of, with_detail
from retrocypher.kg.questions.question import Question
from retrocypher.kg.semantics.reader import read_query
from retrocypher.kg.semantics.schema import Schema
from retrocypher.plugins.runs.record import Scores
from retrocypher.plugins.scoring.columns import ID_KEY
from retrocypher.plugins.scoring.label_evidence import (
    Evidence,
    asked_of,
    contradicted,
    evidence,
    guesses,
    symptoms,
)
from retrocypher.plugins.scoring.single_step import Values, asks_for_reactions
from retrocypher.plugins.scoring.trial import try_query
from retrocypher.prompts.validation.finding import Finding, QuestionIntent
from retrocypher.prompts.validation.reaction_graph import load_domain
from retrocypher.prompts.validation.spelling import Spellings
from retrocypher.prompts.validation.validator import find_issues

CAUSES_FIRST = (
    "altered_smiles",
    "wrong_entity",
    "schema_violation",
    "traversal_direction",
    "wrong_relationship",
    "endpoint_anchoring",
    "path_length",
    "set_logic",
    "missing_null_check",
    "wrong_aggregation_or_order",
    "limit",
    "duplicate_or_incomplete",
    "return_shape",
    "extra_component",
    "missing_component",
    "empty_result",
    "other",
)
"""From what makes all else meaningless to what is only seen in the rows."""

_LIKELY = frozenset({"traversal_direction", "schema_violation:property"})
"""Errors of the text that may come from another one of the pattern, which an edit shows."""

_SEEN = frozenset({"extra_component", "missing_component", "empty_result"})
"""Labels of what is seen in a result, whatever makes it wrong."""
_TOO_LONG_OR_LARGE = frozenset(
    {
        "Neo.TransientError.General.MemoryPoolOutOfMemoryError",
        "Neo.TransientError.General.OutOfMemoryError",
        "Neo.ClientError.Transaction.TransactionTimedOut",
    }
)

_RUNAWAY = frozenset(
    {
        "altered_smiles",
        "wrong_entity",
        "traversal_direction",
        "wrong_relationship",
        "endpoint_anchoring",
        "path_length",
        "duplicate_or_incomplete",
    }
)
"""Errors that can make a query run for ever or out of memory."""


def ranked(labels: Iterable[str], shown: Evidence, scores: Scores) -> list[str]:
    """Return labels without repetition, those that explain the result first.

    A label that the rows contradict comes last: the query has that error, but it is not why the case failed.
    """
    return sorted(
        dict.fromkeys(labels),
        key=lambda label: (contradicted(label, shown, scores), CAUSES_FIRST.index(name_of(label))),
    )


def specific(labels: Iterable[str]) -> list[str]:
    """Return labels without repetition; a name alone gives way to what has it with a detail."""
    distinct = list(dict.fromkeys(labels))
    named = {
        label: [each for each in distinct if name_of(each) == label and detail_of(each) not in (None, "id")]
        for label in distinct
    }
    return list(dict.fromkeys(each for label in distinct for each in named[label] or [label]))


def _ran_away(status: str, code: str | None) -> bool:
    """Whether a query took too much time or memory."""
    return status == "timeout" or (status == "runtime_error" and code in _TOO_LONG_OR_LARGE)


def with_status(labels: Sequence[str], status: str, code: str | None) -> list[str]:
    """Put the label of a status that is not ``ok`` in its place among those of the text."""
    if _ran_away(status, code):
        causes = [label for label in labels if name_of(label) in _RUNAWAY]
        return [*causes, status, *(label for label in labels if label not in causes)]
    return [status, *labels]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong with a case.

    Attributes:
        labels: Labels with details, the primary one first; empty if nothing is wrong.
        message: What the query text shows of the primary label, or why it was not looked at; None if nothing,
            or if the query did not run.
    """

    labels: tuple[str, ...] = ()
    message: str | None = None


def diagnose(
    question: Question,
    cypher: str | None,
    execution: Execution,
    scores: Scores,
    schema: Schema,
    values: Mapping[str, Values] | None = None,
) -> Diagnosis:
    """Return what is wrong with a case; raise GraphError if the tables of Cypher's grammar cannot be had.

    Something is wrong if the query did not run to its end, if ``f1`` or ``row_f1`` is under 1, or if ids are
    missing that the question asks for. So a case without ids can pass with all values right and still have
    labels, if values are not in the rows of their reactions.
    The reference query is not looked at.

    Args:
        values: What `values_by_key` reads of the execution without an encoder, if it was read already: for
            thousands of rows that is most of the work.
    """
    status = execution.status
    if status == "ok" and scores.is_perfect:
        if scores.focus_f1 == 1.0 or not asks_for_reactions(question):
            return Diagnosis()
        return _without_ids(cypher, schema)
    if cypher is None:
        return Diagnosis(("no_query",))
    if status in ("no_query", "refused"):
        return Diagnosis((status,))
    shown = evidence(question, execution, scores, values)
    tries = status == "ok" or _ran_away(status, execution.code)
    read = _read(cypher, asked_of(question), schema, tries)
    labels = _labels(question, execution, scores, shown, read)
    if read.unread is not None:
        return Diagnosis(tuple(labels), not_read(read.unread))
    return Diagnosis(tuple(labels), None if labels[0] == status else read.message(labels[0]))


def _without_ids(cypher: str | None, schema: Schema) -> Diagnosis:
    """A case in which all is right but the ids, perhaps since a property that there is not is returned."""
    read = _read(cypher or "", QuestionIntent(None), schema, False)
    labels = [each.label for each in read.findings if name_of(each.label) == "schema_violation"]
    labels.append(with_detail("missing_component", ID_KEY))
    return Diagnosis(tuple(labels), read.message(labels[0]))


def labels_of(
    question: Question, cypher: str | None, execution: Execution, scores: Scores, schema: Schema
) -> list[str]:
    """Return the labels of a case, as `diagnose` finds them."""
    return list(diagnose(question, cypher, execution, scores, schema).labels)


@dataclass(frozen=True, slots=True)
class _Read:
    """What is known of a query without its result.

    Attributes:
        broken: Whether the grammar calls it broken.
        unread: Why its text was not read; None where it was.
        failure: What it gets wrong on a small graph; None if nothing, or if it was not tried.
    """

    findings: tuple[Finding, ...]
    broken: bool
    unread: str | None
    failure: Finding | None

    def message(self, label: str) -> str | None:
        """What is said of a label."""
        tried = () if self.failure is None else (self.failure,)
        return next((each.message for each in (*self.findings, *tried) if each.label == label), None)


def _labels(
    question: Question,
    execution: Execution,
    scores: Scores,
    shown: Evidence,
    read: _Read,
) -> list[str]:
    status, found_in_text = execution.status, [finding.label for finding in read.findings]
    if "refused" in found_in_text and status != "ok":
        return ["refused", status]
    # Apart from that the server has decided whether it is Cypher and runs.
    found = [label for label in found_in_text if name_of(label) in CAUSES_FIRST]
    if status == "syntax_error" and read.broken:
        # What can be read of a broken query is no evidence of anything.
        return [status]
    labels, tried = ranked(found, shown, scores), read.failure
    if status != "ok":
        labels = labels or ([tried.label] if tried else [])
        return with_status(specific(labels), status, execution.code)
    causes = [each for each in labels if each not in _LIKELY]
    if tried is not None and tried.label == "wrong_relationship":
        causes.append(tried.label)
    causes += [each for each in labels if each in _LIKELY]
    if tried is not None and tried.label in CAUSES_FIRST and tried.label not in _SEEN:
        causes.append(tried.label)
    if not shown.empty and not shown.readable:
        causes.append("return_shape")
    if shown.swapped & shown.lacking:
        causes.append("wrong_relationship")
    causes = [each for each in causes if not contradicted(each, shown, scores)]
    if not causes and tried is not None and not (shown.absent or shown.lacking or shown.surplus):
        # What is missing from the row of one reaction is in that of another one.
        causes = [tried.label] if name_of(tried.label) == "missing_component" else []
    causes = causes or list(guesses(question, shown, scores))
    seen = [*causes, *symptoms(shown, scores)]
    return specific([*(seen or ["other"]), *labels])


@lru_cache(maxsize=256)
def _read(cypher: str, asked: QuestionIntent, schema: Schema, tries: bool) -> _Read:
    """Read a query, and perhaps try it on small graphs.

    Cached, because a question often gets the same query from other prompts and rounds.
    """
    reading = read_query(cypher, schema)
    molecules = [molecule.name for molecule in asked.molecules]
    findings = find_issues(reading, schema, molecules)
    if not findings and (made := with_made_strings(reading.parsed)) != cypher:
        findings = tuple(replace(each, start=0, stop=0) for each in Spellings(made, molecules).findings())
    failure = None
    if tries and load_domain().fits(schema) and all(each.label in _LIKELY for each in findings):
        with suppress(NotInterpretedError):
            failure = try_query(reading.parsed, asked, "benchmark")
    return _Read(findings, bool(reading.parsed.errors), reading.parsed.unread, failure)


def not_read(why: str) -> str:
    """Return what is said of a query over a budget of the parser: its labels come from the rows alone."""
    return f"The text of the query was not looked at: {why}."
