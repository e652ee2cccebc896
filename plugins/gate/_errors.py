"""A rule that cannot be read."""

from kg.errors import InputError

_AROUND = 60


class RuleError(InputError):
    """A rule of the gate that cannot be read; its message shows where.

    Args:
        text: The rule as it was given.
        position: Where it goes wrong: an index into ``text``, or its length at the end.
        said: What is wrong there, and what to do about it.
    """

    def __init__(self, text: str, position: int, said: str) -> None:
        self.text = text
        self.position = position
        start = max(0, position - _AROUND)
        # One place a character, or the caret would point beside what is meant.
        shown = "".join(each if each.isprintable() else "?" for each in text[start : position + _AROUND])
        super().__init__(
            f"gate rule, character {position + 1}: {said}\n    {shown}\n    {' ' * (position - start)}^"
        )
