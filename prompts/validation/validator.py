"""What the text of a query shows of its errors, by the schema and the molecules of its question."""

from collections.abc import Sequence

from retrocypher.kg.semantics.query_model import QueryModel
from retrocypher.kg.semantics.schema import Schema
from retrocypher.prompts.validation.check_text import check_edges, check_schema, check_text
from retrocypher.prompts.validation.finding import Finding
from retrocypher.prompts.validation.spelling import Spellings


def find_issues(reading: QueryModel, schema: Schema, molecules: Sequence[str] = ()) -> tuple[Finding, ...]:
    """Return what keeps a query from running or from finding anything, the cause before its consequences.

    Of a query over a budget of the parser, nothing is said.

    Args:
        molecules: The molecules that the question names, which the query has to look up.
    """
    if reading.parsed.unread is not None:
        return ()
    found = list(check_text(reading))
    if reading.parsed.errors:
        return tuple(found)
    found += check_schema(reading, schema)
    found += Spellings(reading.parsed.text, molecules).findings()
    found += check_edges(reading, schema)
    return tuple(dict.fromkeys(found))
