"""The query model while it is filled: its draft, and the terms that calls and operators make."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from retrocypher.kg.cypher.tokens import Node
from retrocypher.kg.semantics.query_model import (
    Call,
    Case,
    Comprehension,
    Condition,
    Constant,
    EdgeTerm,
    Element,
    GroupTerm,
    HasLabel,
    ListTerm,
    MapTerm,
    NodeTerm,
    Operation,
    PathTerm,
    Property,
    QueryModel,
    Scope,
    ScopeKind,
    Subquery,
    Term,
    Test,
    Unknown,
    Unread,
)

_MOST_TERMS = 20_000
"""Terms of all expressions of a query, what their variables stand for included."""

_DEEPEST_TERM = 100
"""Levels of a term: code that compares or hashes terms needs a few frames for each."""

_SAME_ELEMENTS = frozenset({"apoc.coll.toset", "apoc.coll.flatten", "reverse", "apoc.coll.sort", "tail"})

_SYNONYMS = {
    "rels": "relationships",
    "relationships": "relationships",
    "char_length": "size",
    "character_length": "size",
    "lower": "tolower",
    "tolower": "tolower",
    "upper": "toupper",
    "toupper": "toupper",
}

_OPPOSITES = {
    "=": "<>",
    "<>": "=",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
    "is null": "is not null",
    "is not null": "is null",
}


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


@dataclass(eq=False)
class Draft(QueryModel):
    """A query model that is still being filled, in the order of the text."""

    _parts: int = field(default=0, init=False)
    _terms: int = field(default=0, init=False)

    def scope(self, parent: int | None, kind: ScopeKind, *, keeps_rows: bool) -> int:
        """Open a scope."""
        self.scopes.append(Scope(len(self.scopes), parent, kind, keeps_rows))
        return len(self.scopes) - 1

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

    def has_room_for(self, term: Term) -> bool:
        """Count the parts of an expression; return whether it, and all so far, are within the budget.

        Each variable stands for what it was bound to, so a short query can make a term of any size.
        """
        waiting = [(term, 1)]
        while waiting:
            found, level = waiting.pop()
            self._terms += 1
            if level > _DEEPEST_TERM or self._terms > _MOST_TERMS:
                return False
            waiting += [(each, level + 1) for each in parts_of(found)]
        return True

    def name(self, node: Node) -> str:
        """The name that a part of the tree spells."""
        text = self.parsed.source(node)
        return text[1:-1].replace("``", "`") if text.startswith("`") else text

    def miss(self, why: str, node: Node) -> None:
        """Note that a part of the query is not understood."""
        self.unread.append(Unread(why, node.start, node.stop))


def element_of(draft: Draft, source: Term, block: int) -> Term:
    """What one element of a list stands for.

    An element of ``collect(x)`` is ``x`` itself: the two differ in how many rows there are, not in meaning.
    """
    match source:
        case ListTerm((item,)):
            return item
        case (
            Call("collect", (item,))
            | Subquery("collect", _, NodeTerm() | EdgeTerm() as item)
            | GroupTerm(item)
            | Comprehension("list", _, None, NodeTerm() | EdgeTerm() as item)
        ):
            if isinstance(item, NodeTerm | EdgeTerm):
                return replace(item, element=draft.element(block, item))
            return item
        case Subquery("collect", _, item) | Comprehension("list", _, None, item) if item is not None:
            return item
        case Call(name, (items,)) if name in _SAME_ELEMENTS:
            return element_of(draft, items, block)
        case Comprehension("list", element, None, None):
            return element_of(draft, element.of, block)
    return Element(source, draft.element(block))


def item_of(draft: Draft, source: Term, place: int) -> Term | None:
    """The element of a list at a place counted from its beginning, or from its end where negative."""
    match source:
        case ListTerm(items) if -len(items) <= place < len(items):
            return items[place]
        case Call("nodes", (PathTerm(key),)) if place in (0, -1):
            return NodeTerm(draft.paths[key].nodes[place])
        case Call("nodes", (PathTerm(key),)) if _single_hops(draft, key):
            nodes = draft.paths[key].nodes
            return NodeTerm(nodes[place]) if -len(nodes) <= place < len(nodes) else None
        case Call("relationships", (PathTerm(key),)) if _single_hops(draft, key):
            edges = draft.paths[key].edges
            return EdgeTerm(edges[place]) if -len(edges) <= place < len(edges) else None
        case Call("reverse", (items,)):
            return item_of(draft, items, -1 - place)
    return None


def _single_hops(draft: Draft, path: int) -> bool:
    return all(draft.edges[edge].hops == (1, 1) for edge in draft.paths[path].edges)


def call(draft: Draft, name: str, arguments: tuple[Term, ...], distinct: bool) -> Term:
    """A function call, worked out where its arguments say enough."""
    if len(arguments) == 1:
        argument = arguments[0]
        if name in ("head", "last"):
            found = item_of(draft, argument, 0 if name == "head" else -1)
            if found is not None:
                return found
        if name in ("startnode", "endnode") and isinstance(argument, EdgeTerm):
            edge = draft.edges[argument.key]
            if edge.directed and edge.hops == (1, 1):
                # An element of its own: what is said of it says nothing of how the arrow should point.
                return NodeTerm(edge.start if name == "startnode" else edge.end, draft.element(edge.block))
        if name in _SYNONYMS:
            return Call(_SYNONYMS[name], arguments)
    return Call(name, arguments, distinct)


def property_of(of: Term, name: str) -> Term:
    """A property, or the entry where it is looked up on a map that is written out."""
    match of:
        # One of several collected maps: which one does not change what its entries stand for.
        case Operation("[]", (Call("collect", (MapTerm() as collected,)), _)):
            of = collected
        case Call("head" | "last", (Call("collect", (MapTerm() as collected,)),)):
            of = collected
    if isinstance(of, MapTerm):
        entry = dict(of.entries).get(name)
        if entry is not None:
            return entry
        if of.everything is not None:
            return Property(of.everything, name)
    return Property(of, name)


def operation(operator: str, *operands: Term) -> Term:
    """An operation; arithmetic on numbers is worked out, and ANDs and ORs are flat."""
    if operator in ("and", "or"):
        flat = [
            inner
            for each in operands
            for inner in (
                each.operands if isinstance(each, Operation) and each.operator == operator else (each,)
            )
        ]
        return _joined(operator, flat)
    if operator == "not" and isinstance(operands[0], Operation):
        inner = operands[0]
        opposite = _OPPOSITES.get(inner.operator)
        if opposite is not None:
            return Operation(opposite, inner.operands)
        if inner.operator == "not":
            return inner.operands[0]
    if operator in ("=", "in") and len(operands) == 2:
        test = _label_test(operator, *operands) or _label_test(operator, *operands[::-1])
        if test is not None:
            return test
    numbers = [each.value for each in operands if isinstance(each, Constant)]
    if len(numbers) == len(operands) == 2 and operator in "+-*" and all(type(n) is int for n in numbers):
        left, right = (int(n) for n in numbers if isinstance(n, int))
        return Constant({"+": left + right, "-": left - right, "*": left * right}[operator])
    return Operation(operator, operands)


def _joined(operator: str, operands: list[Term]) -> Term:
    """An AND or OR without the operands that do not matter to it, such as ``true`` in an AND."""
    decides = operator == "or"
    if any(_truth(each) is decides for each in operands):
        return Constant(decides)
    left = [each for each in operands if _truth(each) is None]
    if not left:
        return Constant(not decides)
    return left[0] if len(left) == 1 else Operation(operator, tuple(left))


def _truth(term: Term) -> bool | None:
    """The truth of a condition that holds nothing but literals; None for all others."""
    match term:
        case Constant(bool() as value):
            return value
        case Operation("=", (Constant(left), Constant(right))) if left is not None and type(left) is type(
            right
        ):
            return left == right
        case Operation("is not null", (Constant(value),)):
            return value is not None
    return None


def _label_test(operator: str, left: Term, right: Term) -> Term | None:
    """A test such as ``'Reaction' IN labels(n)`` or ``type(r) = 'PRODUCES'`` as a label test."""
    match operator, left, right:
        case "in", Constant(str() as label), Call("labels", (of,)):
            return HasLabel(of, (label,))
        case "=", Operation("[]", (Call("labels", (of,)), Constant(0))), Constant(str() as label):
            return HasLabel(of, (label,))
        case "=", Call("head", (Call("labels", (of,)),)), Constant(str() as label):
            return HasLabel(of, (label,))
        case "=", Call("labels", (of,)), ListTerm((Constant(str() as label),)):
            return HasLabel(of, (label,))
        case "=", Call("type", (of,)), Constant(str() as label):
            return HasLabel(of, (label,))
        case "in", Call("type", (of,)), ListTerm(items):
            labels = [each.value for each in items if isinstance(each, Constant)]
            named = tuple(label for label in labels if isinstance(label, str))
            return HasLabel(of, named) if len(named) == len(items) else None
    return None


def parts_of(term: Term) -> tuple[Term, ...]:
    """The terms that a term is made of."""
    match term:
        case Property(of) | HasLabel(of) | GroupTerm(of) | Element(of):
            return (of,)
        case Call(_, arguments):
            return arguments
        case Operation(_, operands):
            return operands
        case ListTerm(items):
            return items
        case MapTerm(entries, everything):
            inner = tuple(value for _, value in entries)
            return inner if everything is None else (*inner, everything)
        case Comprehension(_, element, where, projection):
            return tuple(each for each in (element, where, projection) if each is not None)
        case Subquery(_, _, projection):
            return () if projection is None else (projection,)
        case Case(branches, default):
            inner = tuple(each for branch in branches for each in branch)
            return inner if default is None else (*inner, default)
        case Unknown(_, parts):
            return parts
    return ()


def walk(term: Term) -> Iterator[Term]:
    """A term and all that it is made of, outermost first."""
    waiting = [term]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(reversed(parts_of(found)))


def conjuncts(term: Term) -> Iterator[Term]:
    """The conditions that all have to hold for a condition to hold."""
    match term:
        case Operation("and", operands):
            parts = operands
        case Operation("not", (Operation("or", operands),)):
            parts = tuple(operation("not", operand) for operand in operands)
        case _:
            yield term
            return
    for part in parts:
        yield from conjuncts(part)


def require(draft: Draft, term: Term, node: Node, context: Context, *, pattern: bool = False) -> None:
    """Note a condition that has to hold."""
    draft.tests.append(Test(term, context.block, pattern))
    draft.conditions += [
        Condition(each, context.scope, context.part, context.optional, node.start, node.stop)
        for each in conjuncts(term)
    ]
