"""What was turned, in words."""

from dataclasses import dataclass

from kg.cypher import Edit, NodePattern, ParsedQuery, RelationshipPattern, apply_edits, reverse
from kg.direction._kinds import Kinds, bits
from kg.direction._outline import Outline, Step
from kg.direction._readings import whole

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


def describe(parsed: ParsedQuery, step: Step, outline: Outline, kinds: Kinds) -> Turned:
    """Say what the turn of a step's arrow changes, and which rules of the schema ask for it."""
    pattern = step.pattern
    before = parsed.text[pattern.start : pattern.stop]
    moved = [Edit(at - pattern.start, to - pattern.start, new) for at, to, new in reverse(pattern)]
    left, right = _node(pattern.left), _node(pattern.right)
    inner = _inner(pattern)
    was, now = (f"<-{inner}-", f"-{inner}->")[:: 1 if pattern.direction == "left" else -1]
    rules = _rules(whole(outline.things[step.thing]), kinds)
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
