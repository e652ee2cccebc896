"""Text of models and servers, of files and users."""

LONGEST = 1_500


def safe(text: str, longest: int | None = LONGEST) -> str:
    """Return untrusted text for a terminal: cut, and what would steer the terminal shown as an escape.

    Args:
        text: The text.
        longest: Most characters to show; None for all.
    """
    cut = text
    if longest is not None and len(text) > longest:
        cut = f"{text[:longest]} ({len(text):,} characters in all)"
    return "".join(
        character if character.isprintable() or character == "\n" else ascii(character)[1:-1]
        for character in cut
    )


def one_line(text: str) -> str:
    """Return untrusted text for one line of a terminal: whole, what breaks a line shown as an escape, too."""
    return safe(text, None).replace("\n", "\\n")
