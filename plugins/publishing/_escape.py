"""Untrusted text in Markdown, as GitHub shows it."""

import re

# A backslash or an entity keeps from text what Markdown reads while it parses. It does not keep off what
# GitHub puts into the text that is left: $math$, :emoji:, @names, #1, GH-1, hashes of commits, addresses.
# A tag within them does, and nothing of it is copied; <span> is what GitHub's documentation tells for $.
# An invisible character would be copied along.
_READ = re.compile(
    r"(?P<entity>^ |[&<>])"
    r"|(?P<mark>[\\`*_\[\]|~]|^[+-])"
    r"|(?P<number>^[0-9]{1,9}[.)])"
    r"|(?P<sign>[$#@]|:(?=\S)|(?<=www)\.|(?<=gh)-(?=\d))"
    r"|(?P<hash>\b[0-9a-f]{7,40}\b)",
    re.IGNORECASE,
)
_SHORT = 6
"""GitHub takes seven digits for the hash of a commit."""


def escaped(text: object) -> str:
    """Return untrusted text so that Markdown on GitHub shows it as it is, on one line, and copies it so."""
    plain = "".join(each if each.isprintable() else " " for each in str(text))
    return _READ.sub(_written, plain)


def _written(found: re.Match[str]) -> str:
    text = found[0]
    if found["entity"]:
        return f"&#{ord(text)};"
    if found["mark"]:
        return f"\\{text}"
    if found["number"]:
        return f"{text[:-1]}\\{text[-1]}"
    if found["sign"]:
        return _apart(text)
    step = _SHORT + 1
    parts = (text[start : start + step] for start in range(0, len(text), step))
    return "".join(part[:_SHORT] + (_apart(part[_SHORT]) if len(part) == step else "") for part in parts)


def _apart(text: str) -> str:
    return f"<span>{text}</span>"
