"""Roles: which part of a reaction each node and each returned value of a query holds."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from retrocypher.kg.semantics.builder import walk as parts_within
from retrocypher.kg.semantics.query_model import (
    Call,
    Case,
    Comprehension,
    Constant,
    EdgeTerm,
    Element,
    GroupTerm,
    HasLabel,
    ListTerm,
    MapTerm,
    NodeTerm,
    Operation,
    Parameter,
    PathTerm,
    Property,
    Subquery,
    Term,
    Unknown,
)
from retrocypher.prompts.validation.finding import Case as ValidationCase
from retrocypher.prompts.validation.finding import Finding, names
from retrocypher.prompts.validation.graph_view import Link, View

_HANDED_ON = frozenset(
    {"collect", "coalesce", "max", "min", "avg", "distinct", "reverse", "round", "tofloat", "tointeger"}
    | {"tostring", "apoc.coll.toset", "apoc.coll.sort", "sum", "nullif", "trim"}
)
_ONE_OF_MANY = frozenset({"head", "last", "[]", "slice", "tail", "min", "max"})
_NUMBERS = frozenset({"count", "size", "length", "range", "rand", "timestamp"})


class Held(NamedTuple):
    """What a value holds of a reaction.

    Attributes:
        role: ``id``, a component, ``target`` for the molecule asked about, ``yield`` for its yield,
            ``other_yield``, ``mixed`` for several components in one, ``foreign`` for what belongs to another
            reaction, ``path``, ``value`` for anything else, ``unknown`` where it cannot be told.
        node: The node it comes from.
        partial: Whether only one of several values is kept.
        link: The relationship by which the reaction has it.
    """

    role: str
    node: int | None = None
    partial: bool = False
    link: Link | None = None


class Roles:
    """Roles within the reactions (`focal`) that the query is about; `names` are those of the targets."""

    def __init__(self, view: View, focal: set[int], targets: set[int], names: Sequence[str]) -> None:
        self._view = view
        self.focal = focal
        self._targets = targets
        self._names = frozenset(names)

    def held(self, term: Term, filters: tuple[Term, ...] = ()) -> list[Held]:
        """What a term holds; several entries for a map, a list or a choice."""
        match term:
            case NodeTerm(key):
                return [self._node(self._view.node(key), filters)]
            case Property(NodeTerm(key), name):
                domain = self._view.domain
                known = name in (domain.molecule_name, domain.reaction_id)
                return [self._node(self._view.node(key), filters)] if known else [Held("value")]
            case Property(EdgeTerm(key), name) if name == self._view.domain.yield_name:
                return [self._yield(key)]
            case Property(of, _):
                return self._vague(of)
            case Call(name, arguments):
                return self._call(name, arguments, filters)
            case Operation("[]", (inner, *_)):
                return [each._replace(partial=True) for each in self.held(inner, filters)]
            case Operation("union" | "+", operands):
                return [each for operand in operands for each in self.held(operand, filters)]
            case ListTerm(items):
                return [each for item in items for each in self.held(item, filters)]
            case MapTerm(entries, everything):
                values = [value for _, value in entries] + ([] if everything is None else [everything])
                return [each for value in values for each in self.held(value, filters)]
            case Comprehension("list", element, where, projection):
                return self._comprehension(element, where, projection, filters)
            case Case(branches, default):
                found = [each for when, then in branches for each in self.held(then, (*filters, when))]
                return found + ([] if default is None else self.held(default, filters))
            case Subquery("collect", scope, projection) if projection is not None:
                own = tuple(c.term for c in self._view.reading.conditions if c.scope == scope)
                return self.held(projection, (*filters, *own))
            case GroupTerm(inner):
                return self.held(inner, filters)
            case PathTerm():
                return [Held("path")]
            case Unknown() | Parameter():
                return [Held("unknown")]
            case Element():
                return self._vague(term)
        return [Held("value")]

    def _call(self, name: str, arguments: tuple[Term, ...], filters: tuple[Term, ...]) -> list[Held]:
        if name in _NUMBERS:
            return [Held("value")]
        if name == "nodes":
            return [Held("path")]
        if name in _ONE_OF_MANY and arguments:
            lists = name not in ("min", "max")
            return [each._replace(partial=lists) for each in self.held(arguments[0], filters)]
        if name in _HANDED_ON and arguments:
            return [each for argument in arguments for each in self.held(argument, filters)]
        if name in ("id", "elementid") and arguments:
            return [Held("value")]
        return [Held("unknown")] if any(self.held(argument) for argument in arguments) else [Held("value")]

    def _comprehension(
        self, element: Element, where: Term | None, projection: Term | None, filters: tuple[Term, ...]
    ) -> list[Held]:
        within = filters if where is None else (*filters, where)
        if projection is not None and any(isinstance(each, NodeTerm) for each in parts_within(projection)):
            return self.held(projection, within)
        if projection is None or any(each == element for each in parts_within(projection)):
            return self.held(element.of, within)
        return self.held(projection, within)

    def _vague(self, term: Term) -> list[Held]:
        """What is taken out of a list or a map that is not written out."""
        match term:
            case Element(Call("nodes", _), _):
                return [Held("path")]
            case Element(Constant() | ListTerm(), _):
                return [Held("value")]
            case Element(inner, _):
                return self.held(inner)
        return [Held("unknown")]

    def _yield(self, edge: int) -> Held:
        link = self._view.links[edge]
        if link.start in self.focal and link.end in self._targets:
            return Held("yield", None, False, link)
        return Held("other_yield", None, False, link)

    def _node(self, node: int, filters: tuple[Term, ...]) -> Held:
        if node in self.focal:
            return Held("id", node)
        if node in self._targets:
            return Held("target", node)
        if self._view.is_reaction(node):
            return Held("foreign", node)
        links = [link for link in self._links(node) if link.status != "negated"]
        components = {name for link in links for name in self.components(link, node, filters)}
        if not links:
            return Held("foreign", node)
        if not components:
            return Held("unknown", node, False, links[0])
        if len(components) > 1:
            # What limits the relationship in a way that is not read may well leave one component.
            limited = any(_speaks_of(term, link) for term in filters for link in links)
            return Held("unknown" if limited else "mixed", node, False, links[0])
        role = components.pop()
        if role == "products" and self.excludes_target(node, links, filters):
            role = "co_products"
        return Held(role, node, False, links[0])

    def _links(self, node: int) -> Iterator[Link]:
        """The links of a node to the reactions that the query is about."""
        for link in self._view.links:
            if (link.start == node and link.end in self.focal) or (
                link.end == node and link.start in self.focal
            ):
                yield link

    def components(self, link: Link, molecule: int, filters: tuple[Term, ...] = ()) -> set[str]:
        """The components that a molecule can be by a link to its reaction, where filters hold."""
        if link.hops != (1, 1):
            return set()
        kept = _types_kept(link, filters)
        into = link.start == molecule
        every = self._view.domain.components.values()
        directed = link.edge.agreement != "both"
        return {
            each.name
            for each in every
            if (not link.types or each.type in link.types)
            and (kept is None or each.type in kept)
            and (not directed or each.into == into)
        }

    def excludes_target(self, node: int, links: Sequence[Link], filters: tuple[Term, ...]) -> bool:
        """Whether a product cannot be the molecule that is asked about."""
        parts = {(link.edge.part, link.edge.scope) for link in links if link.end == node}
        for link in self._view.links:
            # Two relationships of one MATCH are never the same one, so neither are their products here.
            of_target = link.end in self._targets and link.start in self.focal
            if of_target and (link.edge.part, link.edge.scope) in parts:
                return True
        terms = [condition.term for condition in self._view.reading.conditions]
        return any(self.excludes(term, node) for term in (*terms, *filters))

    def excludes(self, term: Term, node: int | None = None) -> bool:
        """Whether a condition keeps the molecule asked about from being a node (any node where None)."""
        match term:
            case Operation("and", operands):
                return any(self.excludes(operand, node) for operand in operands)
            case Operation("<>", (left, right)):
                return self._is(left, node, right) or self._is(right, node, left)
            case Operation("not", (Operation("in", (left, ListTerm(items))),)):
                return any(self._is(left, node, item) for item in items)
            case Operation("not", (Operation("in", (left, Call("collect", (inner,)))),)):
                return self._is(left, node, inner)
            case Comprehension("none", element, Operation("=", (left, right)), _):
                return self.excludes(Operation("<>", (left, right)), node) and element is not None
        return False

    def _is(self, left: Term, node: int | None, right: Term) -> bool:
        """Whether one side is the node, and the other the molecule that is asked about."""
        found = self._node_of(left)
        if found is None and not isinstance(left, Element | Property):
            return False
        if node is not None and found not in (node, None):
            return False
        match right:
            case Constant(str() as value):
                return value in self._names
        return self._node_of(right) in self._targets

    def _node_of(self, term: Term) -> int | None:
        match term:
            case NodeTerm(key) | Property(NodeTerm(key), _):
                return self._view.node(key)
            case Call("elementid" | "id", (NodeTerm(key),)):
                return self._view.node(key)
        return None


def _types_kept(link: Link, terms: tuple[Term, ...]) -> set[str] | None:
    """The types that filters of a list leave to a relationship; None where none speaks of them."""
    kept: set[str] | None = None
    for term in terms:
        for part in term.operands if isinstance(term, Operation) and term.operator == "and" else (term,):
            if isinstance(part, HasLabel) and part.of == EdgeTerm(link.edge.key):
                kept = set(part.labels) if kept is None else kept & set(part.labels)
    return kept


def _speaks_of(term: Term, link: Link) -> bool:
    return any(each == EdgeTerm(link.edge.key) for each in parts_within(term))


class Focus(NamedTuple):
    """The molecules that are made, the reactions that make them, and what is wrong with where they stand."""

    targets: set[int]
    reactions: set[int]
    findings: tuple[Finding, ...]


def find_focus(case: ValidationCase) -> Focus:
    """Find the reactions that make the question's molecules; where there are none, those nearest to it."""
    wanted = [molecule.name for molecule in case.asked.molecules]
    targets = {node for name in wanted for node in case.view.anchored(name)}
    making = {link.start for link in case.view.links if link.end in targets and _makes(case, link)}
    findings = tuple(_misplaced(case))
    if not making:
        making = {node for link in case.view.links for node in _reactions_beside(case, link, targets)} or {
            node.key for node in case.reading.nodes if case.view.is_reaction(case.view.node(node.key))
        }
    return Focus(targets, making, findings)


def follows_path(case: ValidationCase) -> bool:
    """Whether the query leads to the target by a path of reactants and products in one, not by a reaction."""
    wanted = [molecule.name for molecule in case.asked.molecules]
    targets = {node for name in wanted for node in case.view.anchored(name)}
    made = {case.domain.components[name].type for name in ("reactants", "products")}
    leading = [link for link in case.view.links if link.end in targets and link.status == "required"]
    return bool(leading) and all(link.types == made and link.hops != (1, 1) for link in leading)


def _makes(case: ValidationCase, link: Link) -> bool:
    products = case.domain.components["products"].type
    return (
        link.types == {products}
        and link.hops == (1, 1)
        and link.status != "negated"
        and not case.view.is_molecule(link.start)
    )


def _binds(case: ValidationCase, link: Link) -> bool:
    """Whether an optional pattern is the one that finds the reaction, so that no other reaction is there."""
    return link.status == "optional" and case.reading.nodes[link.start].optional


def _reactions_beside(case: ValidationCase, link: Link, targets: set[int]) -> Iterator[int]:
    if link.start in targets and case.view.is_reaction(link.end):
        yield link.end
    if link.end in targets and case.view.is_reaction(link.start):
        yield link.start


def _misplaced(case: ValidationCase) -> Iterator[Finding]:
    """Molecules that no reaction of the query makes."""
    products = case.domain.components["products"].type
    for molecule in case.asked.molecules:
        nodes = case.view.anchored(molecule.name)
        if not nodes:
            continue
        made = [link for link in case.view.links if link.end in nodes and _makes(case, link)]
        if any(link.status in ("required", "unknown") or _binds(case, link) for link in made):
            continue
        touching = [link for link in case.view.links if nodes & {link.start, link.end}]
        if made:
            yield case.finding(
                "endpoint_anchoring" if case.asked.intent != "multi_product" else "set_logic",
                f"{molecule.name} is only an optional product in {case.pattern(made[0])}, so reactions that "
                "do not make it are returned too. Use MATCH there.",
                made[0].edge,
            )
        elif not touching and any(map(case.view.is_reaction, range(len(case.reading.nodes)))):
            yield case.apart(min(nodes))
        elif not touching and any(case.view.is_reaction(node.key) for node in case.reading.nodes):
            continue  # an unconnected pattern, which is reported as such
        elif not touching:
            node = case.reading.nodes[min(nodes)]
            yield Finding.at(
                node,
                "return_shape",
                f"{case.view.name(min(nodes))} is matched without a reaction. Match "
                f"(:{case.domain.reaction})-[:{products}]->({node.variable or ''}).",
            )
        else:
            yield _wrong_place(case, molecule.name, nodes, touching)


def _wrong_place(case: ValidationCase, name: str, nodes: set[int], touching: list[Link]) -> Finding:
    products = case.domain.components["products"].type
    link = min(touching, key=lambda each: each.status != "required")
    shown = case.pattern(link)
    types = link.types
    if link.hops != (1, 1) and (products in types or not types):
        return case.finding(
            "path_length",
            f"{shown} follows {_hops(link)}; the reaction that makes {name} directly is one `{products}` "
            "away.",
            link.edge,
        )
    if types == {products}:  # its start cannot be a reaction
        return case.finding(
            "schema_violation:edge", f"What makes {name} in {shown} is not a reaction.", link.edge
        )
    if link.start in nodes and types <= {case.domain.components["reactants"].type}:
        return case.finding(
            "endpoint_anchoring",
            f"{shown} takes {name} as a reactant; the question asks for what makes it. Match "
            f"(:{case.domain.reaction})-[:{products}]->({{{case.domain.molecule_name}: ...}}).",
            link.edge,
        )
    followed = f"`{names(sorted(types))}`" if types else "any relationship"
    return case.finding(
        "wrong_relationship",
        f"{shown} joins {name} to reactions by {followed}; a reaction makes it by `{products}`.",
        link.edge,
    )


def _hops(link: Link) -> str:
    least, most = link.hops
    if most is None:
        return f"{least} or more relationships"
    return f"{least} relationships" if least == most else f"{least} to {most} relationships"
