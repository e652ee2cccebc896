"""The outcome of a trial as a table."""

from typing import TYPE_CHECKING

from plugins.verification._trial import TRIED, Trial
from plugins.verification._verdict import ANSWER_VERDICTS

if TYPE_CHECKING:
    from rich.table import Table

_SHORT = {
    "VERIFIED": "veri-\nfied",
    "PARTIALLY_VERIFIED": "partially\nverified",
    "UNVERIFIABLE": "unveri-\nfiable",
}
_HEADINGS = (
    "answers",
    "judged",
    "no\nplace",
    "as it\nshould",
    *(_SHORT.get(name, name.lower()) for name in ANSWER_VERDICTS),
    "by\nshare\nalone",
)


def trial_table(trial: Trial) -> "Table":
    """Return one line a kind: how many answers, how many judged as they should be, and the verdicts.

    It fits 80 columns. ``by share alone`` is how many would be verified if nothing counted but the share of
    supported claims.
    """
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    for heading in _HEADINGS:
        table.add_column(
            heading, justify="right" if table.columns else "left", vertical="bottom", no_wrap=True
        )
    for kind in TRIED:
        tally, share = trial.tallies[kind], trial.share(kind)
        table.add_row(
            kind,
            f"{tally.answers:,}",
            f"{tally.not_applicable.total():,}",
            "-" if share is None else f"{100 * share:.2f} %",
            *(f"{tally.verdicts[name]:,}" for name in ANSWER_VERDICTS),
            f"{tally.by_support:,}",
        )
    return table
