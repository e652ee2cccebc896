"""What the server would not accept, whatever was asked."""

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources

from kg.cypher import clauses, writing_clauses
from kg.reading.model import Call, Operation, Parameter, QueryModel, Term, Use
from kg.reading.simplify import walk
from prompts.validation._model import Finding
from prompts.validation._syntax_words import syntax_words

_ENDS = frozenset({"RETURN", "CALL", "FINISH", "CREATE", "MERGE", "SET", "DELETE", "DETACH DELETE", "REMOVE"})
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_AGGREGATES = frozenset({"collect", "count", "sum", "avg", "min", "max", "stdev", "stdevp"})


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
        yield Finding(
            "syntax_error",
            f"The variable `{use.name}` is used but not defined there. Bind it in a pattern, or hand it on "
            "in "
            "the WITH before.",
            use.start,
            use.stop,
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
        yield Finding(
            "refused",
            f"{clause.kind} is not allowed: the query may only read. Use MATCH, and RETURN what is asked "
            "for.",
            clause.start,
            clause.stop,
        )


def _function(use: Use) -> Finding:
    advice = "plugins such as APOC are not there" if "." in use.name else "use a built-in function of Cypher"
    return Finding(
        "syntax_error", f"There is no function `{use.name}` on the server: {advice}.", use.start, use.stop
    )


def _misplaced_aggregates(reading: QueryModel) -> Iterator[Finding]:
    carried = {id(item.term) for projection in reading.projections for item in projection.items}
    for condition in reading.conditions:
        fresh = _fresh_aggregate(condition.term, carried)
        if fresh is not None:
            yield Finding(
                "syntax_error",
                f"`{fresh.name}` aggregates within a WHERE. Work it out in a WITH first and test its alias.",
                condition.start,
                condition.stop,
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
    text = resources.files("prompts.validation").joinpath("neo4j_functions.txt").read_text("utf-8")
    names = [line.strip().lower() for line in text.splitlines() if line.strip() and line[0] != "#"]
    whole = frozenset(name for name in names if not name.endswith("."))
    return whole, tuple(name for name in names if name.endswith("."))


def _is_function(name: str) -> bool:
    whole, groups = _functions()
    return name.lower() in whole or name.lower().startswith(groups)
