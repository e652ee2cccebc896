"""Syntax, schema and refused clauses: what the server would not accept or never match, whatever is asked."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from importlib import resources

from retrocypher.kg.cypher.clauses import clauses, writing_clauses
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import Token
from retrocypher.kg.semantics.builder import walk
from retrocypher.kg.semantics.query_model import (
    Call,
    EdgeTerm,
    Element,
    GroupTerm,
    HasLabel,
    NodeTerm,
    Operation,
    Parameter,
    PatternEdge,
    QueryModel,
    Term,
    Use,
)
from retrocypher.kg.semantics.schema import Schema
from retrocypher.prompts.validation.finding import Finding, names

_ENDS = frozenset({"RETURN", "CALL", "FINISH", "CREATE", "MERGE", "SET", "DELETE", "DETACH DELETE", "REMOVE"})
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_AGGREGATES = frozenset({"collect", "count", "sum", "avg", "min", "max", "stdev", "stdevp"})
_EXPECTED = re.compile(r"'[^']+'|<EOF>|\w+")
_MISSING = re.compile(r"missing (.+?) at ")
_OWN_WORDS = ("mismatched input", "extraneous input", "missing", "no viable alternative")
_END = "the end of the query"
_KINDS = {
    "<EOF>": _END,
    "ALL_SHORTEST_PATHS": "allShortestPaths",
    "SHORTEST_PATH": "shortestPath",
    "ARROW_LINE": "'-'",
    "ARROW_LEFT_HEAD": "'<'",
    "ARROW_RIGHT_HEAD": "'>'",
    "ESCAPED_SYMBOLIC_NAME": "a name",
    "IDENTIFIER": "a name",
    "DECIMAL_DOUBLE": "a number",
    "UNSIGNED_DECIMAL_INTEGER": "a number",
    "UNSIGNED_HEX_INTEGER": "a number",
    "UNSIGNED_OCTAL_INTEGER": "a number",
    "STRING_LITERAL1": "a string",
    "STRING_LITERAL2": "a string",
}
_MOST_EXPECTED = 6
_LONGEST = 40
_LONGEST_PATTERN = 60


def check_text(reading: QueryModel) -> Iterator[Finding]:
    """What keeps the server from planning or running the query."""
    if len(reading.parsed.tokens) == 0:
        yield Finding("no_query", "There is no query in the text.", 0, len(reading.parsed.text))
        return
    if reading.parsed.errors:
        yield _syntax(reading)
        return
    half = _HALF_PAIR.search(reading.parsed.text)
    if half is not None:
        yield Finding(
            "syntax_error",
            "Half a surrogate pair stands here, which is no character. Leave it out, or write the whole "
            "character.",
            half.start(),
            half.end(),
        )
        return
    yield from _no_return(reading)
    yield from _writing(reading)
    for use in reading.undefined:
        yield Finding.at(
            use,
            "syntax_error",
            f"The variable `{use.name}` is used but not defined there. Bind it in a pattern, or hand it on "
            "in the WITH before.",
        )
    for use in reading.functions:
        if not _is_function(use.name):
            yield _function(use)
    yield from _misplaced_aggregates(reading)
    yield from _parameters(reading)


def _syntax(reading: QueryModel) -> Finding:
    issue, text = reading.parsed.errors[0], reading.parsed.text
    offset = min(issue.offset, len(text))
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    excerpt = " ".join(text[offset : offset + 40].split()) or "the end of the query"
    return Finding(
        "syntax_error",
        f"Not valid Cypher at line {line}, column {column}, near '{excerpt}': "
        f"{syntax_words(reading.parsed)}. What can run is one Cypher query and nothing else.",
        offset,
        len(text),
    )


def syntax_words(parsed: ParsedQuery) -> str:
    """Return how a query first leaves the grammar: ``unexpected ')'; expected ',' or '}'``."""
    issue = parsed.errors[0]
    if not issue.message.startswith(_OWN_WORDS):
        return issue.message
    token = next((each for each in parsed.tokens if each.start <= issue.offset < each.stop), None)
    missing = _MISSING.match(issue.message)
    if missing:
        return f"{_joined(missing[1])} is missing before {_END if token is None else _quoted(token)}"
    if token is not None and token.text in ("'", '"'):
        return f"the string that begins with {token.text} does not end"
    expected = _joined(issue.message.partition(" expecting ")[2])
    unexpected = f"unexpected {_END.removeprefix('the ') if token is None else _quoted(token)}"
    return f"{unexpected}; expected {expected}" if expected else unexpected


def _joined(expected: str) -> str:
    """What the parser lists: ``{<EOF>, ';'}``; empty where it is too much to be of help."""
    listed = list(dict.fromkeys(_KINDS.get(each, each) for each in _EXPECTED.findall(expected)))
    if len(listed) > _MOST_EXPECTED:
        return ""
    return " or ".join(part for part in (", ".join(listed[:-1]), *listed[-1:]) if part)


def _quoted(token: Token) -> str:
    # What is white space to Python alone, such as U+0085, is shown by its escape.
    text = " ".join(token.text.split()) or ascii(token.text)[1:-1]
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}…"
    return text if text[0] in "'\"" else f"'{text}'"


def _no_return(reading: QueryModel) -> Iterator[Finding]:
    """A query that ends with a clause that gives nothing back."""
    query, text = reading.parsed.root.find("regularQuery"), reading.parsed.text
    for single in [] if query is None else query.nodes("singleQuery")[-1:]:
        last = single.nodes("clause")[-1]
        words = [token.text.upper() for token, _ in zip(last.tokens(), range(2), strict=False)]
        kind = " ".join(words) if words[0] in ("OPTIONAL", "DETACH") else words[0]
        if kind not in _ENDS:
            yield Finding(
                "syntax_error",
                f"The query ends with {kind}; end it with a RETURN of what is asked for.",
                last.start,
                len(text),
            )


def _writing(reading: QueryModel) -> Iterator[Finding]:
    parsed = reading.parsed
    loads = any(token.name == "LOAD" for token in parsed.tokens)
    loading = [clause for clause in clauses(parsed) if clause.kind == "LOAD CSV"] if loads else []
    for clause in (*writing_clauses(parsed), *loading):
        yield Finding.at(
            clause,
            "refused",
            f"{clause.kind} is not allowed: the query may only read. Use MATCH, and RETURN what is asked "
            "for.",
        )


def _function(use: Use) -> Finding:
    advice = "plugins such as APOC are not there" if "." in use.name else "use a built-in function of Cypher"
    return Finding.at(use, "syntax_error", f"There is no function `{use.name}` on the server: {advice}.")


def _misplaced_aggregates(reading: QueryModel) -> Iterator[Finding]:
    carried = {id(item.term) for projection in reading.projections for item in projection.items}
    for condition in reading.conditions:
        fresh = _fresh_aggregate(condition.term, carried)
        if fresh is not None:
            yield Finding.at(
                condition,
                "syntax_error",
                f"`{fresh.name}` aggregates within a WHERE. Work it out in a WITH first and test its alias.",
            )


def _fresh_aggregate(term: Term, carried: set[int]) -> Call | None:
    """An aggregate that is worked out where it stands and not handed on by a WITH."""
    waiting = [term]
    while waiting:
        found = waiting.pop()
        if id(found) in carried:
            continue
        if isinstance(found, Call) and found.name in _AGGREGATES:
            return found
        if isinstance(found, Operation):
            waiting += found.operands
        elif isinstance(found, Call):
            waiting += found.arguments
    return None


def _parameters(reading: QueryModel) -> Iterator[Finding]:
    terms = [condition.term for condition in reading.conditions]
    terms += [item.term for projection in reading.projections for item in projection.items]
    for name in sorted({each.name for term in terms for each in walk(term) if isinstance(each, Parameter)}):
        at = max(reading.parsed.text.find(f"${name}"), 0)
        yield Finding(
            "runtime_error",
            f"The parameter `${name}` has no value when the query runs. Write the value itself.",
            at,
            at + len(name) + 1,
        )


@cache
def _functions() -> tuple[frozenset[str], tuple[str, ...]]:
    text = resources.files(__package__).joinpath("neo4j_functions.txt").read_text("utf-8")
    names = [line.strip().lower() for line in text.splitlines() if line.strip() and line[0] != "#"]
    whole = frozenset(name for name in names if not name.endswith("."))
    return whole, tuple(name for name in names if name.endswith("."))


def _is_function(name: str) -> bool:
    whole, groups = _functions()
    return name.lower() in whole or name.lower().startswith(groups)


def check_schema(reading: QueryModel, schema: Schema) -> Iterator[Finding]:
    """Labels, types and properties that there are not."""
    for use in reading.labels:
        # A relationship can be asked for its type in the same words; what is no node may be one.
        is_type = isinstance(use.of, EdgeTerm) or (
            not isinstance(use.of, NodeTerm) and schema.has_type(use.name)
        )
        if not is_type and not schema.has_label(use.name):
            yield _unknown("label", use, list(schema.labels))
    for use in reading.types:
        if not schema.has_type(use.name):
            yield _unknown("type", use, list(schema.types))
    for condition in reading.conditions:
        match condition.term:
            case HasLabel(EdgeTerm(), kinds):
                for kind in kinds:
                    if not schema.has_type(kind):
                        use = Use(kind, condition.term, condition.part, condition.start, condition.stop)
                        yield _unknown("type", use, list(schema.types))
    for use in reading.properties:
        if not (isinstance(use.of, EdgeTerm) and use.name in schema.properties):
            yield from _property(use, reading, schema)


def _unknown(kind: str, use: Use, known: list[str]) -> Finding:
    near = get_close_matches(use.name, known, 1)
    word = "label" if kind == "label" else "relationship type"
    advice = f"Perhaps `{near[0]}` is meant." if near else f"There are {names(sorted(known))}."
    return Finding.at(use, f"schema_violation:{kind}", f"The schema has no {word} `{use.name}`. {advice}")


def _property(use: Use, reading: QueryModel, schema: Schema) -> Iterator[Finding]:
    of = use.of
    if isinstance(of, GroupTerm):
        of = of.of
    match of:
        case NodeTerm(key):
            node = reading.nodes[key]
            unknown = node.written - schema.labels.keys()
            sure = node.written or all(
                edge.agreement == "as_written" for edge in reading.edges if key in (edge.start, edge.end)
            )
            owners = [] if unknown or not sure else sorted(node.labels)
            known = {name for owner in owners for name in schema.labels.get(owner, {})}
        case EdgeTerm(key):
            owners = sorted(kind for kind in reading.edges[key].types if schema.has_type(kind))
            known = {name for owner in owners for name in schema.types[owner]}
        case Element(Call("nodes" | "relationships", _), _):
            owners, known = [], set()
        case _:
            return
    if use.name in (known if owners else schema.properties):
        return
    at = f"`{names(owners)}`" if owners else "anything in the schema"
    has = (
        f"It has {names([f'`{name}`' for name in sorted(known)])}." if known else _elsewhere(use.name, schema)
    )
    yield Finding.at(use, "schema_violation:property", f"`{use.name}` is no property of {at}. {has}")


def _elsewhere(name: str, schema: Schema) -> str:
    owners = [*schema.labels_with(name), *schema.types_with(name)]
    if owners:
        return f"It is a property of {names(sorted(owners))}."
    return f"The properties are {names(sorted(schema.properties))}."


def check_edges(reading: QueryModel, schema: Schema) -> Iterator[Finding]:
    """Arrows that run against the schema, ends that are never joined, and properties that an edge lacks."""
    wrong: set[int] = set()
    for edge in reading.edges:
        known = all(schema.has_type(kind) for kind in edge.types)
        if edge.agreement == "turned" and known:
            wrong.add(edge.key)
            yield _turned(reading, schema, edge)
        elif edge.agreement == "never" and known and edge.written_hops.exact == 1 and not edge.inner:
            wrong.add(edge.key)
            yield _never(reading, schema, edge)
    for use in reading.properties:
        if isinstance(use.of, EdgeTerm) and use.name in schema.properties and use.of.key not in wrong:
            yield from _property(use, reading, schema)


def _turned(reading: QueryModel, schema: Schema, edge: PatternEdge) -> Finding:
    right = _allowed(schema, edge, always=not edge.types)
    return Finding(
        "traversal_direction",
        f"The arrow of {_pattern(reading, edge)} runs against the schema, so nothing is found. Turn it: the "
        f"schema has {right}.",
        edge.start_offset,
        edge.stop_offset,
    )


def _never(reading: QueryModel, schema: Schema, edge: PatternEdge) -> Finding:
    right = _allowed(schema, edge, always=False)
    between = f"The schema has {right}." if right else "No relationship joins nodes of these labels."
    return Finding(
        "schema_violation:edge",
        f"{_pattern(reading, edge)} joins nodes that `{_type_names(edge)}` never joins. {between}",
        edge.start_offset,
        edge.stop_offset,
    )


def _allowed(schema: Schema, edge: PatternEdge, *, always: bool) -> str:
    return " or ".join(
        f"(:{start})-[:{kind}]->(:{end})"
        for start, kind, end in sorted(schema.edges)
        if always or kind in edge.types
    )


def _pattern(reading: QueryModel, edge: PatternEdge) -> str:
    """An edge with what stands beside it, for a message: on one line and shortened."""
    inner = " ".join(reading.parsed.text[edge.start_offset : edge.stop_offset].split())
    inner = inner if len(inner) <= _LONGEST_PATTERN else f"{inner[: _LONGEST_PATTERN - 1]}…"
    if edge.inner:
        return inner
    left, right = (edge.end, edge.start) if edge.leftward else (edge.start, edge.end)
    return f"({_end(reading, left)}){inner}({_end(reading, right)})"


def _end(reading: QueryModel, key: int) -> str:
    node = reading.nodes[key]
    label = f":{next(iter(node.written))}" if node.written and node.variable is None else ""
    return f"{node.variable or ''}{label}"


def _type_names(edge: PatternEdge) -> str:
    return "|".join(sorted(edge.types)) or "any type"
