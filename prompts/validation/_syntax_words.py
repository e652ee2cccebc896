"""What the parser says of a broken query, in words for a reader who does not know parsers."""

import re

from kg.cypher import ParsedQuery, Token

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


def syntax_words(parsed: ParsedQuery) -> str:
    """Return what is wrong where a query first leaves the grammar: ``unexpected ')'; expected ',' or '}'``.

    Args:
        parsed: A query with errors.
    """
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
