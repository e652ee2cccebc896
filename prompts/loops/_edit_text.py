"""What was changed between two queries, token by token."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from kg.cypher import Token, tokens

_LONGEST = 1_500


def edits_between(before: str | None, after: str) -> list[dict[str, str]]:
    """Return the changes that make one query of another, each as the text it was and the text it is.

    Space and comments are not compared. Very long queries are one change.

    Args:
        before: A query; None where there was none.
        after: What became of it.
    """
    old, new = tokens(before or ""), tokens(after)
    if not old or len(old) + len(new) > _LONGEST:
        return [{"was": before or "", "is": after}]
    matcher = SequenceMatcher(None, [each.text for each in old], [each.text for each in new], autojunk=False)
    return [
        {
            "was": _written(before or "", old[first:last]),
            "is": _written(after, new[start:stop]),
        }
        for kind, first, last, start, stop in matcher.get_opcodes()
        if kind != "equal"
    ]


def _written(query: str, part: Sequence[Token]) -> str:
    """What a run of tokens looks like in its query, on one line."""
    return " ".join(query[part[0].start : part[-1].stop].split()) if part else ""
