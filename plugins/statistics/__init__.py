"""Scores in, numbers with their uncertainty out: means, comparisons, boxes, correlations."""

from plugins.statistics._auroc import auroc
from plugins.statistics._box import BoxStats, box_stats
from plugins.statistics._compare import Change, Comparison, compare, require_common
from plugins.statistics._correlation import pearson, spearman
from plugins.statistics._estimate import Estimate
from plugins.statistics._flips import holm, sign_flip_p
from plugins.statistics._kappa import cohen_kappa
from plugins.statistics._kendall import kendall
from plugins.statistics._means import mean_of
from plugins.statistics._paired import PairedComparison, paired
from plugins.statistics._power import power_curve
from plugins.statistics._ratio import Ratios
from plugins.statistics._reliability import Reliability, ReliabilityBin, reliability
from plugins.statistics._resampling import Resampler
from plugins.statistics._sliced import (
    MetricValidity,
    SliceBox,
    SliceMean,
    metric_validity,
    slice_boxes,
    slice_means,
)
from plugins.statistics._table import DIMENSIONS, ScoreTable
from plugins.statistics._verdict import MARGIN, Held, Verdict, no_regression, verdict

__all__ = [
    "DIMENSIONS",
    "MARGIN",
    "BoxStats",
    "Change",
    "Comparison",
    "Estimate",
    "Held",
    "MetricValidity",
    "PairedComparison",
    "Ratios",
    "Reliability",
    "ReliabilityBin",
    "Resampler",
    "ScoreTable",
    "SliceBox",
    "SliceMean",
    "Verdict",
    "auroc",
    "box_stats",
    "cohen_kappa",
    "compare",
    "holm",
    "kendall",
    "mean_of",
    "metric_validity",
    "no_regression",
    "paired",
    "pearson",
    "power_curve",
    "reliability",
    "require_common",
    "sign_flip_p",
    "slice_boxes",
    "slice_means",
    "spearman",
    "verdict",
]
