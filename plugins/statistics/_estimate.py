"""A number with its interval."""

from dataclasses import asdict, dataclass
from typing import Any

LEVEL = 0.95
FEWEST = 5
"""Of fewer clusters than these no interval is told: resamples of them say next to nothing."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number estimated from cases, with its interval at `LEVEL`.

    Attributes:
        value: The number; None where it is not defined.
        low: Lower end of the interval; None where none can be told.
        high: Upper end; None where none can be told.
        n: How many cases it is from.
        clusters: Of how many target molecules these are.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int

    @property
    def has_interval(self) -> bool:
        """Whether both ends are told."""
        return self.low is not None and self.high is not None

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return asdict(self)
