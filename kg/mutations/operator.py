"""Mutation operators, and the parts of a query that they change."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml

from retrocypher.kg.cypher.clauses import Clause, LengthRange, ReturnItem, clauses, relationship_patterns
from retrocypher.kg.cypher.edits import Edit
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import Node, Token

MutationKind = Literal["error", "style", "neutral"]

WHERE_CLAUSE = "whereClause"
CONJUNCTION = "expression10"
CALL = "functionInvocation"
CALL_NAME = "functionName"
PATTERN = "pattern"
ELEMENT = "patternElement"
PROPERTY_NAME = "propertyKeyName"

_BY_TYPE = {"REACTS_IN": "reactants", "USES_AGENT": "agents", "USES_SOLVENT": "solvents"}
_BY_WORD = {
    "yield": "target_yield",
    "coproduct": "co_products",
    "reactant": "reactants",
    "precursor": "reactants",
    "agent": "agents",
    "solvent": "solvents",
    "product": "products",
}


class Mutation(NamedTuple):
    """One change to a query.

    ``detail`` is what the label's colon is followed by, where the place decides it: the component that is
    missing, or which part of the schema is violated.
    """

    edits: tuple[Edit, ...]
    detail: str = ""


Mutations = Callable[[ParsedQuery], Iterable[Mutation]]


@dataclass(frozen=True, slots=True)
class Operator:
    """One kind of change, named as the function that finds its places (lower case, as in ``mutant:NAME``).

    ``kind`` is ``error`` where the result is meant to be worse, ``style`` where rows change and no score,
    ``neutral`` where the score stays; a neutral operator has no label. ``mutations`` gives every way to make
    this change to a query without syntax errors, and depends on nothing but the query.
    """

    name: str
    summary: str
    kind: MutationKind
    label: str | None
    mutations: Mutations

    def label_of(self, mutation: Mutation) -> str | None:
        """The label of one of its mutations, with the detail that the place decides."""
        if self.label is None or not mutation.detail:
            return self.label
        return f"{self.label}:{mutation.detail}"


def error(label: str) -> Callable[[Mutations], Operator]:
    """Make a function an operator that plants an error; its docstring's first line is the summary."""
    return lambda mutations: make_operator(mutations, mutations, "error", label)


def style(label: str) -> Callable[[Mutations], Operator]:
    """Make a function an operator that changes rows and no score, as `error` does."""
    return lambda mutations: make_operator(mutations, mutations, "style", label)


def neutral(mutations: Mutations) -> Operator:
    """Make a function an operator that changes no result, as `error` does."""
    return make_operator(mutations, mutations, "neutral", None)


def make_operator(
    described: Callable[..., object], mutations: Mutations, kind: MutationKind, label: str | None
) -> Operator:
    """Return an operator with the name and summary of a function."""
    summary = (described.__doc__ or "").partition(".\n")[0].removesuffix(".")
    return Operator(described.__name__, summary[:1].lower() + summary[1:], kind, label, mutations)


@cache
def data(name: str) -> Any:
    """Return what a YAML file beside this module holds."""
    return yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def main_clauses(query: ParsedQuery) -> list[Clause]:
    """The clauses of the query itself, those of subqueries left out."""
    return [clause for clause in clauses(query) if clause.depth == 0]


def matches(query: ParsedQuery) -> list[Clause]:
    """The query's own MATCH and OPTIONAL MATCH clauses."""
    return [clause for clause in main_clauses(query) if clause.kind.endswith("MATCH")]


def last_return(query: ParsedQuery) -> Clause | None:
    """The clause that makes the result; None where the query ends otherwise."""
    found = main_clauses(query)
    return found[-1] if found and found[-1].kind == "RETURN" else None


def body(clause: Clause) -> Node:
    """The node of the clause's own kind, such as a ``matchClause``."""
    return clause.node.nodes()[0]


def where_of(clause: Clause) -> Node | None:
    """The WHERE of a MATCH or WITH."""
    return body(clause).node(WHERE_CLAUSE)


def conjuncts(where: Node) -> list[Node]:
    """The conditions that a WHERE joins by AND; the whole one where it joins them otherwise."""
    condition = where.node(Rule.EXPRESSION)
    while condition is not None and len(condition.nodes()) == 1 and condition.rule != CONJUNCTION:
        condition = condition.nodes()[0]
    if condition is None:
        return []
    return condition.nodes() if condition.rule == CONJUNCTION else [condition]


def conditions(query: ParsedQuery) -> Iterator[tuple[Node, int, Node]]:
    """Each WHERE of the query's own clauses, with the place and node of each of its conditions."""
    for clause in main_clauses(query):
        where = where_of(clause)
        if where:
            yield from ((where, index, condition) for index, condition in enumerate(conjuncts(where)))


def without_conjunct(query: ParsedQuery, where: Node, index: int) -> Edit:
    """The edit that takes one condition out of a WHERE, and the WHERE with the last one."""
    found = conjuncts(where)
    if len(found) == 1:
        return Edit(end_before(query, where.start), where.stop, "")
    if index == 0:
        return Edit(found[0].start, found[1].start, "")
    return Edit(found[index - 1].stop, found[index].stop, "")


def without_clause(query: ParsedQuery, clause: Clause) -> Edit:
    """The edit that takes a clause out, with the space around it where a clause follows."""
    following = next((token.start for token in query.tokens if token.start >= clause.stop), clause.stop)
    return Edit(clause.start, following, "")


def end_before(query: ParsedQuery, offset: int) -> int:
    """Where the last token before an offset ends."""
    return max((token.stop for token in query.tokens if token.stop <= offset), default=0)


def text_of(query: ParsedQuery, part: Node | Clause | ReturnItem) -> str:
    """The characters of a part of the query."""
    return query.text[part.start : part.stop]


def variables_in(query: ParsedQuery, part: Node) -> set[str]:
    """The names of the variables that a part binds or uses."""
    return {query.source(node).strip("`") for node in part.find_all(Rule.VARIABLE)}


def calls(part: Node, name: str) -> Iterator[Node]:
    """The calls of a function, by its name in lower case."""
    for call in part.find_all(CALL):
        written = call.node(CALL_NAME)
        if written and "".join(token.text for token in written.tokens()).lower() == name:
            yield call


def scope_before(query: ParsedQuery, clause: Clause) -> list[str]:
    """The variables that a clause of the query itself finds bound, in the order in which they were bound."""
    bound: dict[str, None] = {}
    for earlier in main_clauses(query):
        if earlier.start >= clause.start:
            break
        if earlier.kind == "WITH":
            listed = earlier.node.find(Rule.RETURN_ITEMS)
            starred = listed is not None and listed.token("TIMES") is not None
            bound = {**(bound if starred else {}), **dict.fromkeys(item.column for item in earlier.items)}
        elif earlier.kind.endswith("MATCH"):
            bound.update(dict.fromkeys(_bound(query, earlier)))
        elif earlier.kind == "UNWIND":
            bound.update(dict.fromkeys(sorted(variables_in(query, body(earlier)))))
    return list(bound)


def _bound(query: ParsedQuery, clause: Clause) -> list[str]:
    patterns = body(clause).node("patternList")
    if patterns is None:
        return []
    holders = (PATTERN, Rule.NODE_PATTERN, Rule.RELATIONSHIP_PATTERN)
    return [
        query.source(variable).strip("`")
        for holder in patterns.find_all(*holders)
        if (variable := holder.node(Rule.VARIABLE))
    ]


def replaced(part: Token | Node | Clause | ReturnItem | LengthRange, text: str, detail: str = "") -> Mutation:
    """The mutation that puts a text in place of a part of the query."""
    return Mutation((Edit(part.start, part.stop, text),), detail)


def inserted(offset: int, text: str) -> Mutation:
    """The mutation that puts a text at a place."""
    return Mutation((Edit(offset, offset, text),))


class Anchor(NamedTuple):
    """A string that a property is compared with, in a property map (``pattern``) or a WHERE (``condition``).

    ``name`` is where the property's name stands. A condition is ``variable.name = '…'`` or ``… IN […]``. The
    variable is None in the map of a nameless node.
    """

    literal: Node
    variable: str | None
    name: Node
    pattern: Node | None
    condition: Node | None


def anchors(query: ParsedQuery) -> list[Anchor]:
    """Return the anchors of a query in the order of the text."""
    found = (_anchor(query, literal) for literal in query.root.find_all(Rule.STRING_LITERAL))
    return [anchor for anchor in found if anchor]


def _anchor(query: ParsedQuery, literal: Node) -> Anchor | None:
    properties = literal.within(Rule.PROPERTIES)
    pattern = properties.within(Rule.NODE_PATTERN) if properties else None
    if properties and pattern:
        names = [name for name in properties.find_all(PROPERTY_NAME) if name.stop <= literal.start]
        variable = pattern.node(Rule.VARIABLE)
        return Anchor(literal, query.source(variable) if variable else None, names[-1], pattern, None)
    condition = _comparison(literal)
    name = condition.find(PROPERTY_NAME) if condition else None
    variable = condition.find(Rule.VARIABLE) if condition else None
    if condition is None or name is None or variable is None:
        return None
    return Anchor(literal, query.source(variable), name, None, condition)


def _comparison(literal: Node) -> Node | None:
    """The comparison of a WHERE that a literal stands in, be it in a list."""
    found = None
    for node in literal.ancestors():
        if node.rule == WHERE_CLAUSE:
            return found
        if node.rule == Rule.COMPARISON:
            found = node
    return None


def is_id(item: ReturnItem) -> bool:
    """Whether an item tells reactions apart."""
    return item.column == "id" or item.expression.endswith(".id")


def component_of(query: ParsedQuery, item: ReturnItem) -> str:
    """The component that an item holds, by what its variables are joined with, else by its name; or none.

    One of ``id``, ``reactants``, ``products``, ``agents``, ``solvents``, ``target_yield``, ``co_products``
    or the empty string.
    """
    item = _where_made(query, item)
    if is_id(item):
        return "id"
    if item.expression.endswith(".yield"):
        return "target_yield"
    used = variables_in(query, item.node) - {item.alias}
    types = {
        pattern.types
        for pattern in relationship_patterns(query)
        for end in (pattern.left, pattern.right)
        if end and end.variable in used and "Reaction" not in end.labels
    }
    if types == {("PRODUCES",)}:
        return "co_products" if _is_told_apart(query, used) else "products"
    if len(types) == 1 and len(*types) == 1:
        return _BY_TYPE.get(next(iter(types))[0], "")
    name = "".join(letter for letter in item.column.lower() if letter.isalpha())
    return next((component for word, component in _BY_WORD.items() if word in name), "")


def _where_made(query: ParsedQuery, item: ReturnItem) -> ReturnItem:
    """The item of a WITH that made what a later one only hands on."""
    earlier = [
        each
        for clause in main_clauses(query)
        for each in clause.items
        if each.stop <= item.start and each.alias and each.alias == item.expression
    ]
    return earlier[-1] if earlier else item


def _is_told_apart(query: ParsedQuery, used: set[str]) -> bool:
    wheres = [where for clause in main_clauses(query) if (where := where_of(clause))]
    return any("<>" in text_of(query, where) and variables_in(query, where) & used for where in wheres)
