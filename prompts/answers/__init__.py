"""Answers that models gave, kept so that nobody is asked the same thing twice."""

from prompts.answers._export import export
from prompts.answers._faults import AnswerCacheError
from prompts.answers._identity import Identity
from prompts.answers._import import Conflict, Imported, import_answers
from prompts.answers._kept import SCHEMA_VERSION, Kept, stamp
from prompts.answers._key import answer_key
from prompts.answers._prepare import default_file, prepare
from prompts.answers._prune import Pruned, prune
from prompts.answers._stats import ModelStats, Stats, stats
from prompts.answers._store import AnswerStore, open_answers

__all__ = [
    "SCHEMA_VERSION",
    "AnswerCacheError",
    "AnswerStore",
    "Conflict",
    "Identity",
    "Imported",
    "Kept",
    "ModelStats",
    "Pruned",
    "Stats",
    "answer_key",
    "default_file",
    "export",
    "import_answers",
    "open_answers",
    "prepare",
    "prune",
    "stamp",
    "stats",
]
