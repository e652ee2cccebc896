"""Answers that models gave, kept so that nobody is asked the same thing twice."""

from prompts.answers._faults import AnswerCacheError
from prompts.answers._identity import Identity
from prompts.answers._kept import SCHEMA_VERSION, Kept, stamp
from prompts.answers._key import answer_key
from prompts.answers._prepare import default_file, prepare
from prompts.answers._store import AnswerStore, open_answers

__all__ = [
    "SCHEMA_VERSION",
    "AnswerCacheError",
    "AnswerStore",
    "Identity",
    "Kept",
    "answer_key",
    "default_file",
    "open_answers",
    "prepare",
    "stamp",
]
