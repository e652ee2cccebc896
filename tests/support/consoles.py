"""What a terminal shows."""

from io import StringIO

from rich.console import Console, RenderableType


def printed(shown: RenderableType, width: int = 80) -> str:
    """Return what a console so wide prints, without colours."""
    text = StringIO()
    Console(file=text, width=width).print(shown)
    return text.getvalue()
