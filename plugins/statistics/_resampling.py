"""Whole clusters, drawn again and again."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.uint16]

RESAMPLES = 5_000
SEED = 20_260
"""Fixed, so that the same records give the same intervals."""

_KEPT = 8
"""Draws that are remembered, each of another number of clusters: one of 700 takes 7 MB."""

_BLOCK = 2_000_000
"""How many counts are handled at once as numbers of 8 bytes."""


class Resampler:
    """Draws clusters with replacement; the same seed and number of clusters give the same draws.

    Args:
        resamples: How often.
        seed: Of NumPy's default generator.
    """

    def __init__(self, resamples: int = RESAMPLES, seed: int = SEED) -> None:
        self.resamples = resamples
        self.seed = seed
        self._drawn: dict[int, Counts] = {}

    def weights(self, clusters: int) -> Counts:
        """Return how often each cluster is taken in each resample, of shape (resamples, clusters).

        As many are taken as there are, so a row sums to ``clusters``.

        Args:
            clusters: How many there are, at least one.
        """
        if clusters not in self._drawn:
            while len(self._drawn) >= _KEPT:
                del self._drawn[next(iter(self._drawn))]
            generator = np.random.default_rng(self.seed)
            even = np.full(clusters, 1 / clusters)
            drawn = np.empty((self.resamples, clusters), dtype=np.uint16)
            for rows in blocks(self.resamples, clusters):
                drawn[rows] = generator.multinomial(clusters, even, size=rows.stop - rows.start)
            self._drawn[clusters] = drawn
        return self._drawn[clusters]

    def totals(self, sums: Floats) -> Floats:
        """Return the sums of each resample, of shape (resamples,) or (resamples, columns).

        Args:
            sums: Those of each cluster, of shape (clusters,) or (clusters, columns).
        """
        return weighted(self.weights(len(sums)), sums)


def weighted(weights: npt.NDArray[np.number], sums: Floats) -> Floats:
    """Return ``weights @ sums``, some rows at a time, so that they need never all be floats at once."""
    parts = [weights[rows].astype(np.float64) @ sums for rows in blocks(*weights.shape)]
    return np.concatenate(parts)


def blocks(rows: int, columns: int) -> Iterator[slice]:
    """Yield all rows of a table in turn, as many at once as are handled well.

    Args:
        rows: How many there are.
        columns: How many numbers each has.
    """
    step = max(1, _BLOCK // max(1, columns))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


class Clusters:
    """Which cluster each case is of: questions about one molecule stand or fall together.

    Args:
        names: The cluster of each case; an array of numbers is faster for many cases.
    """

    def __init__(self, names: Sequence[str] | npt.NDArray[np.intp]) -> None:
        labels = names if isinstance(names, np.ndarray) else np.asarray(list(names), dtype=object)
        distinct, places = np.unique(labels, return_inverse=True)
        self.count = len(distinct)
        self.places: npt.NDArray[np.intp] = places.astype(np.intp)

    def sums(self, values: npt.ArrayLike) -> Floats:
        """Return the sum over the cases of each cluster; the order of cases changes not a bit of it.

        Args:
            values: One a case, of shape (cases,) or (cases, columns).

        Returns:
            Of shape (clusters,) or (clusters, columns).
        """
        table = np.asarray(values, dtype=np.float64)
        if table.ndim > 1:
            sums = np.empty((self.count, table.shape[1]))
            for number, column in enumerate(table.T):
                sums[:, number] = self.sums(column)
            return sums
        order = np.lexsort((table, self.places))
        return np.asarray(
            np.bincount(self.places[order], weights=table[order], minlength=self.count), dtype=np.float64
        )
