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
                    result = session.run(neo4j.Query(text, timeout=60))
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
        return ("nan",) if math.isnan(value) else ("number", float(f"{value:.9g}"))
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
    return type(value).__name__, iso() if iso else repr(value)


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
    parsed = parse(reference)
    gold, keys = run(reference), None
    with_keys = _with_sort_keys(parsed)
    if gold and with_keys:
        wide, width = run(with_keys), len(gold[0])
        if wide is None:
            return None
        gold, keys = [row[:width] for row in wide], [row[width:] for row in wide]
    if gold is None:
        return None
    if writing_clauses(parse(prediction)):
        return 0.0
    returned = run(prediction)
    return float(returned is not None and same_result(gold, returned, keys, _collects_unsorted(parsed)))


def _with_sort_keys(parsed: ParsedQuery) -> str | None:
    """Return the query with its sort keys as last columns; None if it does not end with ORDER BY."""
    singles = _find(parsed.root, "regularQuery").nodes("singleQuery")
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
    """Tell whether the query collects before any ORDER BY."""
    names = ("functionName", "orderBy", "collectExpression", "patternComprehension")
    for node in parsed.root.find_all(*names):
        if node.rule == "orderBy":
            return False
        if node.rule != "functionName" or parsed.source(node).lower() == "collect":
            return True
    return False


# -- PSJS ----------------------------------------------------------------------------------------------------


@dataclass
class _Part:
    """The MATCH part that has been read, as the text of a query that returns its nodes."""

    text: str = ""
    bound: tuple[str, ...] = ()
    paths: int = 0
    """Path variables, all of which are kept to the end."""


def psjs(run: Run, reference: str, prediction: str) -> float | None:
    """Return PSJS of a prediction."""
    gold, ours = (matched_nodes(run, text) for text in (reference, prediction))
    if gold is None or run(reference) is None:
        return None
    if writing_clauses(parse(prediction)):
        return 0.0
    if ours is None:
        return 0.0 if run(prediction) is None else None
    return len(gold & ours) / len(gold | ours) if gold | ours else 1.0


def matched_nodes(run: Run, text: str) -> set[str] | None:
    """Return the nodes that the MATCH part matches; None if it does not run."""
    parsed = parse(text)
    if parsed.errors:
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
        if body.rule == "returnClause":
            break
        if body.rule == "matchClause":
            _add_match(parsed, body, part)
        elif body.rule == "withClause":
            kept = _handed_on(parsed, body)
            if kept is None:
                break
            if "*" not in kept:
                part.bound = tuple(kept)
            names = [*kept, *(f"__p{number}" for number in range(part.paths))]
            part.text += f"WITH {', '.join(['*'] if '*' in kept else names)}\n"
            where = body.node("whereClause")
            part.text += f"{parsed.source(where)}\n" if where else ""
        else:
            if body.rule == "subqueryClause":
                yield from _of_subquery(parsed, body, part)
            part.text += parsed.source(body) + "\n"
            part.bound += _made_by(parsed, body)
    if part.paths:
        paths = ", ".join(f"__p{number}" for number in range(part.paths))
        yield f"{part.text}UNWIND [{paths}] AS __p UNWIND nodes(__p) AS __n RETURN DISTINCT elementId(__n)"


def _of_subquery(parsed: ParsedQuery, body: Node, part: _Part) -> Iterator[str]:
    scope = body.node("subqueryScope")
    for single in _find(body, "regularQuery").nodes("singleQuery"):
        first = single.nodes("clause")[0].nodes()[0]
        if scope is not None:
            taken = [parsed.source(each) for each in scope.nodes("variable")]
            kept = [*part.bound] if "*" in parsed.source(scope) else taken
        else:
            kept = (_handed_on(parsed, first) or []) if first.rule == "withClause" else []
            kept = [*part.bound] if kept == ["*"] else kept
        start = "WITH DISTINCT " + (", ".join(kept) or "1 AS __one") + "\n" if part.text else ""
        yield from _of_branch(parsed, single, _Part(part.text + start, tuple(kept)))


def _add_match(parsed: ParsedQuery, body: Node, part: _Part) -> None:
    """Add a MATCH clause, with every pattern bound to a path variable."""
    patterns = _find(body, "patternList")
    text, end, named = "", body.start, ""
    for pattern in patterns.nodes("pattern"):
        own, path = pattern.node("variable"), f"__p{part.paths}"
        part.paths += 1
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


def _handed_on(parsed: ParsedQuery, body: Node) -> list[str] | None:
    """Return the variables that a WITH hands on; None if it does more."""
    result = _find(body, "returnBody")
    if any(result.node(rule) for rule in ("orderBy", "skip", "limit")):
        return None
    items = _find(result, "returnItems").nodes("returnItem")
    everything = ["*"] if "*" in [token.text for token in _find(result, "returnItems").tokens()][:1] else []
    texts = [parsed.source(item) for item in items]
    if all(len(list(item.tokens())) == 1 and item.find("variable") for item in items):
        return everything + texts
    return None


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
