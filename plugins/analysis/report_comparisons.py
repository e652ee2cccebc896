"""The comparisons of a report: of several runs, or of the parts of one."""

from collections.abc import Iterator, Sequence
from itertools import product

from msgspec import Struct

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.comparison import RunComparison, compare_runs, unseen_note
from retrocypher.plugins.analysis.paired_scores import Change, Comparison, compare
from retrocypher.plugins.analysis.report_runs import ReportRun, task_place
from retrocypher.plugins.analysis.score_table import ScoreTable
from retrocypher.plugins.analysis.scores import read_scores
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.statistics.intervals import Resampler
from retrocypher.plugins.statistics.paired import PairedComparison

_WITHIN = ("model", "loop", "shot", "prompt")
_CHANGES = 10


class ReportComparison(Struct, frozen=True, kw_only=True):
    """B against A."""

    about: str
    """What differs: `run`, or a dimension."""
    model: str = ""
    """Whose completions these are, within one run; empty for several models."""
    a: str
    b: str
    refused: str = ""
    """Why there is no comparison; empty if there is one."""
    rows: Sequence[PairedComparison] = ()
    """All pairs first, then by task."""
    together: str = ""
    """What else is pooled, in words."""
    against: Sequence[str] = ()
    """What should be the same in both and is not."""
    note: str = ""
    """What slices without any difference leave open."""
    only_a: int = 0
    """Cases without a partner in B."""
    only_b: int = 0
    """Cases without a partner in A."""
    unscored: int = 0
    """Pairs without a score."""
    changed: int = 0
    changes: Sequence[Change] = ()
    """Those that differ most."""


def comparisons(runs: Sequence[ReportRun]) -> list[ReportComparison]:
    """Return each other run against the first one; of one run, the comparisons within it."""
    if len(runs) == 1:
        return list(_within(runs[0]))
    first, *others = ((run, read_scores(run.log)) for run in runs)
    found = []
    for other, scores in others:
        try:
            compared = compare_runs(first[1], scores, on_common=True)
        except InputError as error:
            found.append(ReportComparison(about="run", a=first[0].name, b=other.name, refused=str(error)))
            continue
        together = _together(first[0].table, other.table)
        against = [str(each) for each in compared.against]
        found.append(_shown(compared, "run", "", first[0].name, other.name, together, against))
    return found


def _within(run: ReportRun) -> Iterator[ReportComparison]:
    """Compare each label of a dimension with the first one, within each model.

    Prompts are compared only with those of their setting.
    """
    resampler = Resampler()
    for dimension in _WITHIN:
        models = [""] if dimension == "model" else list(dict.fromkeys(model for model, _ in run.series))
        settings: tuple[str | None, ...] = _settings(run.table) if dimension == "prompt" else (None,)
        for setting, model in product(settings, models):
            labels = _labels(run, dimension, setting)
            tables = [_part(run.table, dimension, label, model) for label in labels]
            on = [name for name in ("phrasing", *_WITHIN[::-1]) if name != dimension]
            for label, table in zip(labels[1:], tables[1:], strict=True):
                try:
                    found = compare(tables[0], table, paired_on=on, resampler=resampler)
                except InputError:
                    # They have no question in common, as when each was a run of its own.
                    continue
                together = _together(tables[0], table, dimension)
                yield _shown(found, dimension, model, labels[0], label, together)


def _shown(
    found: Comparison | RunComparison,
    about: str,
    model: str,
    a: str,
    b: str,
    together: str,
    against: Sequence[str] = (),
) -> ReportComparison:
    slices = sorted(found.slices, key=lambda each: task_place(str(each.slice["task"])))
    return ReportComparison(
        about=about,
        model=model,
        a=a,
        b=b,
        rows=[found.overall, *slices],
        together=together,
        against=against,
        note=unseen_note([found.overall, *found.slices]),
        only_a=len(found.only_a),
        only_b=len(found.only_b),
        unscored=len(found.unscored),
        changed=len(found.changes),
        changes=found.changes[:_CHANGES],
    )


def _together(a: ScoreTable, b: ScoreTable, but: str = "") -> str:
    """Say what cases of both differ in beside what is compared; prompts count within their setting."""
    parts = []
    for name in _WITHIN:
        by = {of: {*_labelled(a, name, of)} & {*_labelled(b, name, of)} for of in (*_settings(a), None)}
        by_setting = [len(labels) for of, labels in by.items() if (of is None) != (name == "prompt")]
        if name != but and (most := max(by_setting)) > 1:
            parts.append(counted(most, name))
    return ", ".join(parts)


def _labelled(table: ScoreTable, name: str, setting: str | None) -> Iterator[str]:
    for label, of in zip(table.labels(name), table.labels("setting"), strict=True):
        if setting in (None, of):
            yield str(label)


def _settings(table: ScoreTable) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(str, table.labels("setting"))))


def _labels(run: ReportRun, dimension: str, setting: str | None) -> list[str]:
    if dimension in ("model", "loop"):
        place = ("model", "loop").index(dimension)
        return list(dict.fromkeys(series[place] for series in run.series))
    asked = {*_labelled(run.table, dimension, setting)}
    ordered = dict.fromkeys(getattr(cell, dimension) for cell in run.summary.cells)
    return [label for label in ordered if label in asked]


def _part(table: ScoreTable, dimension: str, label: str, model: str) -> ScoreTable:
    of_models = zip(table.labels(dimension), table.labels("model"), strict=True)
    places = (place for place, each in enumerate(of_models) if each[0] == label and model in ("", each[1]))
    return table.select(places, ("f1",))
