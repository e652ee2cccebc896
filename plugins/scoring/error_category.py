"""The error category of a failed table case, as CypherBench's table 13 names them.

Its authors assigned the categories by reading. Here a rule does: from what is certain to what is left, by the
labels of the case, PSJS, and what the text of the query uses that the reference does not.
"""

from collections.abc import Sequence

from retrocypher.kg.cypher.tokens import TokenKind, tokens
from retrocypher.kg.labels.error_labels import name_of
from retrocypher.kg.semantics.query_model import QueryModel
from retrocypher.kg.semantics.reader import read_query
from retrocypher.kg.semantics.schema import Schema
from retrocypher.plugins.runs.record import Scores

CATEGORIES = (
    "Syntax Error",
    "Schema violation",
    "Entity Linking",
    "Reversed Direction",
    "Wrong Ent/Rel/Property type",
    "Incorrect Deduplication",
    "Incorrect Grouping",
    "Incorrect Filtering",
    "Pattern Not Aligned with Question",
    "Results Not Aligned with Question",
)
"""In the order in which they are tried; the last two are what is left."""

_BY_LABEL = {
    "schema_violation": "Schema violation",
    "wrong_entity": "Entity Linking",
    "traversal_direction": "Reversed Direction",
}
_AGGREGATES = frozenset(["count", "sum", "avg", "min", "max", "collect"])
# Without "=", which a property map does not write.
_COMPARISONS = frozenset(["<", ">", "<=", ">=", "<>", "in", "not", "contains", "starts", "ends"])


def error_category(
    cypher: str | None, reference: str, status: str, labels: Sequence[str], scores: Scores, schema: Schema
) -> str:
    """Return the category of a failed case.

    A query that does not run, or is none, is a ``Syntax Error``: the paper's "not executable". Where the
    nodes that MATCH finds are those of the reference (PSJS of 1), the result is at fault, else the pattern.
    """
    if cypher is None or status != "ok":
        return "Syntax Error"
    names = {name_of(label) for label in labels}
    for label, category in _BY_LABEL.items():
        if label in names:
            return category
    found, wanted = read_query(cypher, schema), read_query(reference, schema)
    if found.parsed.unread is not None:
        return _of_pattern(scores)
    if _types(found) != _types(wanted):
        return "Wrong Ent/Rel/Property type"
    if "duplicate_or_incomplete" in names:
        return "Incorrect Deduplication"
    if _aggregates(found) != _aggregates(wanted):
        return "Incorrect Grouping"
    if "limit" in names or _conditions(cypher) != _conditions(reference):
        return "Incorrect Filtering"
    return _of_pattern(scores)


def _of_pattern(scores: Scores) -> str:
    return "Results Not Aligned with Question" if scores.psjs == 1.0 else "Pattern Not Aligned with Question"


def _types(query: QueryModel) -> list[set[str]]:
    """The labels, relationship types and properties that a query names."""
    return [{use.name for use in uses} for uses in (query.labels, query.types, query.properties)]


def _aggregates(query: QueryModel) -> list[str]:
    return sorted(name for use in query.functions if (name := use.name.lower()) in _AGGREGATES)


def _conditions(text: str) -> list[str]:
    """The literals and comparisons of a query, in any order; quotes and case do not matter."""
    found = [token for token in tokens(text) if token.kind is not TokenKind.ERROR]
    written = [each.text.strip("'\"") for each in found if each.kind in (TokenKind.STRING, TokenKind.NUMBER)]
    for before, each, after in zip([None, *found], found, [*found[1:], None], strict=False):
        of_arrow = (before and before.text + each.text == "->") or (after and each.text + after.text == "<-")
        if each.text.lower() in _COMPARISONS and not of_arrow:
            written.append(each.text.lower())
    return sorted(written)
