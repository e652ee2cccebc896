"""What is wrong with a query, in a sentence."""

from kg.questions import Question
from kg.reading import read_query
from kg.schema import Schema
from plugins.taxonomy._asked import asked_of
from prompts.validation import critique


def message_of(question: Question, cypher: str | None, label: str, schema: Schema) -> str | None:
    """Return what the text of a query shows of an error, in words; None where it shows nothing of it.

    Args:
        question: The question with its slots.
        cypher: The query; None where there is none.
        label: A label of `labels_of` for this query.
        schema: The schema of the graph that the query ran on.

    Raises:
        GraphError: The tables of Cypher's grammar cannot be had.
    """
    if cypher is None:
        return None
    found = critique(read_query(cypher, schema), asked_of(question), schema, "benchmark")
    return next((finding.message for finding in found if finding.label == label), None)
