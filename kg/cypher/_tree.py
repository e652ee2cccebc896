"""The tree of a parsed query."""

from __future__ import annotations

from collections.abc import Iterator

from kg.cypher._tokens import Token


class Node:
    """What one rule of the server's grammar matched; rules that matched nothing are left out.

    Attributes:
        rule: The grammar's name of the rule (see ``Rule`` for those the project looks up).
        start: Offset of its first character.
        stop: Offset after its last character.
        children: Nodes and tokens in the order of the text.
        parent: The node that holds it, None for the root.
    """

    __slots__ = ("children", "parent", "rule", "start", "stop")

    def __init__(self, rule: str, start: int, parent: Node | None) -> None:
        self.rule = rule
        self.start = start
        self.stop = start
        self.children: list[Node | Token] = []
        self.parent = parent

    def __repr__(self) -> str:
        return f"Node({self.rule!r}, {self.start}, {self.stop})"

    def nodes(self, rule: str | None = None) -> list[Node]:
        """The children that are nodes, of one rule where it is named."""
        return [node for node in self.children if isinstance(node, Node) and rule in (None, node.rule)]

    def node(self, rule: str) -> Node | None:
        """The first child of a rule."""
        return next(iter(self.nodes(rule)), None)

    def token(self, name: str) -> Token | None:
        """The first token of a type, by the grammar's name of it, among the children."""
        return next((part for part in self.children if isinstance(part, Token) and part.name == name), None)

    def walk(self) -> Iterator[Node]:
        """This node and all below it, each before its children, in the order of the text."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += [child for child in node.children[::-1] if isinstance(child, Node)]

    def find_all(self, *rules: str) -> Iterator[Node]:
        """The nodes of any of these rules here and below, in the order of the text."""
        wanted = frozenset(map(str, rules))
        return (node for node in self.walk() if node.rule in wanted)

    def find(self, *rules: str) -> Node | None:
        """The first node of any of these rules here or below."""
        return next(self.find_all(*rules), None)

    def tokens(self) -> Iterator[Token]:
        """All tokens here and below, in the order of the text."""
        waiting: list[Node | Token] = [self]
        while waiting:
            part = waiting.pop()
            if isinstance(part, Token):
                yield part
            else:
                waiting.extend(reversed(part.children))

    def ancestors(self) -> Iterator[Node]:
        """The nodes that hold this one, the nearest first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def within(self, *rules: str) -> Node | None:
        """The nearest ancestor of any of these rules."""
        return next((node for node in self.ancestors() if node.rule in rules), None)
