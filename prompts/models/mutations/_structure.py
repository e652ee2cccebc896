"""Where the parts of a query stand that operators change."""

from collections.abc import Iterator, Sequence

from kg.cypher import Clause, Edit, Node, ParsedQuery, ReturnItem, Rule, clauses

WHERE_CLAUSE = "whereClause"
CONJUNCTION = "expression10"
CALL = "functionInvocation"
CALL_NAME = "functionName"
PATTERN = "pattern"
ELEMENT = "patternElement"
PROPERTY_NAME = "propertyKeyName"


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


def names_of(query: ParsedQuery, rule: str, within: Node | None = None) -> Sequence[Node]:
    """The nodes that spell a name of a kind, such as a property's."""
    return list((within or query.root).find_all(rule))


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
