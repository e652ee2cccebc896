"""A mean that is known at any time."""

import math
from dataclasses import dataclass, field


@dataclass(slots=True)
class RunningMean:
    """The mean of what was added so far, whatever the order it came in.

    Attributes:
        count: How many values were added.
    """

    count: int = 0
    _values: dict[float, int] = field(default_factory=dict, repr=False)

    def add(self, value: float) -> None:
        """Add a value; it must be finite."""
        self.count += 1
        self._values[value] = self._values.get(value, 0) + 1

    @property
    def mean(self) -> float | None:
        """The mean, None before the first value."""
        if not self.count:
            return None
        # An exact sum: workers deliver records in any order, and the mean must not show it.
        return math.fsum(value * times for value, times in self._values.items()) / self.count
