"""The table of a trial is read in a terminal of the usual width."""

import io
from collections import Counter

from rich.console import Console

from plugins.verification import TRIED, Tally, Trial, trial_table


def test_a_whole_trial_fits_80_columns() -> None:
    counts = {"VERIFIED": 2_400, "PARTIALLY_VERIFIED": 2_379, "REFUTED": 1_504, "UNVERIFIABLE": 1_298}
    trial = Trial({kind: Tally(by_support=2_400) for kind in TRIED})
    for tally in trial.tallies.values():
        tally.verdicts.update(counts)
        tally.not_applicable["best_yield"] = 2_200
    trial.tallies["true"].verdicts = Counter(VERIFIED=2_400)
    written = io.StringIO()
    Console(file=written, width=80).print(trial_table(trial))
    shown = written.getvalue()
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown
    for kind in TRIED:
        assert shown.count(f"\n{kind} ") == 1
    assert "100.00 %" in shown
