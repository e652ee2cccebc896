"""What is read of a query: what its variables stand for, what is said of that, and how it is joined."""

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from kg.cypher import RelationshipPattern
from kg.direction._kinds import Universe

ASKED, READ = 3, 2
"""How much a property tells of its owner: where a pattern or WHERE needs it, and where it is only read."""


class Binding(NamedTuple):
    """What a variable stands for: a thing, by its number, or a list of such things."""

    thing: int
    listed: bool = False


Scope: TypeAlias = dict[str, Binding]


@dataclass
class Thing:
    """A node or a relationship, whatever names it goes by.

    Attributes:
        home: The part of the query that brings it in.
        universe: What it may be.
        labels: What labels or types, by the part that says so, leave of that.
        properties: The properties it is said to have, with how much each part's word for it counts.
        source: The thing that it is one of, where it comes from a list.
    """

    home: int
    universe: Universe
    labels: list[tuple[int, int]] = field(default_factory=list)
    properties: dict[str, dict[int, int]] = field(default_factory=dict)
    source: int | None = None


class Step(NamedTuple):
    """A relationship pattern and the thing it binds."""

    pattern: RelationshipPattern
    thing: int


@dataclass(frozen=True)
class Stretch:
    """What joins two nodes: a relationship pattern, or a parenthesised path with a quantifier.

    Attributes:
        left: The node before it.
        right: The node after it.
        part: The part of the query it stands in.
        steps: Its relationship patterns; more than one only in a parenthesised path.
        inner: The nodes within a parenthesised path, one more than steps; else none.
        minimum: How often it is followed at least.
        maximum: How often at most, None without bound.
    """

    left: int
    right: int
    part: int
    steps: tuple[Step, ...]
    inner: tuple[int, ...] = ()
    minimum: int = 1
    maximum: int | None = 1


class Outline:
    """A query's parts, things and stretches.

    A part is what must hold together: the MATCHes of a query; each OPTIONAL MATCH, subquery expression or
    pattern within an expression, which hangs on the part it stands in; each branch of a UNION.
    """

    def __init__(self, nodes: Universe, relationships: Universe) -> None:
        self.nodes = nodes
        self.relationships = relationships
        self.parts: list[int | None] = []
        self.things: list[Thing] = []
        self.stretches: list[Stretch] = []

    def new_part(self, parent: int | None) -> int:
        """Begin a part that hangs on another, or on none."""
        self.parts.append(parent)
        return len(self.parts) - 1

    def new_node(self, part: int, source: int | None = None) -> int:
        """Bring in a node."""
        self.things.append(Thing(part, self.nodes, source=source))
        return len(self.things) - 1

    def new_relationship(self, part: int) -> int:
        """Bring in a relationship."""
        self.things.append(Thing(part, self.relationships))
        return len(self.things) - 1

    def say_labels(self, thing: int, part: int, choices: int) -> None:
        """Note that labels or types leave only some choices."""
        if choices != self.things[thing].universe.everything:
            self.things[thing].labels.append((part, choices))

    def say_property(self, thing: int, part: int, key: str, weight: int) -> None:
        """Note that a thing is said to have a property."""
        said = self.things[thing].properties.setdefault(key, {})
        said[part] = max(weight, said.get(part, 0))

    def chain(self, part: int) -> frozenset[int]:
        """A part and all that it hangs on."""
        found: set[int] = set()
        at: int | None = part
        while at is not None:
            found.add(at)
            at = self.parts[at]
        return frozenset(found)
