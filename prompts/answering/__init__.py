"""Written answers: what a model is given, what it writes, and what it says that it claims."""

from prompts.answering._claims import StatedClaims, Triple, read_stated
from prompts.answering._context import Context, Limits, context_of
from prompts.answering._facts import facts_of, tells_nothing
from prompts.answering._texts import INSUFFICIENT, text_hashes
from prompts.answering._write import CLAIMS_ROLE, TEXT_ROLE, AnswerWriter, Search, Written

__all__ = [
    "CLAIMS_ROLE",
    "INSUFFICIENT",
    "TEXT_ROLE",
    "AnswerWriter",
    "Context",
    "Limits",
    "Search",
    "StatedClaims",
    "Triple",
    "Written",
    "context_of",
    "facts_of",
    "read_stated",
    "tells_nothing",
    "text_hashes",
]
