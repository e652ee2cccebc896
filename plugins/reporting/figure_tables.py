"""The numbers of a report as rows, one table for each subject."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from retrocypher.plugins.analysis.ledger import COUNTS, LOST, SPENT, LedgerEntry
from retrocypher.plugins.analysis.model_results import ModelResult, with_fronts
from retrocypher.plugins.analysis.report import ReportComparison, ReportNumbers, RunNumbers
from retrocypher.plugins.formatting.text import three_significant
from retrocypher.plugins.reporting.numbers import score_name
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.plugins.statistics.means import Ratio

Row = dict[str, Any]
_OF_A_JUDGE = ("score", "f1", "accepted", "right", "kappa", "auroc", "spearman", "kendall")


def tables(numbers: ReportNumbers) -> dict[str, list[Row]]:
    """Return the tables by name; those without a row are left out."""
    runs = numbers.runs
    rows_by_name = {
        "scores": [row for run in runs for row in _scores(run)],
        "boxes": [row for run in runs for row in _boxes(run)],
        "errors": [row for run in runs for row in _errors(run)],
        "text-metrics": [row for run in runs for row in _validity(run)],
        "judge": [row for run in runs for row in _judge(run)],
        "models": model_rows(numbers.called),
        "loops": [
            {"run": run.name, **row} for run in runs for entry in run.ledger for row in ledger_rows(entry)
        ],
        "comparisons": [row for each in numbers.comparisons for row in _comparison(each)],
    }
    return {name: rows for name, rows in rows_by_name.items() if rows}


def model_rows(results: Sequence[ModelResult]) -> list[Row]:
    """Return a row for each model and loop."""
    return [
        {
            "model": each.model,
            "loop": each.loop,
            "cases": each.cases,
            **with_ends("f1", each.f1),
            "usd_per_million_prompt_tokens": each.price and each.price.prompt,
            "usd_per_million_completion_tokens": each.price and each.price.completion,
            "tokens_per_case": each.tokens_per_case,
            "seconds_per_case": each.seconds_per_case,
            "usd_per_1000_cases": each.usd_per_1000_cases,
            "front_of_cost": "yes" if fronts["usd_per_1000_cases"] else "no",
            "front_of_time": "yes" if fronts["seconds_per_case"] else "no",
        }
        for each, fronts in with_fronts(results)
    ]


def with_ends(name: str, of: Estimate | Ratio | None, scale: float = 1) -> Row:
    """Return the columns of a number: its value times ``scale``, and the ends of its interval."""
    values = (None, None, None) if of is None else (of.value, of.low, of.high)
    ends = zip(("", *_ENDS), values, strict=True)
    return {f"{name}{end}": None if value is None else scale * value for end, value in ends}


def _scores(run: RunNumbers) -> Iterator[Row]:
    for part in run.scores:
        for group in part.groups:
            for row in group.rows:
                yield {
                    "run": run.name,
                    "model": part.model,
                    "loop": part.loop,
                    "prompt": group.prompt,
                    "shot": group.shot,
                    "task": row.label,
                    "cases": row.group.cases,
                    "passed": row.group.passed,
                    "failed": row.group.failed,
                    "not_run": row.group.errors,
                    **with_ends("precision", row.means["precision"]),
                    **with_ends("recall", row.means["recall"]),
                    **with_ends("f1", row.means["f1"]),
                    "targets": row.means["f1"].clusters,
                }


def _boxes(run: RunNumbers) -> Iterator[Row]:
    for part in run.boxes:
        for task in part.tasks:
            for row in task.rows:
                yield {
                    "run": run.name,
                    "model": part.model,
                    "loop": part.loop,
                    "task": task.task,
                    "prompt": row.prompt,
                    "shot": row.shot,
                    **asdict(row.box),
                    "zeros": row.zeros,
                    "ones": row.ones,
                    "outliers": " ".join(f"{value:g}*{often}" for value, often in row.box.outliers),
                }


def _errors(run: RunNumbers) -> Iterator[Row]:
    for part in run.errors:
        for label in part.labels:
            yield {
                "run": run.name,
                "model": part.model,
                "loop": part.loop,
                "label": label.name,
                "cases": label.cases,
                **dict(zip(part.tasks, label.by_task, strict=True)),
            }


def _validity(run: RunNumbers) -> Iterator[Row]:
    for each in run.validity:
        yield {
            "run": run.name,
            "metric": score_name(each.metric),
            "cases_of": each.slice.get("setting", "all"),
            **with_ends("pearson", each.pearson),
            **with_ends("spearman", each.spearman),
            "n": each.pearson.n,
        }


def _comparison(each: ReportComparison) -> Iterator[Row]:
    for row in each.rows:
        yield {
            "about": each.about,
            "model": each.model,
            "a": each.a,
            "b": each.b,
            "task": row.slice.get("task", "all"),
            "pairs": row.difference.n,
            "mean_a": row.mean_a,
            "mean_b": row.mean_b,
            **with_ends("difference", row.difference),
            "wins": row.wins,
            "losses": row.losses,
            "ties": row.ties,
            "p_value": row.p_value,
            "p_holm": row.p_holm,
            "detectable": row.detectable,
            "verdict": row.verdict.value,
        }


def _judge(run: RunNumbers) -> Iterator[Row]:
    for part in run.judge:
        for task, each in part.rows:
            row: Row = {
                "run": run.name,
                "judge": part.judge,
                "variant": part.variant,
                "task": task,
                "judged": each.judged,
                "no_score": sum(each.unjudged.values()),
            }
            for name in _OF_A_JUDGE:
                row |= with_ends(name, getattr(each, name))
            yield row | with_ends("brier", each.reliability.brier) | with_ends("ece", each.reliability.ece)


def ledger_rows(entry: LedgerEntry) -> Iterator[Row]:
    """Yield the counts of all cases of a model and loop, then those by label of the first completion."""
    for label, counts in entry.rows:
        yield {
            "model": entry.model,
            "loop": entry.loop,
            "validator": entry.validator,
            "label": label,
            **{name: getattr(counts, name) for name in (*COUNTS, *LOST)},
            **with_ends("repair_rate", counts.repair_rate),
            **with_ends("breakage_rate", counts.breakage_rate),
            **{name: getattr(counts, name) for name in SPENT},
            "cost": counts.cost,
            **{f"{name}_per_repaired": getattr(counts.per_repaired, name).value for name in SPENT},
            "cost_per_repaired": counts.per_repaired.cost,
        }


def write_tables(folder: Path, name: str, rows: Sequence[Row], shown: Sequence[Row]) -> list[Path]:
    """Write rows as CSV, and those that are shown, if any, as LaTeX; return the files."""
    texts = {folder / f"{name}.csv": as_csv(rows)}
    if shown:
        texts[folder / f"{name}.tex"] = as_latex(shown)
    for file, text in texts.items():
        file.write_text(text, "utf-8")
    return list(texts)


# A spreadsheet would take text that begins with these for a formula.
_FORMULA = ("=", "+", "-", "@")
_CONTROL = re.compile("[\x00-\x1f\x7f]")


def as_csv(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows as CSV, numbers with all their digits; undefined values are empty."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([[_cell(row.get(name)) for name in columns] for row in rows])
    return text.getvalue()


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return "" if value is None else value
    safe = _CONTROL.sub(" ", value).encode("utf-8", "backslashreplace").decode()
    return f"'{safe}" if safe.startswith(_FORMULA) else safe


_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
_ENDS = ("_low", "_high")
_NAMES = ("run", "model", "loop", "prompt", "shot", "a", "b", "exact", "lexical", "semantic", "paper")
_LEAST_P = 0.001
_PERCENT = "_percent"
_MONEY = ("cost", "usd")
_COUNT = "tokens"
_NEGATIVE = re.compile(r"-[\d.]+")


def as_latex(rows: Sequence[dict[str, Any]]) -> str:
    r"""Return rows as a ``tabular``, a number and its interval in one cell.

    Columns that are empty are left out, and those with the same text in all rows; a comment has these texts.
    It needs ``\usepackage{booktabs}``.
    """
    columns = columns_of(rows)
    same = same_in_all(rows)
    kinds = "".join("l" if any(isinstance(row.get(name), str) for row in rows) else "r" for name in columns)
    lines = [
        *([f"% {_text(same)}"] if same else []),
        rf"\begin{{tabular}}{{{kinds}}}",
        r"\toprule",
        _line([_text(_words(name).replace("f1", "F1")) for name in columns]),
        r"\midrule",
        *(_line([_latex_cell(row, name) for name in columns]) for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def columns_of(rows: Sequence[Row]) -> list[str]:
    """Return the columns of a table for readers, without ends of intervals and what says nothing."""
    names = dict.fromkeys(name for row in rows for name in row)
    ends = {f"{name}{end}" for name in names for end in _ENDS}
    return [name for name in names if name not in ends and (len(rows) == 1 or _is_informative(rows, name))]


def same_in_all(rows: Sequence[Row]) -> str:
    """Return in words what `columns_of` leaves out because all rows have the same; empty if nothing is."""
    shown = columns_of(rows)
    left_out = [(name, text) for row in rows[:1] for name, text in row.items() if name not in shown and text]
    same = "; ".join(f"{name.replace('_', ' ')} {text}" for name, text in left_out if isinstance(text, str))
    return f"In all rows: {same}." if same else ""


def _is_informative(rows: Sequence[dict[str, Any]], name: str) -> bool:
    values = {row.get(name) for row in rows}
    return len(values) > 1 or not all(value is None or isinstance(value, str) for value in values)


def _line(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _latex_cell(row: dict[str, Any], name: str) -> str:
    value, shown = row.get(name), cell_text(row, name)
    if shown is None:
        return "--"
    if isinstance(value, str):
        return _text(shown if name in _NAMES else _words(shown))
    if isinstance(value, float) and name.startswith("p_") and value < _LEAST_P:
        return f"${{<}}{_LEAST_P}$"
    return _NEGATIVE.sub(r"$\g<0>$", shown)


def cell_text(row: Row, name: str) -> str | None:
    """Return what a column shows: a number with its interval, if it has one. None if it is empty."""
    value = row.get(name)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"

    def form(number: float) -> str:
        if name.startswith(_MONEY):
            return three_significant(number)
        if name.startswith(_COUNT):
            return f"{number:,.0f}"
        return f"{number:.1f}" if name.endswith(_PERCENT) else f"{number:.3f}"

    low, high = (row.get(f"{name}{end}") for end in _ENDS)
    return form(value) + ("" if low is None or high is None else f" [{form(low)}, {form(high)}]")


def _text(text: str) -> str:
    shown = "".join(letter if letter.isprintable() else "?" for letter in text)
    return "".join(_ESCAPES.get(letter, letter) for letter in shown)


def _words(text: str) -> str:
    return text.replace("_", " ") if text.islower() else text
