"""From a query to its reading."""

from typing import cast

from kg.cypher import Node, ParsedQuery, parse
from kg.reading._draft import Draft
from kg.reading._labels import Labels
from kg.reading._lengths import limit_lengths
from kg.reading._model import Agreement, EdgeReading, NodeReading, QueryReading, Unread
from kg.reading._queries import Queries, undefined_names
from kg.schema import Schema

# The grammar has some 13 rules between an expression and one in brackets within it; people nest a few, and
# what follows the nesting by recursion has a thousand frames.
_DEEPEST = 500


def read_query(query: str | ParsedQuery, schema: Schema) -> QueryReading:
    """Read what a query means, as far as its text and the schema tell.

    A query that does not follow the grammar is read as far as its tree goes; what is missing there must not
    be taken for missing in the query.

    Args:
        query: Any text, or a query that is parsed already.
        schema: The schema of the graph it is meant for.

    Raises:
        GraphError: The grammar can't be had.
    """
    parsed = parse(query) if isinstance(query, str) else query
    draft = Draft(parsed)
    if _is_too_deep(parsed.root):
        draft.unread.append(Unread("expressions that are nested very deeply", 0, len(parsed.text)))
    elif not parsed.errors:
        Queries(draft).statement(parsed.root)
    written = [edge.hops for edge in draft.edges]
    labels = Labels(draft, schema)
    limit_lengths(draft, labels)
    return QueryReading(
        parsed=parsed,
        scopes=tuple(draft.scopes),
        nodes=tuple(
            NodeReading(
                key,
                node.variable,
                frozenset(node.written),
                labels.labels(key),
                node.scope,
                node.optional,
                node.start,
                node.stop,
            )
            for key, node in enumerate(draft.nodes)
        ),
        edges=tuple(
            EdgeReading(
                key,
                edge.start,
                edge.end,
                edge.directed,
                edge.leftward,
                edge.types,
                edge.hops,
                written[key],
                cast(Agreement, labels.agreements[key]),
                edge.variable,
                edge.part,
                edge.optional,
                edge.scope,
                edge.inner,
                edge.start_offset,
                edge.stop_offset,
            )
            for key, edge in enumerate(draft.edges)
        ),
        paths=tuple(draft.paths),
        conditions=tuple(draft.conditions),
        projections=tuple(draft.projections),
        properties=tuple(draft.properties),
        labels=tuple(draft.labels),
        types=tuple(draft.types),
        functions=tuple(draft.functions),
        undefined=undefined_names(draft),
        unread=tuple(draft.unread) or _all_unread(parsed),
    )


def _is_too_deep(root: Node) -> bool:
    # Level by level: a fifth of the time that a walk takes, and done once for every query.
    level = [root]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in node.children if isinstance(child, Node)]
        if not level:
            return False
    return True


def _all_unread(parsed: ParsedQuery) -> tuple[Unread, ...]:
    return (Unread("a text that is not valid Cypher", 0, len(parsed.text)),) if parsed.errors else ()
