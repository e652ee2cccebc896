"""What a person is told of a case, beside its record: while it runs, and later from records."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kg.questions import Question
from kg.schema import Schema
from plugins.records import Record
from plugins.scoring import KeyMatcher, Values, difference, values_by_key
from plugins.session._why import why
from plugins.taxonomy import diagnose


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of a case.

    Attributes:
        difference: What the answer lacks and what it has too much, a line each; empty where it is right.
        why: What else there is to say of a failed case, by what it is about.
    """

    difference: str = ""
    why: dict[str, str] = field(default_factory=dict)


def told_of(record: Record, question: Question, finding: str | None, key_encoder: KeyMatcher | None) -> Told:
    """Return what is told of a case that was asked just now.

    Args:
        record: Its record.
        question: Its question, in the wording asked.
        finding: What the text of the query shows of the primary label (see `plugins.taxonomy.diagnose`).
        key_encoder: The opt-in encoder stage of key matching.
    """
    return _told(record, question, finding, _differing(record, question, key_encoder))


def retold_of(
    record: Record, question: Question, schema: Schema | None, key_encoder: KeyMatcher | None
) -> Told:
    """Return what is told of a case, from its record: the finding is looked for again.

    Args:
        record: Its record.
        question: Its question, in the wording asked.
        schema: The schema of the graph; without one there is no finding.
        key_encoder: The opt-in encoder stage of key matching.

    Raises:
        GraphError: The tables of Cypher's grammar cannot be had.
    """
    differing = _differing(record, question, key_encoder)
    plain = differing if key_encoder is None else None
    finding = None if schema is None else _finding(record, question, schema, plain)
    return _told(record, question, finding, differing)


def _finding(
    record: Record, question: Question, schema: Schema, values: Mapping[str, Values] | None
) -> str | None:
    """What the text of a recorded query shows of its primary label; None where it shows nothing of it."""
    if record.passed or not record.errors or record.execution is None:
        return None
    diagnosis = diagnose(question, record.cypher, record.execution, record.scores or {}, schema, values)
    # Of labels that an older or newer RetroCypher found, today's finding would not be the reason.
    return diagnosis.message if diagnosis.labels[:1] == (record.errors[0],) else None


def _differing(
    record: Record, question: Question, key_encoder: KeyMatcher | None
) -> Mapping[str, Values] | None:
    """The values of a case whose answer is not all right; None of any other."""
    if not record.scores or record.execution is None or record.scores["f1"] >= 1.0:
        return None
    return values_by_key(question, record.execution, key_encoder)


def _told(
    record: Record, question: Question, finding: str | None, differing: Mapping[str, Values] | None
) -> Told:
    if not record.scores:
        return Told()
    return Told(
        "" if differing is None else difference(differing),
        {} if record.passed else why(record, question, finding),
    )
