"""The strings that a query makes of literals alone."""

from retrocypher.kg.cypher.edits import Edit, apply_edits, quote
from retrocypher.kg.cypher.parser import ParsedQuery, parse
from retrocypher.kg.interpreter.graph import SmallGraph
from retrocypher.kg.interpreter.interpreter import interpret
from retrocypher.kg.interpreter.values import NotInterpretedError, QueryFailsError

_CASES = frozenset({"tolower", "toupper", "lower", "upper"})


def with_made_strings(query: ParsedQuery) -> str:
    """Return a query with the string in the place of each expression of literals that gives one.

    So ``left('CCO', 2)`` becomes ``'CC'``. What the interpreter does not know stays as it is, and so does
    all in a query that changes the case of both sides of a comparison.
    """
    edits: list[Edit] = []
    calls = [each for each in query.root.find_all("functionInvocation") if each.find("variable") is not None]
    if any(next(call.tokens()).text.lower() in _CASES for call in calls):
        return query.text
    for node in query.root.find_all("functionInvocation", "expression6"):
        within = bool(edits) and node.start < edits[-1].stop
        if within or node.find("variable") is not None or node.find("stringLiteral") is None:
            continue
        value = _value(query.source(node))
        if isinstance(value, str):
            edits.append(Edit(node.start, node.stop, quote(value)))
    return apply_edits(query.text, edits)


def _value(expression: str) -> object:
    try:
        return interpret(parse(f"RETURN {expression} AS value"), SmallGraph([], [])).rows[0][0]
    except (NotInterpretedError, QueryFailsError):
        return None
