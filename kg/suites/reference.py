"""The reference query of a question, as Cypher in the form of CypherBench."""

import datetime
from collections.abc import Mapping, Sequence

from retrocypher.kg.cypher.edits import quote, quote_name
from retrocypher.kg.suites.graph import Value
from retrocypher.kg.suites.instances import Hop, Match, Return


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
    matched = match_text(match, keys)
    key = keys.get(match.label, "")
    own = f"n.{quote_name(key)}" if key else ""
    value = f"n.{quote_name(wanted.property)}" if wanted.property else ""
    distinct = f"{matched} WITH DISTINCT n"
    known = ""
    if wanted.known_only:
        known = f" WHERE {f'n.{quote_name(wanted.group)}' if wanted.group else value} IS NOT NULL"
    match wanted.template:
        case "name" | "time_name" | "union_name":
            return f"{distinct} RETURN {own}"
        case "property":
            if wanted.columns == "different_values":
                return f"{distinct}{known} RETURN DISTINCT {value}"
            return f"{distinct}{known} RETURN {value if wanted.columns == 'value' else f'{own}, {value}'}"
        case "sort":
            return f"{distinct}{known} RETURN {own} ORDER BY {value} {wanted.order.upper()}"
        case "argmax":
            return f"{distinct}{known} RETURN {own} ORDER BY {value} {wanted.order.upper()} LIMIT 1"
        case "filter":
            return f"{distinct} WHERE {_condition(value, wanted)} RETURN {own}"
        case "aggregate" if wanted.group:
            group = f"n.{quote_name(wanted.group)}"
            return (
                f"{distinct}{known} WITH {group} AS key, {_aggregate(value, wanted)} AS agg RETURN key, agg"
            )
        case "aggregate":
            return f"{distinct} RETURN {_aggregate(value, wanted)}"
        case "union_count":
            return f"{distinct} RETURN count(n)"
        case "group_count":
            return f"{matched} WITH n, count(DISTINCT m0) AS num RETURN {own}, num"
        case _:
            return f"{matched} RETURN {_comparison(wanted, own, value)} AS answer"


def _comparison(wanted: Return, own: str, value: str) -> str:
    other_own, other = f"m0.{own.removeprefix('n.')}", f"m0.{value.removeprefix('n.')}"
    if wanted.template == "comparison_argmax":
        return f"CASE WHEN {value} > {other} THEN {own} ELSE {other_own} END"
    return f"{value} {'=' if wanted.template == 'comparison_same' else '-'} {other}"


def _condition(value: str, wanted: Return) -> str:
    assert wanted.value is not None
    literal = value_text(wanted.value)
    return f"{literal} IN {value}" if wanted.operator == "in" else f"{value} {wanted.operator} {literal}"


def _aggregate(value: str, wanted: Return) -> str:
    if wanted.aggregate == "count":
        return "count(n)"
    return (
        f"count(DISTINCT {value})" if wanted.aggregate == "count_values" else f"{wanted.aggregate}({value})"
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
