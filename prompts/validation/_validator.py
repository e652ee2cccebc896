"""The validator that sees the schema and the question."""

from dataclasses import dataclass

from kg.reading.queries import read_query
from kg.schema import Schema
from prompts.validation._critique import critique
from prompts.validation._domain import load_domain
from prompts.validation._model import CONVENTIONS, Convention, Validation
from prompts.validation._question import read_question


@dataclass(frozen=True, slots=True)
class SchemaValidator:
    """Judges a query by its text, the question's text and the schema: no gold, no rows, no model.

    Attributes:
        schema: The schema of the graph.
        convention: What must be returned, see `critique`.

    Raises:
        ValueError: There is no such convention.
    """

    schema: Schema
    convention: Convention

    def __post_init__(self) -> None:
        if self.convention not in CONVENTIONS:
            raise ValueError(f"convention {self.convention!r} is none of {', '.join(CONVENTIONS)}")

    def validate(self, query: str, question: str) -> Validation:
        """Say whether a query answers a question, and what is wrong with it.

        Args:
            query: Any text.
            question: The question as it was asked.

        Raises:
            GraphError: The grammar can't be had.
        """
        reading = read_query(query, self.schema)
        asked = read_question(question)
        findings = critique(reading, asked, self.schema, self.convention)
        notes = [asked.note] if asked.note else []
        if not load_domain().fits(self.schema):
            notes.append("The graph is no reaction graph: only its schema is checked.")
        elif len(reading.branches) > 1:
            notes.append("The query is a UNION: its parts are checked against the schema alone.")
        notes += [f"Not understood: {each.why}." for each in reading.unread if not reading.parsed.errors]
        return Validation(not findings, findings, asked, " ".join(dict.fromkeys(notes)))
