"""The sentinel with which a model says that the graph cannot answer a question.

Runs with such questions ask for it in an addendum to every message, so that nothing tells them apart.
"""

import hashlib
import re
from pathlib import Path

SENTINEL = "CANNOT BE ANSWERED"

_FILE = Path(__file__).with_name("unanswerable.md")
# A model may wrap the words in a sentence or a block, but a query beside them is an answer.
_SENTINEL = re.compile(r"\bcannot\s+be\s+answered\b", re.IGNORECASE)
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.IGNORECASE | re.DOTALL)


def addendum() -> str:
    """Return the text that asks for the sentinel."""
    return _FILE.read_text(encoding="utf-8").strip()


def addendum_sha256() -> str:
    """Return the hash of that text."""
    return hashlib.sha256(addendum().encode()).hexdigest()


def says_unanswerable(completion: str) -> bool:
    """Return whether a completion has the sentinel outside of its thoughts."""
    return _SENTINEL.search(_THOUGHTS.sub("", completion)) is not None
