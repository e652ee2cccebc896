"""What is wrong with a case as Markdown, for the description on its page."""

from collections.abc import Sequence

from kg.labels import LABELS, name_of


def errors_list(errors: Sequence[str]) -> str:
    """Return the labels with what they mean, the primary one first.

    Args:
        errors: The ``errors`` of a record; one at least.
    """
    return "\n".join(
        ["What is wrong, the most likely cause first:", "", *(f"1. {_line(label)}" for label in errors)]
    )


def _line(label: str) -> str:
    known = LABELS.get(name_of(label))
    return f"`{label}`" if known is None else f"`{label}`: {known.meaning}"
