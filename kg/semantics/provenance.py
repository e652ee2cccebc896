"""The query that returns the nodes of a query's provenance subgraph, for PSJS.

The provenance subgraph is what the MATCH part of a query matches:

- The part ends before the first WITH after a MATCH that does more than hand variables on: one with an alias,
  an expression, ORDER BY, SKIP or LIMIT. A WHERE after ``WITH n``, ``WITH DISTINCT n`` or ``WITH *`` belongs
  to it. The nodes of variables that such a WITH drops stay in the subgraph.
- MATCH and OPTIONAL MATCH count. Patterns within WHERE (EXISTS, COUNT) are conditions and do not.
- Variable-length, quantified and shortest paths count with their inner nodes.
- UNWIND, procedure calls and a WITH before the first MATCH only make values for it.
- UNION unites the subgraphs of its branches, and ``CALL { ... }`` unites those inside with the one outside.
- A query without MATCH has the empty set.
"""

from typing import NamedTuple

from retrocypher.kg.cypher.edits import Edit, apply_edits, free_prefix, name_of
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery, parse
from retrocypher.kg.cypher.tokens import Node


class Provenance(NamedTuple):
    """The query of a provenance subgraph: rows of one list, with the element id of each node at least once.

    One list is received many times faster than as many rows. Each has at most ``most``.

    ``query`` is empty for the empty set, and None where the query could not be read, for the ``reason``.
    """

    query: str | None
    reason: str | None = None


class _Found(NamedTuple):
    """A node or path of the MATCH part, as the text spells its name at this place."""

    spelled: str
    is_path: bool


class _NotUnderstood(Exception):  # noqa: N818 - a signal, not an error
    pass


def provenance(query: str, most: int) -> Provenance:
    """Return the query that returns the element ids of a query's provenance subgraph, at most ``most``."""
    parsed = parse(query)
    if parsed.errors:
        return Provenance(None, f"not understood: {parsed.unread or parsed.errors[0].message}")
    statements = parsed.root.nodes("statement")
    regular = statements[0].node(Rule.REGULAR_QUERY) if len(statements) == 1 else None
    if regular is None:
        return Provenance(None, "not understood: not one query")
    try:
        return Provenance(_Rewriter(parsed, most).united(regular, as_list=True))
    except _NotUnderstood as reason:
        return Provenance(None, f"not understood: {reason}")


class _Rewriter:
    """Makes provenance queries of the parts of one query."""

    def __init__(self, parsed: ParsedQuery, most: int) -> None:
        self._parsed = parsed
        self._most = most
        self._prefix = free_prefix(parsed.text, "__n")
        self._id = f"{self._prefix}id"
        self._names = 0

    def united(self, regular: Node, *, as_list: bool = False) -> str:
        """The query of all branches, a row for each node or each branch; empty where none has a MATCH."""
        return "\nUNION\n".join(
            query for single in regular.nodes(Rule.SINGLE_QUERY) for query in self._queries(single, as_list)
        )

    def _queries(self, single: Node, as_list: bool) -> list[str]:
        """The query of one branch, and one for each of its subqueries."""
        if single.node(Rule.REGULAR_QUERY) is not None:
            raise _NotUnderstood("a query in braces")
        queries: list[str] = []
        text: list[str] = []
        found: dict[str, _Found] = {}
        for clause in single.nodes(Rule.CLAUSE):
            body = clause.nodes()[0]
            source = self._parsed.source(body)
            match body.rule:
                case Rule.MATCH_CLAUSE:
                    text.append(self._matched(body, found))
                case Rule.WITH_CLAUSE if not found and not queries:
                    text.append(source)
                case Rule.WITH_CLAUSE if _only_hands_on(self._parsed, body):
                    text.append(self._handed_on(body, found))
                case Rule.SUBQUERY_CLAUSE:
                    inner = body.node(Rule.REGULAR_QUERY)
                    united = "" if inner is None else self.united(inner)
                    if inner is not None and united:
                        head = self._parsed.text[body.start : inner.start]
                        queries.append(
                            "\n".join([*text, f"{head}{united}\n}}", *self._end(self._id, self._id, as_list)])
                        )
                    text.append(source)
                case Rule.UNWIND_CLAUSE | "callClause" | "useClause":
                    text.append(source)
                case Rule.WITH_CLAUSE | Rule.RETURN_CLAUSE | "orderBySkipLimitClause" | "finishClause":
                    break
                case _:
                    raise _NotUnderstood(f"a clause that begins with {next(body.tokens()).text.upper()}")
        if found:
            node = self._new_name()
            nodes = ", ".join(each.spelled for each in found.values() if not each.is_path)
            paths = [f"coalesce(nodes({each.spelled}), [])" for each in found.values() if each.is_path]
            text.append(f"UNWIND {' + '.join([f'[{nodes}]', *paths])} AS {node}")
            queries.insert(0, "\n".join([*text, *self._end(node, f"elementId({node})", as_list)]))
        return queries

    def _end(self, variable: str, element_id: str, as_list: bool) -> list[str]:
        """The clauses that return each id once."""
        distinct = f"WITH DISTINCT {variable} WHERE {variable} IS NOT NULL"
        if not as_list:
            return [distinct, f"RETURN {element_id} AS {self._id}"]
        limit = f"WITH {variable} LIMIT {self._most}"
        return [distinct, limit, f"RETURN collect({element_id}) AS {self._id}"]

    def _matched(self, body: Node, found: dict[str, _Found]) -> str:
        """A MATCH clause in which all nodes, or their paths, have names; adds those to ``found``."""
        edits: list[Edit] = []
        patterns = body.node(Rule.PATTERN_LIST)
        for pattern in patterns.nodes("pattern") if patterns is not None else ():
            plain = _plain_nodes(pattern)
            for part in [pattern] if plain is None else plain:
                variable = part.node(Rule.VARIABLE)
                if variable is not None:
                    name, spelled = name_of(self._parsed, variable), self._parsed.source(variable)
                else:
                    name = spelled = self._new_name()
                    edit = (part.start, f"{name} = ") if plain is None else (part.start + 1, f"{name} ")
                    edits.append(Edit(edit[0], edit[0], edit[1]))
                found[name] = _Found(spelled, plain is None)
        return self._edited(body, edits)

    def _handed_on(self, body: Node, found: dict[str, _Found]) -> str:
        """A WITH that also hands on what was found, under names that later clauses do not use."""
        items = body.find(Rule.RETURN_ITEMS)
        if items is None or items.token("TIMES") is not None:
            return self._parsed.source(body)
        kept = {name_of(self._parsed, item.nodes()[0]) for item in items.nodes(Rule.RETURN_ITEM)}
        edits: list[Edit] = []
        for name in [name for name in found if name not in kept]:
            dropped, carried = found.pop(name), self._new_name()
            found[carried] = _Found(carried, dropped.is_path)
            edits.append(Edit(items.stop, items.stop, f", {dropped.spelled} AS {carried}"))
        return self._edited(body, edits)

    def _edited(self, node: Node, edits: list[Edit]) -> str:
        moved = [Edit(edit.start - node.start, edit.stop - node.start, edit.replacement) for edit in edits]
        return apply_edits(self._parsed.source(node), moved)

    def _new_name(self) -> str:
        self._names += 1
        return f"{self._prefix}{self._names}"


def _plain_nodes(pattern: Node) -> list[Node] | None:
    """The node patterns of a pattern of single relationships; None where it can have inner nodes."""
    anonymous = pattern.node("anonymousPattern")
    element = None if anonymous is None else anonymous.node(Rule.PATTERN_ELEMENT)
    if element is None or pattern.node("selector") is not None:
        return None
    if any(
        part.rule not in (Rule.NODE_PATTERN, Rule.RELATIONSHIP_PATTERN) or part.node(Rule.PATH_LENGTH)
        for part in element.nodes()
    ):
        return None
    return element.nodes(Rule.NODE_PATTERN)


def _only_hands_on(parsed: ParsedQuery, body: Node) -> bool:
    """Whether a WITH lists variables or ``*`` and does nothing else but filter."""
    returned = body.node(Rule.RETURN_BODY)
    items = None if returned is None else returned.node(Rule.RETURN_ITEMS)
    if returned is None or items is None or len(returned.nodes()) > 1:
        return False
    for item in items.nodes(Rule.RETURN_ITEM):
        expression, *alias = item.nodes()
        words = list(expression.tokens())
        if expression.find(Rule.VARIABLE) is None or len(words) > 1:
            return False
        if alias and name_of(parsed, alias[0]) != name_of(parsed, expression):
            return False
    return True
