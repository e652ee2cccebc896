"""What is gathered while a query is read."""

from dataclasses import dataclass, replace

from kg.cypher import Node, ParsedQuery, string_literals
from kg.reading.model import QueryModel, Scope, ScopeKind, Term, Unread


@dataclass(frozen=True, slots=True)
class Context:
    """Where something is read: the variables that can be seen, the scope, the block, the clause."""

    variables: dict[str, Term]
    scope: int
    block: int
    part: int
    optional: bool = False

    def with_variables(self, more: dict[str, Term]) -> "Context":
        """The same place, with more variables."""
        return replace(self, variables={**self.variables, **more})


class Draft(QueryModel):
    """A query model that is still being filled, in the order of the text."""

    def __init__(self, parsed: ParsedQuery) -> None:
        super().__init__(parsed)
        self.strings = {literal.start: literal.value for literal in string_literals(parsed.text)}
        self._parts = 0

    def scope(self, parent: int | None, kind: ScopeKind, *, keeps_rows: bool) -> int:
        """Open a scope."""
        self.scopes.append(Scope(len(self.scopes), parent, kind, keeps_rows))
        return len(self.scopes) - 1

    def keep_rows(self, scope: int) -> None:
        """Note that the rows of a scope's parent remain where nothing in it matches."""
        old = self.scopes[scope]
        self.scopes[scope] = Scope(old.index, old.parent, old.kind, True)

    def block(self, parent: int | None) -> int:
        """Begin what has to hold together."""
        self.blocks.append(parent)
        return len(self.blocks) - 1

    def part(self) -> int:
        """Number the next clause."""
        self._parts += 1
        return self._parts

    def element(self, block: int, of: Term | None = None) -> int:
        """Number the next variable that goes through a list."""
        self.elements.append((block, of))
        return len(self.elements)

    def source(self, node: Node) -> str:
        """The text of a part of the tree."""
        return self.parsed.text[node.start : node.stop]

    def name(self, node: Node) -> str:
        """The name that a part of the tree spells."""
        text = self.source(node)
        return text[1:-1].replace("``", "`") if text.startswith("`") else text

    def miss(self, why: str, node: Node) -> None:
        """Note that a part of the query is not understood."""
        self.unread.append(Unread(why, node.start, node.stop))
