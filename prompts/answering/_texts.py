"""The texts that answers and their claims are asked for with."""

from collections.abc import Iterable
from pathlib import Path

from prompts.retrieval import Found
from prompts.templates import Texts

_TEXTS = Texts(Path(__file__).with_name("texts"))

messages_for = _TEXTS.messages
text_hashes = _TEXTS.hashes

INSUFFICIENT = _TEXTS.text("insufficient", {})
"""What an answer says that has nothing to answer from."""


def passages_text(passages: Iterable[Found]) -> str:
    """Return passages as they are shown; empty without one.

    Each of their lines is quoted, so that none can pass for a line of ours, whatever a patent says.
    """
    shown = "\n\n".join(_shown(number, each) for number, each in enumerate(passages, 1))
    return f"\n{_TEXTS.text('passages', {'passages': shown})}\n" if shown else ""


def _shown(number: int, found: Found) -> str:
    lines = "\n".join(f"> {line}" for line in found.passage.text.splitlines())
    return f"Passage {number}, on reaction {found.passage.reaction} (relevance {found.score:.2f}):\n{lines}"
