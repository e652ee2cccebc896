"""Runs that never were: scores of questions that cluster, with a known mean."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LIKENESS = 0.3
"""Correlation of the scores of two questions about one molecule."""


class Simulated:
    """Questions about molecules, one to four each, answered again and again with a mean score."""

    def __init__(self, molecules: int, mean: float, runs: int = 1_000, seed: int = 1) -> None:
        self._draw = np.random.default_rng(seed)
        self.counts = self._draw.choice(4, size=molecules, p=(0.5, 0.3, 0.15, 0.05)) + 1
        self.clusters = np.repeat(np.arange(molecules), self.counts)
        concentration = (1 - LIKENESS) / LIKENESS
        self._ease = self._draw.beta(mean * concentration, (1 - mean) * concentration, size=(molecules, runs))

    def scores(self) -> Floats:
        """Return whether each question is answered, 0 or 1, of shape (questions, runs)."""
        return self._answers(self._ease)

    def partial_scores(self) -> Floats:
        """Return scores between 0 and 1 with the same mean, of shape (questions, runs)."""
        return self._ease[self.clusters]

    def better(self, share: float) -> tuple[Floats, float]:
        """Return scores of runs that are right in a share of what would be wrong, and the true difference."""
        return self._answers(self._ease + share * (1 - self._ease)), share * float(1 - self._ease.mean())

    def _answers(self, ease: Floats) -> Floats:
        return (self._draw.random((len(self.clusters), ease.shape[1])) < ease[self.clusters]).astype(float)
