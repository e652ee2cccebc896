"""What an expression of a query stands for, with every variable replaced by what it was bound to."""

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class NodeTerm:
    """A node that a pattern binds; ``key`` is its place in ``QueryReading.nodes``."""

    key: int


@dataclass(frozen=True, slots=True)
class EdgeTerm:
    """A relationship, or the list of those of a variable length; ``key`` as in ``QueryReading.edges``."""

    key: int


@dataclass(frozen=True, slots=True)
class PathTerm:
    """A named path; ``key`` is its place in ``QueryReading.paths``."""

    key: int


@dataclass(frozen=True, slots=True)
class GroupTerm:
    """What a variable within a repeated pattern holds outside of it: one value a repetition."""

    of: "Term"


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal; strings are decoded as the server decodes them."""

    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter, by its name without the dollar."""

    name: str


@dataclass(frozen=True, slots=True)
class Property:
    """A property of a node, relationship or map."""

    of: "Term"
    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function call; the name is in lower case, and ``count(*)`` has no arguments."""

    name: str
    arguments: tuple["Term", ...]
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator with its operands: ``and``, ``or``, ``not``, ``=``, ``in``, ``is null``, ``+``, ..."""

    operator: str
    operands: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class HasLabel:
    """A label test: whether a node has one of these labels, or a relationship one of these types."""

    of: "Term"
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListTerm:
    """A list written out."""

    items: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class MapTerm:
    """A map or map projection, entry by entry; ``everything`` where it also holds ``.*``."""

    entries: tuple[tuple[str, "Term"], ...]
    everything: "Term | None" = None


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a list: what UNWIND or the variable of a comprehension goes through."""

    of: "Term"
    key: int


@dataclass(frozen=True, slots=True)
class Comprehension:
    """A list comprehension, or a test of a list's elements (``all``, ``any``, ``none``, ``single``)."""

    kind: Literal["list", "all", "any", "none", "single"]
    element: Element
    where: "Term | None"
    projection: "Term | None"


@dataclass(frozen=True, slots=True)
class Subquery:
    """A pattern within an expression, with its own scope (a place in ``QueryReading.scopes``).

    A pattern comprehension is of the kind ``collect``, a pattern as a test of the kind ``exists``.
    """

    kind: Literal["exists", "count", "collect"]
    scope: int
    projection: "Term | None"


@dataclass(frozen=True, slots=True)
class Case:
    """A CASE: conditions with their results, and what holds otherwise."""

    branches: tuple[tuple["Term", "Term"], ...]
    default: "Term | None"


@dataclass(frozen=True, slots=True)
class Unknown:
    """What the reader does not read, with the terms it is made of; nothing may be concluded from it."""

    text: str
    parts: tuple["Term", ...] = ()


Term: TypeAlias = (
    NodeTerm
    | EdgeTerm
    | PathTerm
    | GroupTerm
    | Constant
    | Parameter
    | Property
    | Call
    | Operation
    | HasLabel
    | ListTerm
    | MapTerm
    | Element
    | Comprehension
    | Subquery
    | Case
    | Unknown
)
