"""How well labels find planted errors, to print."""

from rich.console import Console, Group
from rich.table import Table

from plugins.taxonomy._evaluate import Evaluation
from plugins.terminal import counted_table


def evaluation_table(evaluation: Evaluation, *, misses: int = 15, width: int = 80) -> Group:
    """Return figures, what was found of each label, what was taken for what, and the most frequent misses.

    What was taken for what is the confusion matrix where that is narrow enough; else a list of all that was
    not labelled as planted.

    Args:
        evaluation: What was counted.
        misses: How many kinds of miss to list at most.
        width: Characters in a line.
    """
    matrix = _matrix(evaluation)
    fits = Console(width=10 * width).measure(matrix).maximum <= width
    taken = [matrix] if fits else _taken_for(evaluation)
    return Group(_figures(evaluation), "", _found(evaluation), "", *taken, "", *_misses(evaluation, misses))


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


def _found(evaluation: Evaluation) -> Table:
    table = counted_table("primary label by planted label", "label", "planted", "right", "share")
    for label in evaluation.labels():
        planted, right = evaluation.planted(label), evaluation.confusion[label, label]
        share = f"{100 * right / planted:.1f} %" if planted else ""
        table.add_row(label, f"{planted:,}", f"{right:,}", share)
    return table


def _matrix(evaluation: Evaluation) -> Table:
    labels = evaluation.labels()
    numbers = [str(number) for number in range(1, len(labels) + 1)]
    table = counted_table("planted (rows) and primary (columns)", "label", "", *numbers)
    for number, planted in zip(numbers, labels, strict=True):
        counts = [evaluation.confusion[planted, given] for given in labels]
        table.add_row(planted, number, *(str(count or "") for count in counts))
    return table


def _taken_for(evaluation: Evaluation) -> list[str]:
    """The cells of the matrix beside its diagonal, the largest first."""
    lines = [
        f"{planted} -> {given}: {count:,}"
        for (planted, given), count in evaluation.confusion.most_common()
        if planted != given
    ]
    return ["Planted -> primary, where they differ:", *(lines or ["none"])]


def _misses(evaluation: Evaluation, most: int) -> list[str]:
    lines = [
        f"{count:5}  {operator}: {planted} was labelled {', '.join(given)}"
        for (operator, planted, given), count in evaluation.misses.most_common(most)
    ]
    return ["Most frequent misses:", *lines] if lines else []
