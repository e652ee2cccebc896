"""What is wrong with a query, given what was asked."""

from kg.reading import QueryReading
from kg.schema import Schema
from prompts.validation._model import Asked, Convention, Finding


def critique(
    reading: QueryReading, asked: Asked, schema: Schema, convention: Convention
) -> tuple[Finding, ...]:
    """Return what is wrong with a query, the cause before its consequences.

    Args:
        reading: The query, read with the same schema.
        asked: What the question asks for; with no intent, only what the schema decides is checked.
        schema: The schema of the graph.
        convention: What must be returned: ``benchmark`` for the full context of each reaction or whole
            routes of reactions, ``as-asked`` for what the question's words ask for.
    """
    return tuple(_syntax(reading))


def _syntax(reading: QueryReading) -> list[Finding]:
    text = reading.parsed.text
    return [
        Finding("syntax_error", f"Not valid Cypher: {issue.message}", issue.offset, len(text))
        for issue in reading.parsed.errors[:1]
    ]
