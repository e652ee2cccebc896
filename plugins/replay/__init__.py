"""Rows and answers of runs that were, in place of a graph and a model."""

from plugins.replay._answers import ReplayedModel
from plugins.replay._calls import Call, calls_of
from plugins.replay._graphs import NotRecorded, RecordedGraphs
from plugins.replay._index import RunIndex, who
from plugins.replay._runs import ReplayedRuns, replayed_runs
from plugins.replay._watched import WatchedGraph

__all__ = [
    "Call",
    "NotRecorded",
    "RecordedGraphs",
    "ReplayedModel",
    "ReplayedRuns",
    "RunIndex",
    "WatchedGraph",
    "calls_of",
    "replayed_runs",
    "who",
]
