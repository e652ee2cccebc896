"""Turn the arrows of a query that contradict the schema."""

from dataclasses import dataclass

from kg.cypher import (
    Edit,
    NodePattern,
    ParsedQuery,
    RelationshipPattern,
    apply_edits,
    parse,
    relationship_patterns,
    reverse,
)
from kg.direction.direction_choice import decide
from kg.direction.kinds import Kinds, bits
from kg.direction.pattern_graph import PatternGraph
from kg.reading.queries import read_draft
from kg.schema import Schema

_MOST_RULES = 4


@dataclass(frozen=True, slots=True)
class Turned:
    """One arrow that was turned.

    Attributes:
        start: Offset of the relationship pattern in the query as given.
        stop: Offset after its last character.
        before: The relationship pattern as it was.
        after: The relationship pattern as it is now.
        message: What was turned, where and why, in one sentence, without the literals of the query.
    """

    start: int
    stop: int
    before: str
    after: str
    message: str


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
    kinds = Kinds(schema)
    graph = PatternGraph(read_draft(parsed), kinds)
    steps = decide(graph, kinds)
    if not steps:
        return Corrected(parsed.text, ())
    patterns = {pattern.start: pattern for pattern in relationship_patterns(parsed)}
    turned = [(patterns[step.edge.start_offset], graph.variables[step.variable]) for step in steps]
    edits = [edit for pattern, _ in turned for edit in reverse(pattern)]
    return Corrected(
        apply_edits(parsed.text, edits),
        tuple(_describe(parsed, pattern, kinds, variable.whole()) for pattern, variable in turned),
    )


def _describe(parsed: ParsedQuery, pattern: RelationshipPattern, kinds: Kinds, types: int) -> Turned:
    """Say what the turn of an arrow changes, and which rules of the schema ask for it."""
    before = parsed.text[pattern.start : pattern.stop]
    moved = [Edit(at - pattern.start, to - pattern.start, new) for at, to, new in reverse(pattern)]
    left, right = _node(pattern.left), _node(pattern.right)
    inner = _inner(pattern)
    was, now = (f"<-{inner}-", f"-{inner}->")[:: 1 if pattern.direction == "left" else -1]
    rules = _rules(types, kinds)
    return Turned(
        pattern.start,
        pattern.stop,
        before,
        apply_edits(before, moved),
        f"Turned {left}{was}{right} at character {pattern.start} into {left}{now}{right}: {rules}.",
    )


def _node(node: NodePattern | None) -> str:
    if node is None:
        return "()"
    return f"({node.variable or ''}{''.join(f':{label}' for label in node.labels)})"


def _inner(pattern: RelationshipPattern) -> str:
    variable = pattern.variable or ""
    types = f":{'|'.join(pattern.types)}" if pattern.types else ""
    length = pattern.length
    times = ""
    if length is not None:
        most = "" if length.maximum is None else length.maximum
        times = f"*{most if length.minimum == length.maximum else f'{length.minimum}..{most}'}"
    return f"[{variable}{types}{times}]"


def _rules(types: int, kinds: Kinds) -> str:
    """Which way the types run."""
    rules = [
        f"{kinds.types[number]} runs from {_kind(kinds, start)} to {_kind(kinds, end)}"
        for number in bits(types)
        for start, row in enumerate(kinds.step(1 << number))
        for end in bits(row)
    ]
    return ", ".join(rules[:_MOST_RULES]) + (" and so on" if len(rules) > _MOST_RULES else "")


def _kind(kinds: Kinds, number: int) -> str:
    return f"({''.join(f':{label}' for label in sorted(kinds.labels[number]))})"
