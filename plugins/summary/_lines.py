"""What stands below a closing table: what was wrong, what fallbacks brought, and how wordings compare."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kg.labels import name_of
from plugins.judge import VARIANTS
from plugins.summary._answers import MEASURED
from plugins.summary._pooled import pooled
from plugins.terminal import counted

_OF_FALLBACKS = ("recall", "f1")
_ANSWERED = ("written", "insufficient", "empty", "failed")


def lines_below(cells: Sequence[Mapping[str, Any]], wordings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines below the table of one model and loop.

    Args:
        cells: Its ``cells`` of a ``summary.json``.
        wordings: Its ``wordings`` there.
    """
    yield from _labels(cells)
    yield from _fallbacks(cells)
    yield from _answers(cells)
    yield from _judgements(cells)
    yield from _wordings(wordings)


def _labels(cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """All primary labels, details aside, the most frequent first; nothing where nothing was wrong."""
    counts: Counter[str] = Counter()
    passed = 0
    for cell in cells:
        errors = cell.get("errors", {})
        passed += errors.get("passed", 0)
        for label, count in errors.get("primary", {}).items():
            counts[name_of(label)] += count
    if counts:
        also = f" (and of {passed:,} that passed, but not row by row)" if passed else ""
        shown = ", ".join(f"{name} {count:,}" for name, count in counts.most_common())
        yield f"primary labels of the failed cases{also}: {shown}"


def _fallbacks(cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    found = [cell["fallback"] for cell in cells if "fallback" in cell]
    recall, f1 = (pooled((each["means"][name], each["cases"]) for each in found) for name in _OF_FALLBACKS)
    if recall and f1:
        yield (
            f"fallback in {counted(recall.count, 'case')}: mean recall {recall.mean:.3f}, "
            f"F1 {f1.mean:.3f} of its rows, in no other mean"
        )


def _answers(cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """How many answers were written, and what the graph says of them."""
    found = [cell["answers"] for cell in cells if "answers" in cell]
    if not found:
        return
    states: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    for each in found:
        states.update({name: each[name] for name in _ANSWERED})
        verdicts.update(each["verdicts"])
    said = ", ".join(f"{states[name]:,} {name}" for name in _ANSWERED if states[name] or name == "written")
    shown = ", ".join(f"{name} {count:,}" for name, count in sorted(verdicts.items()))
    support = pooled((each["support"], each.get("claiming", 0)) for each in found)
    held = f"mean support {support.mean:.3f} (of {support.count:,} with claims)" if support else ""
    yield f"answers: {'; '.join(filter(None, (said, shown, held)))}"
    judged = [each["judge"] for each in found if "judge" in each]
    means = [part for name in MEASURED if (part := _mean_of(name, judged))]
    lacking: Counter[str] = Counter()
    for each in judged:
        lacking.update(each["without_score"])
    none = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in lacking.most_common())
    if means or none:
        yield f"answers by the judge: {'; no score: '.join(filter(None, (', '.join(means), none)))}"


def _mean_of(name: str, judged: Sequence[Mapping[str, Any]]) -> str:
    all_cells = pooled((each[name]["mean"], each[name]["count"]) for each in judged if name in each)
    return f"{name.replace('_', ' ')} {all_cells.mean:.3f} (of {all_cells.count:,})" if all_cells else ""


def _judgements(cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What the judge says, beside the F1 of the same cases."""
    found = [cell["judge"] for cell in cells if "judge" in cell]
    for variant in VARIANTS:
        told = [each[variant] for each in found]
        scored = pooled((each["mean"], each["scored"]) for each in told)
        kinds: Counter[str] = Counter()
        for each in told:
            kinds.update(each["no_score"])
        if not (scored or kinds.total()):
            continue
        mean = f"mean {scored.mean:.3f} of {counted(scored.count, 'case')}" if scored else ""
        lacking = ", ".join(f"{kind} {count:,}" for kind, count in kinds.most_common())
        said = filter(None, (mean, f"no score: {lacking}" if lacking else ""))
        yield f"judge {variant.replace('_', ' ')}: {'; '.join(said)}"


def _wordings(wordings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if len(wordings) > 1:
        means = ((each["phrasing"], each["means"]["f1"]) for each in wordings)
        shown = (f"{number}: {'n/a' if mean is None else f'{mean:.3f}'}" for number, mean in means)
        yield f"mean F1 by wording: {', '.join(shown)}"
