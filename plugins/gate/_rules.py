"""What a rule of the gate asks."""

from dataclasses import dataclass

NO_REGRESSION = "no-regression"


@dataclass(frozen=True, slots=True)
class AtLeast:
    """A mean is not below a number, in each slice.

    Attributes:
        metric: Which score, or share of cases.
        least: The number, 0 to 1.
        by: What it is sliced by; all cases together where nothing is named.
    """

    metric: str
    least: float
    by: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.metric}{_by(self.by)}>={number(self.least)}"


@dataclass(frozen=True, slots=True)
class NoRegression:
    """A mean is surely not lower than the baseline's by more than a margin, in each slice.

    Attributes:
        metric: Which score, or share of cases.
        margin: The loss that is allowed, 0 to 1.
        by: What it is sliced by; all pairs together where nothing is named.
    """

    metric: str
    margin: float
    by: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{NO_REGRESSION} {self.metric} margin={number(self.margin)}{_by(self.by)}"


Rule = AtLeast | NoRegression


def number(value: float) -> str:
    """Return a number so that it is read back as the same, without a needless point."""
    return repr(float(value)).removesuffix(".0")


def _by(names: tuple[str, ...]) -> str:
    return f" by {','.join(names)}" if names else ""
