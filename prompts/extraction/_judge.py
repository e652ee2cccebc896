"""What a piece of text is, as the grammar sees it."""

from enum import IntEnum

from kg.cypher import TokenKind, parse, tokens

STARTERS = frozenset(
    {"CALL", "CREATE", "CYPHER", "DELETE", "DETACH", "EXPLAIN", "FOREACH", "INSERT", "LOAD", "MATCH", "MERGE"}
    | {"OPTIONAL", "PROFILE", "REMOVE", "RETURN", "SET", "SHOW", "TERMINATE", "UNWIND", "USE", "WITH"}
)
# Characters to parse and to split into words for one answer: many times a long query, and about a second of
# the worst text there is.
_TO_PARSE = 10_000
_TO_READ = 50_000
# What a piece costs beside its characters, so that many small ones come to an end too.
_EACH = 50
# The lexer keeps no table for characters beyond this one, and is slow on them.
_LAST_FAST = "\u04ff"
_SLOW = 10
LONGEST = 5_000


class Standing(IntEnum):
    """How much of a query a text is."""

    NONE = 0
    FRAGMENT = 1
    BROKEN = 2
    WHOLE = 3


class Judge:
    """Reads pieces of one answer with the grammar.

    A text too long for what is left of the budget counts as not accepted, and as nothing once no words may be
    read, so that no answer, however hostile, holds up a run; the budget is in characters, so the verdict is
    the same on every machine.
    """

    def __init__(self) -> None:
        self._to_parse = _TO_PARSE
        self._to_read = _TO_READ
        self._errors: dict[str, int | None] = {}

    def standing(self, text: str) -> Standing:
        """Tell what a text is.

        A whole query is accepted by the grammar and has a RETURN that is not its beginning; a broken one has
        the RETURN but is not accepted; a fragment merely begins with a clause.
        """
        if self.spent:
            return Standing.NONE
        beginning = text[:LONGEST]
        self._to_read -= _cost(beginning)
        read = tokens(beginning)
        words = [token.text.upper() for token in read if token.kind is not TokenKind.STRING]
        if not words or words[0] not in STARTERS:
            return Standing.NONE
        if words[0] == "RETURN" or "RETURN" not in words:
            return Standing.FRAGMENT
        return Standing.WHOLE if self.accepted(text) else Standing.BROKEN

    @property
    def spent(self) -> bool:
        """Whether no more of the answer is to be read."""
        return self._to_read <= 0

    def accepted(self, text: str) -> bool:
        """Tell whether the grammar accepts a text."""
        return self.first_error(text) is None

    def first_error(self, text: str) -> int | None:
        """Return the offset at which the grammar gives up on a text; None where it accepts it."""
        if len(text) > LONGEST:
            return 0
        if text not in self._errors:
            if (cost := _cost(text)) > self._to_parse:
                return 0
            self._to_parse -= cost
            self._errors[text] = min((error.offset for error in parse(text).errors), default=None)
        return self._errors[text]


def _cost(text: str) -> int:
    return _EACH + len(text) + _SLOW * sum(character > _LAST_FAST for character in text)
