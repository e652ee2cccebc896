"""Turn the arrows of a query that contradict the schema."""

from dataclasses import dataclass

from kg.cypher import ParsedQuery, apply_edits, parse, reverse
from kg.direction._decide import decide
from kg.direction._kinds import Kinds
from kg.direction._outline import Outline
from kg.direction._reader import read_outline
from kg.direction._words import Turned, describe
from kg.schema import Schema


@dataclass(frozen=True, slots=True)
class Corrected:
    """A query after correction.

    Attributes:
        query: The query; the text as given where nothing was turned.
        turned: What was turned, in the order of the text.
    """

    query: str
    turned: tuple[Turned, ...]


def correct_directions(query: str | ParsedQuery, schema: Schema) -> Corrected:
    """Turn each arrow that contradicts the schema, where the schema leaves one way to read it.

    Only arrow heads are edited, at the places of their tokens; all other characters stay. A query with
    syntax errors, or one nested too deeply to be read, is left as it is. ``docs/direction.md`` says how it
    decides. Correcting a corrected query changes nothing more.

    Args:
        query: A query, parsed or not.
        schema: The schema of the graph that it asks.

    Raises:
        GraphError: The grammar can't be had (see ``docs/cypher-text.md``).
    """
    parsed = parse(query) if isinstance(query, str) else query
    if parsed.errors:
        return Corrected(parsed.text, ())
    kinds = Kinds(schema)
    outline = Outline(kinds.nodes, kinds.relationships)
    try:
        read_outline(parsed, outline)
    except RecursionError:
        return Corrected(parsed.text, ())
    steps = decide(outline, kinds)
    edits = [edit for step in steps for edit in reverse(step.pattern)]
    return Corrected(
        apply_edits(parsed.text, edits), tuple(describe(parsed, step, outline, kinds) for step in steps)
    )
