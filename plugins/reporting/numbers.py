"""Scores and their intervals as text."""

from retrocypher.plugins.analysis.scores import LeakMeans
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.statistics.intervals import Estimate

NOT_DEFINED = "n/a"

_NAMES = {
    "f1": "F1",
    "focus_f1": "focus F1",
    "row_f1": "row F1",
    "ex": "EX",
    "psjs": "PSJS",
    "bleu": "BLEU",
    "meteor": "METEOR",
    "rouge_l": "ROUGE-L",
}


def score_name(metric: str) -> str:
    """Return the name of a score for readers."""
    return _NAMES.get(metric, metric.replace("_", " "))


def three_digits(value: float | None, sign: str = "") -> str:
    """Return a number with three digits, with a plus if ``sign`` is ``+``; ``n/a`` if it is not defined."""
    return NOT_DEFINED if value is None else f"{value:{sign}.3f}"


def without_leaks(leaks: LeakMeans, metric: str) -> str:
    """Return what a mean without cases whose exemplar gives the answer away is called, with their number."""
    return (
        f"{score_name(metric)} without the {counted(leaks.cases, 'case')} whose exemplar's query is right "
        f"({leaks.as_is:,} as is, {leaks.one_edit:,} with one edit)"
    )


def interval(estimate: Estimate, sign: str = "", none: str = "none") -> str:
    """Return the ends of an interval, such as ``0.123, 0.456``."""
    if estimate.low is None or estimate.high is None:
        return none
    return f"{estimate.low:{sign}.3f}, {estimate.high:{sign}.3f}"


def estimate_text(estimate: Estimate, sign: str = "") -> str:
    """Return a number and its interval; ``n/a`` if it is not defined."""
    if estimate.value is None:
        return NOT_DEFINED
    return f"{three_digits(estimate.value, sign)} [{interval(estimate, sign, 'no interval')}]"
