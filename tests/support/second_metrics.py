"""EX and PSJS a second time, written from docs/scores.md alone, to compare with the product.

Nothing here comes from the modules that compute the metrics. Only the parser is shared. Queries run without
guard, and a metric is None where the page leaves it undefined.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import neo4j
from neo4j.exceptions import DriverError, Neo4jError
from neo4j.graph import Node as GraphNode
from neo4j.graph import Path, Relationship

from retrocypher.kg.cypher.clauses import writing_clauses
from retrocypher.kg.cypher.parser import ParsedQuery, parse
from retrocypher.kg.cypher.tokens import Node

MOST_ROWS = 100_000
Run = Callable[[str], list[list[Any]] | None]
"""Runs a query: its rows, or None where it fails or has more than `MOST_ROWS`."""


def runner(driver: neo4j.Driver) -> Run:
    """Return a function that runs queries and remembers their rows."""
    known: dict[str, list[list[Any]] | None] = {}

    def run(text: str) -> list[list[Any]] | None:
        if text not in known:
            known[text] = None
            try:
                with driver.session(default_access_mode="READ") as session:
                    result = session.run(neo4j.Query(text, timeout=30))
                    rows = [list(row.values()) for row in itertools.islice(result, MOST_ROWS + 1)]
                    known[text] = None if len(rows) > MOST_ROWS else rows
            except (DriverError, Neo4jError):
                pass
        return known[text]

    return run


# -- EX ------------------------------------------------------------------------------------------------------


def canonical(value: Any, any_order: bool = False) -> Any:
    """Return a hashable form, equal for values that count as equal."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return type(value).__name__, value
    if isinstance(value, float):
        if math.isnan(value):
            return ("nan",)
        return "number", round(value) if 1e9 <= abs(value) < 1e15 else float(f"{value:.9g}")
    if isinstance(value, int):
        return "number", value
    if isinstance(value, GraphNode | Relationship):
        return "node" if isinstance(value, GraphNode) else "relationship", value.element_id
    if isinstance(value, Path):
        elements = [value.nodes[0], *itertools.chain(*zip(value.relationships, value.nodes[1:], strict=True))]
        return "path", tuple(each.element_id for each in elements)
    if isinstance(value, list):
        items = [canonical(each, any_order) for each in value]
        return "list", tuple(sorted(items, key=repr) if any_order else items)
    if isinstance(value, dict):
        return "map", frozenset((key, canonical(each, any_order)) for key, each in value.items())
    iso = getattr(value, "iso_format", None)
    return type(value).__name__, iso() if iso else repr(value), str(getattr(value, "tzinfo", ""))


def same_result(
    reference: Sequence[Sequence[Any]],
    returned: Sequence[Sequence[Any]],
    keys: Sequence[Any] | None = None,
    any_order: bool = False,
) -> bool:
    """Tell whether two results are equal.

    Args:
        reference: The rows of the reference query.
        returned: The rows of the other query.
        keys: The sort keys of each reference row; None if the order of rows does not count.
        any_order: Whether the order within lists does not count.
    """
    gold = [[canonical(value, any_order) for value in row] for row in reference]
    ours = [[canonical(value, any_order) for value in row] for row in returned]
    if len(gold) != len(ours):
        return False
    if not gold:
        return True
    width = len(gold[0])
    if width != len(ours[0]):
        return False
    sizes = [len(gold)]
    if keys is not None:
        sizes = [len(list(group)) for _, group in itertools.groupby(map(canonical, keys))]
    wanted = _blocks(gold, sizes)
    columns = [Counter(row[place] for row in ours) for place in range(width)]
    fitting = [
        [place for place in range(width) if columns[place] == Counter(row[other] for row in gold)]
        for other in range(width)
    ]
    return any(
        _blocks([[row[place] for place in order] for row in ours], sizes) == wanted
        for order in _choices(fitting, ())
    )


def _blocks(rows: list[list[Any]], sizes: list[int]) -> list[Counter[tuple[Any, ...]]]:
    rest = iter(rows)
    return [Counter(map(tuple, itertools.islice(rest, size))) for size in sizes]


def _choices(fitting: list[list[int]], chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if len(chosen) == len(fitting):
        yield chosen
    else:
        for place in fitting[len(chosen)]:
            if place not in chosen:
                yield from _choices(fitting, (*chosen, place))


def ex(run: Run, reference: str, prediction: str) -> float | None:
    """Return EX of a prediction."""
    parsed, gold, keys = parse(reference), run(reference), None
    if gold is None:
        return None
    with_keys = _with_sort_keys(parsed)
    if gold and with_keys:
        wide, width = run(with_keys), len(gold[0])
        if wide is None:
            return None
        gold, keys = [row[:width] for row in wide], [row[width:] for row in wide]
    if writing_clauses(parse(prediction)):
        return 0.0
    returned = run(prediction)
    return float(returned is not None and same_result(gold, returned, keys, _collects_unsorted(parsed)))


def _with_sort_keys(parsed: ParsedQuery) -> str | None:
    """Return the query with its sort keys as last columns; None if it does not end with ORDER BY."""
    query = parsed.root.find("regularQuery")
    singles = query.nodes("singleQuery") if query else []
    last = singles[0].nodes()[-1].node("returnClause") if len(singles) == 1 else None
    order = _find(last, "returnBody").node("orderBy") if last else None
    if last is None or order is None:
        return None
    items = _find(last, "returnItems")
    named = {}
    for item in items.nodes("returnItem"):
        alias = item.node("variable")
        if alias:
            named[parsed.source(alias)] = f"({parsed.source(_find(item, 'expression'))})"
    keys = []
    for place, item in enumerate(order.nodes("orderItem")):
        text = expression = parsed.source(first := _find(item, "expression"))
        for variable in reversed(list(first.find_all("variable"))):
            start, stop = variable.start - first.start, variable.stop - first.start
            text = text[:start] + named.get(expression[start:stop], expression[start:stop]) + text[stop:]
        keys.append(f", {text} AS __key{place}")
    return parsed.text[: items.stop] + "".join(keys) + parsed.text[items.stop :]


def _collects_unsorted(parsed: ParsedQuery) -> bool:
    """Tell whether the query collects in a clause that does not directly follow a sorted WITH."""
    if parsed.root.find("patternComprehension"):
        return True
    for node in parsed.root.find_all("functionName", "collectExpression"):
        if node.rule == "collectExpression" and node.find("orderBy") is None:
            return True
        if node.rule == "functionName" and parsed.source(node).lower() == "collect":
            clause = node.within("clause")
            siblings = clause.parent.nodes("clause") if clause and clause.parent else []
            before = siblings[siblings.index(clause) - 1].nodes()[0] if clause in siblings[1:] else None
            body = before.node("returnBody") if before else None
            if body is None or body.node("orderBy") is None:
                return True
    return False


# -- PSJS ----------------------------------------------------------------------------------------------------


@dataclass
class _Part:
    """The MATCH part that has been read, as the text of a query that returns its nodes."""

    text: str = ""
    bound: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    """Path variables, all of which are kept to the end."""
    matched: bool = False
    """Whether there was a MATCH, here or in a subquery."""


def psjs(run: Run, reference: str, prediction: str) -> float | None:
    """Return PSJS of a prediction."""
    gold, ours = (matched_nodes(run, text) for text in (reference, prediction))
    if gold is None:
        return None
    if writing_clauses(parse(prediction)):
        return 0.0
    if ours is None:
        return 0.0 if run(prediction) is None else None
    return len(gold & ours) / len(gold | ours) if gold | ours else 1.0


def matched_nodes(run: Run, text: str) -> set[str] | None:
    """Return the nodes that the MATCH part matches; None if it does not run."""
    parsed = parse(text)
    # A query of another kind, or several, is not understood.
    if parsed.errors or writing_clauses(parsed) or len(parsed.root.nodes("statement")) != 1:
        return None
    if not parsed.root.find("regularQuery"):
        return None
    found: set[str] = set()
    for query in _match_queries(parsed):
        rows = run(query)
        if rows is None:
            return None
        found |= {row[0] for row in rows}
    return found


def _match_queries(parsed: ParsedQuery) -> Iterator[str]:
    for single in _find(parsed.root, "regularQuery").nodes("singleQuery"):
        yield from _of_branch(parsed, single, _Part())


def _of_branch(parsed: ParsedQuery, single: Node, part: _Part) -> Iterator[str]:
    for clause in single.nodes("clause"):
        body = clause.nodes()[0]
        if body.rule in ("returnClause", "finishClause"):
            break
        if body.rule == "matchClause":
            _add_match(parsed, body, part)
        elif body.rule == "withClause":
            kept = _handed_on(parsed, body, part.bound)
            if not part.matched:
                items = [item.node("variable") or item for item in body.find_all("returnItem")]
                part.bound = (*(part.bound if _all(body) else ()), *map(parsed.source, items))
                part.text += parsed.source(body) + "\n"
                continue
            if kept is None:
                break
            part.bound = tuple(kept)
            part.text += f"WITH {', '.join([*kept, *part.paths])}\n"
            where = body.node("whereClause")
            part.text += f"{parsed.source(where)}\n" if where else ""
        else:
            if body.rule == "subqueryClause":
                inner = list(_of_subquery(parsed, body, part))
                part.matched |= bool(inner)
                yield from inner
            part.text += parsed.source(body) + "\n"
            part.bound += _made_by(parsed, body)
    if part.paths:
        nodes = f"UNWIND [{', '.join(part.paths)}] AS __path UNWIND nodes(__path) AS __node"
        yield f"{part.text}{nodes} RETURN DISTINCT elementId(__node)"


def _of_subquery(parsed: ParsedQuery, body: Node, part: _Part) -> Iterator[str]:
    scope = body.node("subqueryScope")
    for single in _find(body, "regularQuery").nodes("singleQuery"):
        first = single.nodes("clause")[0].nodes()[0]
        if scope is not None and "*" in parsed.source(scope):
            kept = list(part.bound)
        elif scope is not None:
            kept = [parsed.source(each) for each in scope.nodes("variable")]
        else:
            kept = (_handed_on(parsed, first, part.bound) or []) if first.rule == "withClause" else []
        start = "WITH DISTINCT " + (", ".join(kept) or "1 AS __one") + "\n" if part.text else ""
        yield from _of_branch(parsed, single, _Part(part.text + start, tuple(kept)))


def _add_match(parsed: ParsedQuery, body: Node, part: _Part) -> None:
    """Add a MATCH clause, with every pattern bound to a path variable."""
    patterns = _find(body, "patternList")
    text, end, named = "", body.start, ""
    for pattern in patterns.nodes("pattern"):
        own, path = pattern.node("variable"), f"__path{len(part.paths)}"
        part.paths += (path,)
        text += parsed.text[end : pattern.start]
        end = pattern.start
        if own is None:
            text += f"{path} = "
        else:
            named += f", {parsed.source(own)} AS {path}"
    part.text += text + parsed.text[end : body.stop] + (f"\nWITH *{named}\n" if named else "\n")
    elements = [*patterns.nodes("pattern"), *patterns.find_all("nodePattern", "relationshipPattern")]
    names = [parsed.source(each) for element in elements for each in element.nodes("variable")]
    part.bound = tuple(dict.fromkeys([*part.bound, *names]))
    part.matched = True


def _handed_on(parsed: ParsedQuery, body: Node, bound: tuple[str, ...]) -> list[str] | None:
    """Return the variables that a WITH hands on; None if it does more."""
    if any(_find(body, "returnBody").node(rule) for rule in ("orderBy", "skip", "limit")):
        return None
    kept = list(bound) if _all(body) else []
    for item in _find(body, "returnItems").nodes("returnItem"):
        expression, alias = _find(item, "expression"), item.node("variable")
        name = parsed.source(expression)
        if not expression.find("variable") or len(list(expression.tokens())) > 1:
            return None
        if alias is not None and parsed.source(alias) != name:
            return None
        kept.append(name)
    return kept


def _all(body: Node) -> bool:
    return next(_find(body, "returnItems").tokens()).text == "*"


def _made_by(parsed: ParsedQuery, body: Node) -> tuple[str, ...]:
    """Return the variables that a clause other than MATCH and WITH adds."""
    made = body.nodes("variable")
    if body.rule == "subqueryClause":
        last = _find(body, "singleQuery").nodes()[-1].nodes()[0]
        items = last.find_all("returnItem") if last.rule == "returnClause" else ()
        made = [item.node("variable") or item for item in items]
    elif body.rule == "callClause":
        made = [each.nodes()[-1] for each in body.find_all("procedureResultItem")]
    return tuple(map(parsed.source, made))


def _find(node: Node, rule: str) -> Node:
    found = node.find(rule)
    if found is None:
        raise ValueError(f"no {rule}")
    return found
