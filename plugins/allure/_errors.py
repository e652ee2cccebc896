"""What is wrong with a case as HTML, for the description on its page."""

from collections.abc import Mapping, Sequence
from html import escape

from kg.labels import LABELS, name_of


def errors_list(errors: Sequence[str], told: Mapping[str, str]) -> str:
    """Return the labels with what they mean, the primary one first.

    Args:
        errors: The ``errors`` of a record; one at least.
        told: What else there is to say, by what it is about.
    """
    items = "".join(f"<li>{_line(label)}</li>" for label in errors)
    more = "".join(f"<p><b>{escape(about)}</b>: {escape(text)}</p>" for about, text in told.items())
    return f"<p>What is wrong, the most likely cause first:</p><ol>{items}</ol>{more}"


def _line(label: str) -> str:
    known = LABELS.get(name_of(label))
    name = f"<code>{escape(label)}</code>"
    return name if known is None else f"{name}: {escape(known.meaning)}"
