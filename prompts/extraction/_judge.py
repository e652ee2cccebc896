"""What a piece of text is, as the grammar sees it."""

from enum import IntEnum

from kg.cypher import TokenKind, parse, tokens

STARTERS = frozenset(
    {"CALL", "CREATE", "CYPHER", "DELETE", "DETACH", "EXPLAIN", "FOREACH", "INSERT", "LOAD", "MATCH", "MERGE"}
    | {"OPTIONAL", "PROFILE", "REMOVE", "RETURN", "SET", "SHOW", "TERMINATE", "UNWIND", "USE", "WITH"}
)
# Characters to parse for one answer: many times a long query, and a second or two of the worst text there is.
_BUDGET = 20_000
_LONGEST = 5_000


class Standing(IntEnum):
    """How much of a query a text is."""

    NONE = 0
    FRAGMENT = 1
    BROKEN = 2
    WHOLE = 3


class Judge:
    """Reads pieces of one answer with the grammar.

    A text too long for what is left of the budget counts as not accepted, so that no answer, however hostile,
    holds up a run; the budget is in characters, so the verdict is the same on every machine.
    """

    def __init__(self) -> None:
        self._left = _BUDGET
        self._errors: dict[str, int | None] = {}

    def standing(self, text: str) -> Standing:
        """Tell what a text is.

        A whole query is accepted by the grammar and has a RETURN that is not its beginning; a broken one has
        the RETURN but is not accepted; a fragment merely begins with a clause.
        """
        read = tokens(text[:_LONGEST])
        words = [token.text.upper() for token in read if token.kind is not TokenKind.STRING]
        if not words or words[0] not in STARTERS:
            return Standing.NONE
        if words[0] == "RETURN" or "RETURN" not in words:
            return Standing.FRAGMENT
        return Standing.WHOLE if self.accepted(text) else Standing.BROKEN

    def accepted(self, text: str) -> bool:
        """Tell whether the grammar accepts a text."""
        return self.first_error(text) is None

    def first_error(self, text: str) -> int | None:
        """Return the offset at which the grammar gives up on a text; None where it accepts it."""
        if text not in self._errors:
            if len(text) > min(self._left, _LONGEST):
                return 0
            self._left -= len(text)
            self._errors[text] = min((error.offset for error in parse(text).errors), default=None)
        return self._errors[text]
