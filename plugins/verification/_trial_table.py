"""The outcome of a trial as a table."""

from typing import TYPE_CHECKING

from plugins.verification._trial import GOLD, TRIED, Trial
from plugins.verification._verdict import ANSWER_VERDICTS

if TYPE_CHECKING:
    from rich.table import Table


def trial_table(trial: Trial) -> "Table":
    """Return one line a kind: how many answers, how many judged as they should be, and the verdicts.

    ``by support alone`` is how many would be verified if nothing counted but the share of supported claims.
    """
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("answers")
    for heading in ("judged", "no place for it", "should be", "as it should", *ANSWER_VERDICTS):
        table.add_column(heading.replace("_", " ").lower(), justify="right")
    table.add_column("by support alone", justify="right")
    for kind in TRIED:
        tally, share = trial.tallies[kind], trial.share(kind)
        table.add_row(
            kind,
            f"{tally.answers:,}",
            f"{tally.not_applicable.total():,}",
            "verified" if kind == GOLD else "not verified",
            "-" if share is None else f"{100 * share:.2f} %",
            *(f"{tally.verdicts[name]:,}" for name in ANSWER_VERDICTS),
            f"{tally.by_support:,}",
        )
    return table
