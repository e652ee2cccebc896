"""What an executor is asked to do with a query."""

from dataclasses import dataclass

from kg.execution._model import Limits


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an executor.

    Attributes:
        text: The query.
        limits: Bounds on it.
        plan_only: Whether it is planned and checked, and not run.
    """

    text: str
    limits: Limits
    plan_only: bool = False
