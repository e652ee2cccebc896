"""The confusion matrix and what was missed, to print."""

from rich import box
from rich.console import Group
from rich.table import Table

from plugins.taxonomy._evaluate import Evaluation


def evaluation_table(evaluation: Evaluation, *, misses: int = 15) -> Group:
    """Return figures, the confusion matrix, and the most frequent misses.

    Rows are planted labels, columns primary labels by their place in the list of rows.

    Args:
        evaluation: What was counted.
        misses: How many kinds of miss to list at most.
    """
    return Group(_figures(evaluation), "", _matrix(evaluation), "", *_misses(evaluation, misses))


def _figures(evaluation: Evaluation) -> str:
    return "\n".join(
        f"{name:<44}{100 * evaluation.share(count):6.2f} % of {evaluation.cases:,}"
        for name, count in (
            ("planted error is the primary label", evaluation.right),
            ("planted error is primary, details aside", evaluation.named),
            ("planted error is among the labels", evaluation.found),
            ("primary label is other", evaluation.given("other")),
        )
    )


def _matrix(evaluation: Evaluation) -> Table:
    labels = evaluation.labels()
    table = Table(title="planted (rows) and primary (columns)", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("", "label"):
        table.add_column(heading, no_wrap=True)
    for heading in (*map(str, range(1, len(labels) + 1)), "right"):
        table.add_column(heading, justify="right", no_wrap=True)
    for number, planted in enumerate(labels, 1):
        total = evaluation.planted(planted)
        counts = [evaluation.confusion[planted, given] for given in labels]
        share = f"{100 * evaluation.confusion[planted, planted] / total:.1f} %" if total else ""
        table.add_row(str(number), planted, *(str(count or "") for count in counts), share)
    return table


def _misses(evaluation: Evaluation, most: int) -> list[str]:
    lines = [
        f"{count:5}  {operator}: {planted} was labelled {', '.join(given)}"
        for (operator, planted, given), count in evaluation.misses.most_common(most)
    ]
    return ["Most frequent misses:", *lines] if lines else []
