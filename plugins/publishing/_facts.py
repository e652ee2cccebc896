"""What is told of a run outside of its folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plugins.comparison import Side
from plugins.gate import GateResult
from plugins.statistics import Estimate, slice_means


@dataclass(frozen=True, slots=True)
class Facts:
    """What is told of a run.

    Attributes:
        run: Its folder.
        manifest: Its manifest.
        summary: Its summary.
        f1: Mean F1 of all its cases with its interval.
        gate: What became of its gate; None without one.
    """

    run: Path
    manifest: Mapping[str, Any]
    summary: Mapping[str, Any]
    f1: Estimate
    gate: GateResult | None


def facts_of(run: Path, side: Side, summary: Mapping[str, Any], gate: GateResult | None) -> Facts:
    """Return what is told of a run.

    Args:
        run: Its folder.
        side: Its scores.
        summary: Its summary.
        gate: What became of its gate; None without one.
    """
    (mean,) = slice_means(side.table()) if side.records else (None,)
    f1 = Estimate(None, None, None, 0, 0) if mean is None else mean.mean
    return Facts(run, side.manifest, summary, f1, gate)
