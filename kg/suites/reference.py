"""The reference query of a question, as Cypher in the form of CypherBench."""

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from retrocypher.kg.cypher.edits import quote, quote_name
from retrocypher.kg.suites.graph import Value
from retrocypher.kg.suites.instances import Hop, Match, Return
from retrocypher.kg.suites.questions import STORED_ROWS, TableQuestion


def value_text(value: Value) -> str:
    """Return a literal that stands for exactly this value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, datetime.date):
        return f"date('{value.isoformat()}')"
    if isinstance(value, list):
        return f"[{', '.join(value_text(item) for item in value)}]"
    return repr(value).replace("e+", "e")


def match_text(match: Match, keys: Mapping[str, str]) -> str:
    """Return the clauses that match, up to the first WITH or RETURN."""
    if match.task == "union":
        arms = (f"MATCH {_paths(match, [hop], keys)} RETURN n, {hop.other('n')} AS m" for hop in match.hops)
        return f"CALL {{ {' UNION '.join(arms)} }}"
    if match.task == "optional_match":
        optional, fixed = match.hops
        return f"MATCH {_paths(match, [fixed], keys)} OPTIONAL MATCH {_paths(match, [optional], keys)}"
    return f"MATCH {_paths(match, match.hops, keys)}{_period(match)}"


def query_text(match: Match, wanted: Return, keys: Mapping[str, str]) -> str:
    """Return the reference query."""

    def property_of(node: str, name: str) -> str:
        return f"{node}.{quote_name(name)}"

    key, subject = keys.get(match.label, ""), wanted.subject()
    returned = wanted.form().cypher.format(
        key=property_of("n", key),
        value=property_of("n", subject),
        other_key=property_of("m0", key),
        other=property_of("m0", subject),
        known=f" WHERE {property_of('n', subject)} IS NOT NULL" if wanted.known_only else "",
        order=wanted.order.upper(),
        operator=wanted.operator,
        aggregate=wanted.aggregate,
        literal="" if wanted.value is None else value_text(wanted.value),
    )
    return f"{match_text(match, keys)} {returned}"


def table_question(
    match: Match, wanted: Return, keys: Mapping[str, str], text: str, rows: list[list[Any]]
) -> TableQuestion:
    """Return a question, still without an id, with its reference query and the rows of its answer."""
    return TableQuestion(
        "",
        match.task,
        text,
        query_text(match, wanted, keys),
        match=match_text(match, keys),
        template=wanted.template,
        entities=match.entities,
        rows=len(rows),
        answer=rows if len(rows) <= STORED_ROWS else None,
    )


def _paths(match: Match, hops: Sequence[Hop], keys: Mapping[str, str]) -> str:
    """Write a chain as one path, and what does not continue it as a path of its own from n."""

    def node(variable: str) -> str:
        label = match.labels[variable]
        named = ""
        if variable in match.named:
            named = f" {{{quote_name(keys[label])}: {value_text(match.named[variable])}}}"
        return f"({variable}:{quote_name(label)}{named})"

    if not hops:
        return ", ".join(node(variable) for variable in match.labels)
    paths: list[str] = []
    seen: list[str] = []
    for hop in hops:
        last = seen[-1] if seen else ""
        near = last if last in (hop.start, hop.end) and hop.other(last) not in seen else "n"
        if near == "n":
            paths.append(node("n"))
            seen = ["n"]
        arrow = f"-[{hop.variable}:{quote_name(hop.type)}]-"
        paths[-1] += (f"{arrow}>" if hop.start == near else f"<{arrow}") + node(hop.other(near))
        seen.append(hop.other(near))
    return ", ".join(paths)


def _period(match: Match) -> str:
    if match.period is None:
        return ""
    start, end = f"r0.{quote_name(match.period.start)}", f"r0.{quote_name(match.period.end)}"
    year = match.period.year
    if year is None:
        return f" WHERE {start} IS NOT NULL AND {end} IS NULL"
    return f" WHERE {start} <= {year} AND ({end} >= {year} OR {end} IS NULL)"
