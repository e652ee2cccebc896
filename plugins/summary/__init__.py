"""Records in, means and counts out: ``summary.json``, the closing table and the running mean."""

from plugins.summary._answers import MEASURED
from plugins.summary._labels import perfect_variations
from plugins.summary._pooled import Pooled, pooled
from plugins.summary._running import RunningMean
from plugins.summary._summarise import Summary, summarise
from plugins.summary._table import in_order, render_table

__all__ = [
    "MEASURED",
    "Pooled",
    "RunningMean",
    "Summary",
    "in_order",
    "perfect_variations",
    "pooled",
    "render_table",
    "summarise",
]
