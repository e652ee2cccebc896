"""Queries in JSON and in calls of tools, and queries that were escaped once too often.

A JSON parser decodes each string, once: a SMILES holds backslashes, and one more or less is another molecule.
"""

import ast
import html
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from retrocypher.kg.cypher.tokens import TokenKind, tokens
from retrocypher.prompts.extraction.candidates import LONGEST, GrammarReader, Standing

LONGEST_JSON = 200_000
"""Characters of a completion in which JSON is looked for."""
_MOST_STARTS = 50
_DEEPEST = 20
"""Levels of values that are looked through, decoded strings included."""
_MOST_STRINGS = 200

_START = re.compile(r"[{\[]|\A\s*\"")
_KEY = re.compile(r"cypher|quer(?:y|ies)|statement", re.IGNORECASE)
_BACKSLASH = re.compile(r'\\(["\\/bfnrtu])?')
# A field of an object that is cut off, or written as Python, JavaScript or YAML have it.
_FIELD = re.compile(
    r"(?<!\w)\w{0,20}(?i:cypher|query|statement)\w{0,20}[\"'”]?\s{0,20}[:=]\s{0,20}"
    r"(?:\"\"\"(?P<triple>.*?)(?:\"\"\"|\Z)|“(?P<curly>[^”]*+)”"
    r"|(?P<text>\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z)|'(?:[^'\\]|\\.)*+'))",
    re.DOTALL,
)
_WORD_BEFORE = re.compile(r"\Acypher\s*\n", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|amp|lt|gt|quot|apos);")
_ESCAPE = re.compile(r"\\[nrt]")
_ESCAPED = {"\\n": "\n", "\\r": "\r", "\\t": "\t"}


class JsonValue(NamedTuple):
    """A JSON object, list or string in a completion, and its place."""

    value: Any
    start: int
    stop: int


def with_doubled_backslashes(text: str) -> str:
    """Double the backslashes that JSON does not allow, as in a SMILES that was not encoded."""
    return _BACKSLASH.sub(lambda found: found[0] if found[1] else r"\\", text)


def json_values(text: str) -> Iterator[JsonValue]:
    """Yield the JSON objects and lists in a text, and the string that it consists of, in order.

    Line breaks within strings are accepted. What stands in quotes or in a comment is passed over.
    """
    decoder = json.JSONDecoder(strict=False)
    position = 0
    for _ in range(_MOST_STARTS):
        start = _START.search(text, position, LONGEST_JSON)
        if start is None:
            return
        begin = start.end() - 1
        position = start.end()
        line = text[text.rfind("\n", 0, begin) + 1 : begin]
        if line.endswith(("'", "`", '"')) or line.lstrip().startswith("//"):
            continue
        try:
            value, position = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            continue
        yield JsonValue(value, begin, position)


def query_in(value: Any, reader: GrammarReader) -> str | None:
    """Return the query in a JSON value; None where there is none.

    A string under a name such as ``cypher``, ``query`` or ``statement`` comes before all others, a whole
    query before a broken one, and of equals the last one. Other strings have to be whole queries.
    """
    best: tuple[bool, Standing, str] | None = None
    for named, text in _strings(value):
        standing = reader.standing(text)
        if standing is Standing.NONE or (not named and standing is not Standing.WHOLE):
            continue
        if best is None or (named, standing) >= best[:2]:
            best = (named, standing, text)
    return best[2].strip() if best else None


def _strings(value: Any) -> Iterator[tuple[bool, str]]:
    """Yield the strings of a JSON value in order, each with whether its name is that of a query."""
    waiting: list[tuple[Any, bool, int]] = [(value, False, 0)]
    for _ in range(_MOST_STRINGS):
        if not waiting:
            return
        part, named, depth = waiting.pop()
        if depth > _DEEPEST:
            continue
        if isinstance(part, dict):
            inner = [(each, _is_query_name(key), depth + 1) for key, each in part.items()]
            waiting += inner[::-1]
        elif isinstance(part, list):
            waiting += [(each, named, depth + 1) for each in part[::-1]]
            if named and len(part) > 1 and all(isinstance(each, str) for each in part):
                yield named, "\n".join(part)  # its lines
        elif isinstance(part, str):
            decoded = _decoded(part)
            if decoded is not None:
                waiting.append((decoded, named, depth + 1))
            else:
                yield named, _WORD_BEFORE.sub("", part.strip())


def _is_query_name(key: str) -> bool:
    return _KEY.search(key) is not None


def _decoded(text: str) -> Any:
    """The object or list that a string holds as JSON, as the arguments of a call do; None for other text."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.JSONDecoder(strict=False).decode(text)
    except (ValueError, RecursionError):
        return None


def query_in_fields(text: str, around: str, reader: GrammarReader) -> str | None:
    """Return the query in a field such as ``"cypher": "…"`` of an object that JSON does not read.

    Only a field whose text as written has ``around`` in it counts.
    """
    best: tuple[Standing, str] | None = None
    for number, field in enumerate(_FIELD.finditer(text[:LONGEST_JSON])):
        if number == _MOST_STARTS:
            break
        if around not in field.group():
            continue
        found = field["triple"] or field["curly"] or _string(field["text"] or '""')
        found = _WORD_BEFORE.sub("", found.strip())
        standing = reader.standing(found)
        if standing is not Standing.NONE and (best is None or standing >= best[0]):
            best = (standing, found)
    return best[1] if best else None


def _string(literal: str) -> str:
    """Decode a string literal of JSON or Python, which may be cut off."""
    if literal.startswith("'"):
        try:
            return str(ast.literal_eval(literal))
        except (ValueError, SyntaxError, MemoryError):
            return literal[1:-1]
    body = literal[1:-1] if len(literal) > 1 and literal.endswith('"') else literal[1:].removesuffix("\\")
    written = with_doubled_backslashes(body)
    try:
        return str(json.loads(f'"{written}"', strict=False))
    except ValueError:
        return body


def unescaped(query: str, reader: GrammarReader) -> Iterator[str]:
    r"""Yield readings of a query that does not parse, without HTML entities and without a literal ``\n``."""
    if len(query) > LONGEST:
        return
    plain = query
    for _ in range(2):  # some are escaped twice
        if _ENTITY.search(plain):
            plain = html.unescape(plain)
            yield plain
    if "\\" in plain:
        yield _without_stray_escapes(plain)
        if '\\"' in plain:
            yield _string(f'"{plain}"')


def _without_stray_escapes(query: str) -> str:
    r"""Replace ``\n``, ``\r`` and ``\t`` outside of strings, names and comments by what they stand for."""
    parts: list[str] = []
    position = 0
    for token in tokens(query):
        if token.kind is TokenKind.ERROR and token.start >= position:
            escape = _ESCAPE.match(query, token.start)
            if escape:
                parts += (query[position : token.start], _ESCAPED[escape.group()])
                position = escape.end()
    return "".join([*parts, query[position:]])
