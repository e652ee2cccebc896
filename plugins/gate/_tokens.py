"""The words, numbers and signs of a rule."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from plugins.gate._errors import RuleError

_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_.-]*)"
    r"|(?P<sign>>=|<=|==|!=|>|<|=|,)"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A part of a rule.

    Attributes:
        kind: ``number``, ``word``, ``sign``, or ``end`` behind the last one.
        text: What stands there.
        position: Where it begins.
    """

    kind: str
    text: str
    position: int


def tokens(text: str) -> Iterator[Token]:
    """Yield the parts of a rule, and one of kind ``end`` behind them.

    Args:
        text: The rule.

    Raises:
        RuleError: If there is a character that no rule has.
    """
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise RuleError(
                text, position, f"{text[position]!r} is in no rule; write for example f1 by task>=0.4"
            )
        if found.lastgroup != "space":
            yield Token(str(found.lastgroup), found.group(), position)
        position = found.end()
    yield Token("end", "", len(text))
