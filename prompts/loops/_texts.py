"""The texts that the roles of loops are asked with."""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from prompts.models import Message
from prompts.templates import fill, split

_FOLDER = Path(__file__).with_name("texts")


def messages_for(name: str, values: Mapping[str, str]) -> list[Message]:
    """Return the system and the user message of a text, filled.

    Args:
        name: Name of a file in ``texts``, without its ending.
        values: What goes into its slots.
    """
    system, user = _parts(name)
    return [
        {"role": "system", "content": fill(system, values)},
        {"role": "user", "content": fill(user, values)},
    ]


def text_hashes() -> dict[str, str]:
    """Return the SHA-256 of each text by its name."""
    return {file.stem: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(_FOLDER.glob("*.md"))}


@cache
def _parts(name: str) -> tuple[str, str]:
    return split((_FOLDER / f"{name}.md").read_text(encoding="utf-8"))
