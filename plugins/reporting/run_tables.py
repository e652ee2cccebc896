"""Tables of a summary and of a ledger, for a terminal of 100 columns."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import groupby
from pathlib import Path

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from retrocypher.kg.labels.error_labels import name_of
from retrocypher.plugins.analysis.group import Answers, RunningMean, by_label, by_name, together
from retrocypher.plugins.analysis.group import Group as Counts
from retrocypher.plugins.analysis.ledger import COUNTS, SPENT, LedgerEntry, LoopEntry, ValidatorCounts
from retrocypher.plugins.analysis.scores import Means
from retrocypher.plugins.analysis.summary import Cell, Summary
from retrocypher.plugins.analysis.variation import OVER, Variation
from retrocypher.plugins.formatting.text import counted, one_line, three_significant, usd
from retrocypher.plugins.reporting.numbers import (
    NOT_DEFINED,
    estimate_text,
    score_name,
    three_digits,
    without_leaks,
)
from retrocypher.plugins.runs.listing import RunEntry
from retrocypher.plugins.runs.record import HEADLINE, MORE_METRICS, NO_LOOP, RETRIEVAL_METRICS
from retrocypher.plugins.runs.written_answer import ANSWER_METRICS
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.plugins.statistics.means import Ratio

_ANSWERED = ("written", "insufficient", "empty", "failed")
WIDTH = 100
"""Columns that the table of scores needs."""
_TIMES = "\N{MULTIPLICATION SIGN}"


def render_table(
    summary: Summary,
    notes: Mapping[str, str] | None = None,
    models: Sequence[str] = (),
    loops: Sequence[str] = (),
    clusters: Mapping[str, str] | None = None,
    headline: str = HEADLINE,
) -> Group:
    """Return the scores of a summary by task, prompt and shot: one table for each model and loop.

    A second table has the scores of each key.

    Args:
        notes: Remarks by label of a model, such as that its run was interrupted.
        models: Labels of models in the order of their tables; others come after these.
        loops: Names of loops in the order of a model's tables.
        clusters: By question id, the cluster of the question, for intervals.
        headline: The score that has an interval.
    """
    tables: list[RenderableType] = []
    means = summary.means(clusters or {}, headline)
    for model, loop in summary.series(models, loops):
        title = model if loop == NO_LOOP else f"{model}, loop {loop}"
        note = (notes or {}).get(model)
        cells = summary.cells_of((model, loop))
        mean = means.of(model=model, loop=loop)[headline]
        paraphrases = summary.paraphrases_of((model, loop))
        lines = [*_lines_below(list(cells.values()), paraphrases, {headline: mean})]
        if (leaks := means.leaks(headline, model=model, loop=loop)) is not None:
            without = f"{without_leaks(leaks, headline)}: {estimate_text(leaks.without)}"
            lines.append(f"{without}; with them: {estimate_text(mean)}")
        head = f"{title} ({note})" if note else title
        tables.append(_model_table(head, cells, means, headline, summary.is_of_tables))
        for name, groups in summary.slices_of((model, loop)).items():
            of_values = {
                value: summary.mean_of_slice((model, loop), name, value, clusters or {}, headline)
                for value in groups
            }
            tables += ["", _slice_table(name, groups, headline, of_values)]
        if keys := together(cells.values()).keys:
            tables += ["", _key_table(keys)]
        tables += [*map(Text, lines), ""]
    if varying := summary.variations(clusters or {}):
        tables += [_variation_table(varying), *map(Text, _variation_notes(varying)), ""]
    return Group(*tables[:-1])


_Column = tuple[str, Callable[[Counts, Estimate], str]]
"""A heading, on two lines where the table would be too wide, and what makes the cell of a row."""


def _columns(headline: str, of_tables: bool) -> list[_Column]:
    """Return the columns of a table of scores; EX and PSJS are the scores of table questions."""
    names = dict.fromkeys(("ex", "psjs", *RETRIEVAL_METRICS, headline) if of_tables else RETRIEVAL_METRICS)
    means: list[_Column] = [(_HEADINGS.get(name, score_name(name)), partial(_mean, name)) for name in names]
    means.insert(list(names).index(headline) + 1, ("95 %\ninterval", lambda _, mean: _interval(mean)))
    return [
        ("cases", lambda counts, _: f"{counts.cases:,}"),
        ("scored", lambda counts, _: f"{counts.scored:,}"),
        *means,
        *([] if of_tables else [("focus\nF1", partial(_mean, "focus_f1"))]),
        ("ran", lambda counts, _: three_digits(counts.ran)),
        ("passed", lambda counts, _: f"{counts.passed:,}"),
        ("failed", lambda counts, _: f"{counts.failed:,}"),
    ]


_HEADINGS = {"precision": "P", "recall": "R"}


def _mean(name: str, counts: Counts, _: Estimate) -> str:
    return three_digits(counts.means[name].mean)


def _interval(mean: Estimate) -> str:
    return f"{mean.low:.2f}\N{EN DASH}{mean.high:.2f}" if mean.has_interval else NOT_DEFINED


def _model_table(
    title: str, cells: Mapping[Cell, Counts], means: Means, headline: str, of_tables: bool
) -> Table:
    columns = _columns(headline, of_tables)
    table = Table(
        title=escape(title),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=0,
    )
    # Headings on two lines, and no spaces around the sign, so that the table fits its width.
    for name in (f"prompt{_TIMES}shot", "task"):
        table.add_column(name, no_wrap=True, vertical="bottom")
    for heading, _ in columns:
        table.add_column(heading, justify="right", no_wrap=True, vertical="bottom")
    for (prompt, shot), each in groupby(cells, key=lambda cell: (cell.prompt, cell.shot)):
        rows = list(each)
        at = {"model": rows[0].model, "loop": rows[0].loop, "prompt": prompt, "shot": shot}
        for number, cell in enumerate(rows):
            first = "" if number else escape(f"{prompt}{_TIMES}{shot}")
            mean = means.of(**at, task=cell.task)[headline]
            table.add_row(first, cell.task, *(make(cells[cell], mean) for _, make in columns))
        total, mean = together(cells[cell] for cell in rows), means.of(**at)[headline]
        numbers = (make(total, mean) for _, make in columns)
        table.add_row("", "all", *numbers, style="bold", end_section=True)
    return table


def _slice_table(
    name: str, groups: Mapping[str, Counts], headline: str, means: Mapping[str, Estimate]
) -> Table:
    """Return the scores of table questions by the values of a slice."""
    shown = [each for each in _columns(headline, True) if each[0] not in _NOT_OF_SLICES]
    table = _empty(name, *(heading for heading, _ in shown))
    for value, counts in groups.items():
        table.add_row(escape(value), *(make(counts, means[value]) for _, make in shown))
    return table


_NOT_OF_SLICES = ("P", "R", "passed", "failed", "not\nrun")
"""Columns of the table above that tables of slices leave out."""


def _key_table(keys: Mapping[str, Mapping[str, RunningMean]]) -> Table:
    table = _empty("key", "cases", "P", "R", "F1")
    for key, means in keys.items():
        scores = (three_digits(means[name].mean) for name in RETRIEVAL_METRICS)
        table.add_row(key, f"{means['f1'].count:,}", *scores)
    return table


def _variation_table(varying: Sequence[Variation]) -> Table:
    table = _empty("model, loop", "over", "cases", "pass@N", "pass^N", "changes", "SD of F1")
    for each in varying:
        label = each.model if each.loop == NO_LOOP else f"{each.model}, {each.loop}"
        over = f"{each.count} {OVER[each.over]}s"
        figures = (each.pass_at[-1], each.pass_all[-1], each.changes)
        cells = (_estimate(figure) for figure in figures)
        table.add_row(escape(label), over, f"{each.cases:,}", *cells, three_digits(each.f1_sd.value))
    return table


def _estimate(estimate: Estimate) -> str:
    return f"{three_digits(estimate.value)}{_ends(estimate)}"


def _ends(estimate: Estimate | None, form: str = " {}") -> str:
    if estimate is None or not estimate.has_interval:
        return ""
    return form.format(_interval(estimate))


def _variation_notes(varying: Sequence[Variation]) -> Iterator[str]:
    if left_out := sum(each.left_out for each in varying):
        yield f"left out: {counted(left_out, 'case')} without a score in each repeat or paraphrase"


def _lines_below(
    cells: Sequence[Counts], paraphrases: Mapping[int, Counts], estimates: Mapping[str, Estimate]
) -> Iterator[str]:
    counts = together(cells)
    labels: Counter[str] = Counter()
    for cell in cells:
        for label, count in by_label(cell.labels.primary).items():
            labels[name_of(label)] += count
    if labels:
        passed = counts.labels.passed
        also = f" (and of {passed:,} that passed, but not row by row)" if passed else ""
        yield f"primary labels of the failed cases{also}: {_most_common(labels)}"
    if counts.labels.categories:
        yield f"error categories of CypherBench: {_most_common(counts.labels.categories)}"
    if used := counts.fallbacks.cases:
        recall, f1 = (counts.fallbacks.means[name].mean for name in ("recall", "f1"))
        yield (
            f"fallback in {counted(used, 'case')}: mean recall {three_digits(recall)}, "
            f"F1 {three_digits(f1)} of its rows, in no other mean"
        )
    measured = [
        f"{score_name(name)} {three_digits(mean.mean)}{_ends(estimates.get(name), ' ({})')} "
        f"of {counted(mean.count, 'case')}"
        for name in MORE_METRICS
        if (mean := counts.means[name]).count
    ]
    if measured:
        yield ", ".join(measured)
    abstentions = counts.abstentions
    if abstentions.unanswerable or abstentions.abstained:
        found = abstentions.summary()
        yield (
            f"cannot be answered: precision {three_digits(found.precision)} of {abstentions.abstained:,}, "
            f"recall {three_digits(found.recall)} of {abstentions.unanswerable:,}"
        )
    yield from _answers(counts.answers)
    for variant, scores in counts.judgements.variants.items():
        mean = scores.mean
        shown = f"mean {mean.mean:.3f} of {counted(mean.count, 'case')}" if mean.mean is not None else ""
        lacking = f"no score: {_most_common(by_name(scores.no_score))}" if scores.no_score else ""
        if shown or lacking:
            yield f"judge {variant.replace('_', ' ')}: {'; '.join(filter(None, (shown, lacking)))}"
    if len(paraphrases) > 1:
        means = (f"{number}: {three_digits(each.means['f1'].mean)}" for number, each in paraphrases.items())
        yield f"mean F1 by paraphrase: {', '.join(means)}"


def _answers(answers: Answers) -> Iterator[str]:
    if not answers.cases:
        return
    states = {**answers.states, "failed": answers.failed}
    parts = [f"{states.get(name, 0):,} {name}" for name in _ANSWERED if states.get(name) or name == "written"]
    verdicts = ", ".join(f"{name} {count:,}" for name, count in sorted(answers.verdicts.items()))
    mean, count = answers.support.mean, answers.support.count
    support = "" if mean is None else f"mean support {mean:.3f} (of {count:,} with claims)"
    yield f"answers: {'; '.join(filter(None, (', '.join(parts), verdicts, support)))}"
    if made := answers.claims["made"]:
        yield (
            f"claims: {made:,}; hallucination rate {three_digits(answers.hallucination_rate)}; "
            f"provenance completeness {three_digits(answers.provenance_completeness)} "
            f"(of {answers.claims['traceable']:,})"
        )
    if cited := answers.citations:
        yield (
            f"citations: {cited['citations']:,} in {cited['cited']:,} of {cited['sentences']:,} sentences, "
            f"{cited['wrong']:,} wrong"
        )
    means = [
        f"{name.replace('_', ' ')} {mean:.3f} (of {answers.measured[name].count:,})"
        for name in ANSWER_METRICS
        if (mean := answers.mean(name)) is not None
    ]
    lacking = _most_common(by_name(answers.unmeasured)).replace("_", " ")
    if means or lacking:
        yield f"answers by the judge: {'; no score: '.join(filter(None, (', '.join(means), lacking)))}"


def _most_common(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in Counter(counts).most_common())


_REPAIRS = "rate of repair, and what a repaired case took:"
_RATES = {
    "retrieval_error_rate": "retrieval error rate",
    "non_detected_error_rate": "non-detected error rate",
    "non_corrected_error_rate": "non-corrected error rate",
    "false_alarm_rate": "false alarm rate",
    "error_coverage": "error coverage",
}
_NEED_A_VERDICT = ("non_detected_error_rate", "non_corrected_error_rate", "false_alarm_rate")


def render_ledger(entries: Iterable[LoopEntry], unpriced: Mapping[str, str] | None = None) -> Group:
    """Return a ledger as tables; ``unpriced`` names models without a list price."""
    parts: list[RenderableType] = []
    for entry in entries:
        if isinstance(entry, LedgerEntry):
            parts += [*_head(entry, (unpriced or {}).get(entry.model)), _cases(entry), ""]
            if any(counts.repair_rate.of for counts in entry.by_label.values()):
                parts += [_REPAIRS, _repairs(entry), ""]
            if entry.validators:
                parts += [_validators(entry), ""]
    return Group(*parts[:-1])


def _head(entry: LedgerEntry, unpriced: str | None) -> Iterator[Text]:
    validator = f", validator {entry.validator}" if entry.validator else ""
    yield Text(f"{entry.model}, loop {entry.loop}{validator}: before and after", style="bold")
    yield Text(f"repaired {_of(entry.repair_rate)} wrong, broken {_of(entry.breakage_rate)} right")
    before, after = f"{entry.f1_before:.3f} before", f"{entry.f1_after:.3f} after"
    yield Text(f"mean F1 {before}, {after}, gain {_rate(entry.f1_gain)}")
    if entry.f1_lost:
        yield Text(f"F1 lost: {entry.f1_lost:.3f} in all, {_lost_by_worsened(entry)}")
    yield Text(
        f"{counted(entry.calls, 'call')}, {counted(entry.tokens, 'token')}, {entry.seconds:,.1f} s "
        "beyond first answers"
    )
    if entry.cost is not None:
        each = entry.per_repaired.cost
        a_case = "" if each is None else f", {usd(each)} a repaired case"
        yield Text(f"{usd(entry.cost)} beyond first answers{a_case}, at list prices")
    elif unpriced is not None and entry.calls:
        yield Text(f"no list price for {unpriced}")


def _lost_by_worsened(entry: LedgerEntry) -> str:
    return f"{entry.f1_lost_by_worsened:.3f} of it by {counted(entry.worsened, 'case')} already wrong"


def _cases(entry: LedgerEntry) -> Table:
    table = _empty("error of first answer", "cases", "repaired", "broken", "stayed right", "stayed wrong")
    for number, (label, counts) in enumerate(entry.rows):
        table.add_row(
            escape(label),
            *(f"{getattr(counts, name):,}" for name in COUNTS),
            style="" if number else "bold",
            end_section=not number,
        )
    return table


def _repairs(entry: LedgerEntry) -> Table:
    priced = entry.cost is not None
    usd_column = ["USD"] if priced else []
    table = _empty("error of first answer", "repair rate [95 %]", *SPENT, *usd_column)
    for number, (label, counts) in enumerate(entry.rows):
        if counts.repair_rate.of:
            spent = counts.per_repaired
            cost = "n/a" if spent.cost is None else three_significant(spent.cost)
            table.add_row(
                escape(label),
                _rate(counts.repair_rate),
                *(_number(getattr(spent, name).value) for name in SPENT),
                *([cost] if priced else []),
                style="" if number else "bold",
                end_section=not number,
            )
    return table


def _validators(entry: LedgerEntry) -> Table:
    validators = entry.validators
    table = _empty("validator", *map(escape, validators))
    for field, heading in (("looked_at", "looked at"), ("malformed", "malformed")):
        table.add_row(heading, *(f"{getattr(counts, field):,}" for counts in validators.values()))
    for field, heading in _RATES.items():
        table.add_row(heading, *(_validator_rate(counts, field) for counts in validators.values()))
    table.add_row("broken after a false alarm", *(f"{counts.broken:,}" for counts in validators.values()))
    return table


def _validator_rate(counts: ValidatorCounts, field: str) -> str:
    # A validator whose completions were all malformed has no rate of detection.
    if field in _NEED_A_VERDICT and counts.malformed == counts.looked_at:
        return "n/a"
    return _of(getattr(counts, field))


def _empty(first: str, *headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    table.add_column(first, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _rate(rate: Ratio) -> str:
    if rate.value is None:
        return "n/a"
    if rate.low is None:
        return f"{rate.value:.3f}"
    ends = ["?" if end is None else f"{end:.2f}" for end in (rate.low, rate.high)]
    return f"{rate.value:.3f} [{ends[0]}, {ends[1]}]"


def _of(rate: Ratio) -> str:
    return f"{_rate(rate)} of {rate.of:,}"


def _number(value: float | None) -> str:
    if value is None:
        return "n/a"
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def counted_table(title: str, first: str, *headings: str) -> Table:
    """Return an empty table with a column of names and columns of numbers."""
    table = Table(title=title, box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column(first, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


_STYLES = {"complete": "green", "unreadable": "red", "running": "cyan"}
_COMMIT = 8


def runs_table(entries: Iterable[RunEntry], folder: Path) -> Table:
    """Return a table with two lines a run: its figures, and what was run.

    Args:
        entries: The runs in the order to be shown.
        folder: The folder that their names are relative to.
    """
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("run", overflow="fold")
    for heading in ("cases", "mean"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("state", no_wrap=True)
    table.add_column("cost", justify="right", no_wrap=True)
    for entry in entries:
        table.add_row(
            _run_name(entry, folder),
            _case_count(entry),
            f"{score_name(entry.headline)} {three_digits(entry.mean)}",
            Text(entry.state, _STYLES.get(entry.state, "yellow")),
            "" if entry.cost is None else usd(entry.cost),
        )
    return table


def _run_name(entry: RunEntry, folder: Path) -> Group:
    path = Path(entry.path)
    name = path.relative_to(folder) if path.is_relative_to(folder) and path != folder else path
    return Group(
        Text(one_line(str(name))), Padding(Text(one_line(_what_was_run(entry)), "dim"), (0, 0, 0, 2))
    )


def _what_was_run(entry: RunEntry) -> str:
    if entry.reason is not None:
        return entry.reason
    commit = f"{entry.commit[:_COMMIT]}{'+' if entry.changed else ''}" if entry.commit else ""
    run = (", ".join(names) for names in (entry.models, entry.prompts, entry.shots, entry.loops))
    return "; ".join(filter(None, (_started(entry.started), *run, commit)))


def _started(started: str | None) -> str:
    if started is None:
        return ""
    return f"{datetime.fromisoformat(started).astimezone():%Y-%m-%d %H:%M}"


def _case_count(entry: RunEntry) -> str:
    if entry.done is None:
        return ""
    return (
        f"{entry.done:,}" if entry.planned in (None, entry.done) else f"{entry.done:,} of {entry.planned:,}"
    )
