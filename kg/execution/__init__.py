"""Guarded execution of untrusted queries."""

from kg.execution._model import Execution, Limits, Status

__all__ = ["Execution", "Limits", "Status"]
