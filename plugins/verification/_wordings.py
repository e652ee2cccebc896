"""Answers written from what they tell, by templates."""

from functools import cache
from typing import TYPE_CHECKING

from plugins.verification._story import Story

if TYPE_CHECKING:
    from jinja2 import Environment

WORDINGS = ("sentences", "list", "table", "brief", "letter", "json", "notes")
"""The files of ``wordings``; the last three were written when the reader could read the others."""


def tell(story: Story, wording: str) -> str:
    """Return an answer.

    Args:
        story: What it tells.
        wording: One of `WORDINGS`.
    """
    return _environment().get_template(f"{wording}.txt").render(story=story).strip()


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("plugins.verification", "wordings")
    # Plain text, never shown as markup.
    return Environment(loader=loader, undefined=StrictUndefined, autoescape=False)
