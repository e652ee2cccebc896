"""What a person is told of a case, beside its record: while it runs, and later from records."""

from dataclasses import dataclass, field

from kg.questions import Question
from kg.schema import Schema
from plugins.records import Record
from plugins.scoring import KeyMatcher, difference
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


def finding_of(record: Record, question: Question, schema: Schema) -> str | None:
    """Return what the text of a recorded query shows of its primary label; None where it shows nothing of it.

    Args:
        record: The case's record.
        question: Its question.
        schema: The schema of the graph.

    Raises:
        GraphError: The tables of Cypher's grammar cannot be had.
    """
    if record.passed or not record.errors or record.execution is None:
        return None
    diagnosis = diagnose(question, record.cypher, record.execution, record.scores or {}, schema)
    # Of labels that an older or newer RetroCypher found, today's finding would not be the reason.
    return diagnosis.message if diagnosis.labels[:1] == (record.errors[0],) else None


def told_of(record: Record, question: Question, finding: str | None, key_encoder: KeyMatcher | None) -> Told:
    """Return what is told of a case.

    Args:
        record: Its record.
        question: Its question, in the wording asked.
        finding: What the text of the query shows of the primary label (see `plugins.taxonomy.diagnose`).
        key_encoder: The opt-in encoder stage of key matching.
    """
    if not record.scores:
        return Told()
    wrong = record.execution is not None and record.scores["f1"] < 1.0
    return Told(
        difference(question, record.execution or {}, key_encoder) if wrong else "",
        {} if record.passed else why(record, question, finding),
    )
