"""What a person is told of a case, beside its record: while it runs, and later from records."""

from dataclasses import dataclass, field

from kg.questions import Question
from plugins.records import Record
from plugins.scoring import KeyMatcher, difference
from plugins.session._why import why


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
