"""Mean scores of a judge beside F1, with their intervals."""

from collections.abc import Mapping, Sequence
from typing import Any

from plugins.judge import VARIANTS

MEASURES = ("f1", *VARIANTS)


def judge_means(records: Sequence[Mapping[str, Any]], targets: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the mean of F1 and of each score of the judge, of all cases and by task.

    Args:
        records: Records whose ``scores`` hold `MEASURES`.
        targets: By question id, the molecule that intervals cluster by.

    Returns:
        ``slice``, ``metric`` and ``mean`` with its interval, as `plugins.statistics.slice_means` tells them.
    """
    # SciPy takes its time, which the help of the command should not pay.
    from plugins.statistics import ScoreTable, slice_means

    table = ScoreTable(records, targets, MEASURES)
    return [mean.to_json() for by in ((), ("task",)) for mean in slice_means(table, by, MEASURES)]
