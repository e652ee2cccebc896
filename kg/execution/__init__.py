"""Guarded execution of untrusted queries."""

from kg.execution._errors import GraphUnavailable
from kg.execution._executor import GuardedExecutor
from kg.execution._forced_limit import with_limit
from kg.execution._json_value import to_json_value
from kg.execution._model import Execution, Limits, Status
from kg.execution._verdicts import Standstill, standstill_in

__all__ = [
    "Execution",
    "GraphUnavailable",
    "GuardedExecutor",
    "Limits",
    "Standstill",
    "Status",
    "standstill_in",
    "to_json_value",
    "with_limit",
]
