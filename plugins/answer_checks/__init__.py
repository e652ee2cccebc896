"""Written answers checked against the graph, and the passages that they are written from."""

from plugins.answer_checks._check import check_answer
from plugins.answer_checks._checkers import GraphChecker, RecordedChecker
from plugins.answer_checks._passages import passage_search, require_passages
from plugins.answer_checks._sources import sources_of

__all__ = [
    "GraphChecker",
    "RecordedChecker",
    "check_answer",
    "passage_search",
    "require_passages",
    "sources_of",
]
