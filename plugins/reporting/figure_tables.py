"""The numbers of a report as plain rows, one table a subject."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from retrocypher.plugins.analysis.ledger import ledger_rows

Row = dict[str, Any]
_ESTIMATE = ("value", "low", "high")
_OF_A_JUDGE = ("score", "f1", "accepted", "right", "kappa", "auroc", "spearman", "kendall")


def tables(page: Mapping[str, Any]) -> dict[str, list[Row]]:
    """Return the tables by name; those without a row are left out."""
    runs = page["runs"]
    found = {
        "scores": [row for run in runs for row in _scores(run)],
        "boxes": [row for run in runs for row in _boxes(run)],
        "errors": [row for run in runs for row in _errors(run)],
        "text-metrics": [row for run in runs for row in _validity(run)],
        "judge": [row for run in runs for row in _judge(run)],
        "loops": [{"run": run["name"], **row} for run in runs for row in ledger_rows(run["ledger"])],
        "comparisons": [row for each in page["comparisons"] for row in _comparison(each)],
    }
    return {name: rows for name, rows in found.items() if rows}


def _scores(run: Mapping[str, Any]) -> Iterator[Row]:
    for part in run["results"]:
        for group in part["groups"]:
            for row in (*group["rows"], {**group["all"], "task": "all"}):
                yield {
                    "run": run["name"],
                    "model": part["model"],
                    "loop": part["loop"],
                    "prompt": group["prompt"],
                    "shot": group["shot"],
                    "task": row["task"],
                    "cases": row["cases"],
                    "passed": row["passed"],
                    "failed": row["failed"],
                    "not_run": row["infrastructure_errors"],
                    **{
                        name if end == "value" else f"{name}_{end}": row["means"][name].to_json()[end]
                        for name in ("precision", "recall", "f1")
                        for end in _ESTIMATE
                    },
                    "targets": row["means"]["f1"].clusters,
                }


def _boxes(run: Mapping[str, Any]) -> Iterator[Row]:
    for part in run["boxes"]:
        for task in part["tasks"]:
            for row in task["rows"]:
                box = {
                    **row["box"],
                    "outliers": " ".join(f"{value:g}*{often}" for value, often in row["box"]["outliers"]),
                }
                at = {"prompt": row["prompt"], "shot": row["shot"]}
                yield {
                    "run": run["name"],
                    "model": part["model"],
                    "loop": part["loop"],
                    "task": task["task"],
                    **at,
                    **box,
                }


def _errors(run: Mapping[str, Any]) -> Iterator[Row]:
    for part in run["taxonomy"]:
        for label in part["labels"]:
            yield {
                "run": run["name"],
                "model": part["model"],
                "loop": part["loop"],
                "label": label["name"],
                "cases": label["cases"],
                **dict(zip(part["tasks"], label["by_task"], strict=True)),
            }


def _validity(run: Mapping[str, Any]) -> Iterator[Row]:
    for each in run["validity"]:
        row = {"run": run["name"], "metric": each["name"], "cases_of": each["slice"].get("setting", "all")}
        for name in ("pearson", "spearman"):
            row |= {name if end == "value" else f"{name}_{end}": each[name][end] for end in _ESTIMATE}
        yield row | {"n": each["pearson"]["n"]}


def _comparison(each: Mapping[str, Any]) -> Iterator[Row]:
    if "found" not in each:
        return
    for found in (each["found"]["overall"], *each["found"]["slices"]):
        difference = found["difference"]
        yield {
            "about": each["about"],
            "model": each["model"],
            "a": each["a"],
            "b": each["b"],
            "task": found["slice"].get("task", "all"),
            "pairs": difference["n"],
            "mean_a": found["mean_a"],
            "mean_b": found["mean_b"],
            "difference": difference["value"],
            "difference_low": difference["low"],
            "difference_high": difference["high"],
            **{
                name: found[name]
                for name in ("wins", "losses", "ties", "p_value", "p_holm", "detectable", "verdict")
            },
        }


def _judge(run: Mapping[str, Any]) -> Iterator[Row]:
    for part in run["judge"]:
        for task, each in part["rows"]:
            told = {name: getattr(each, name) for name in _OF_A_JUDGE}
            told |= {"brier": each.reliability.brier, "ece": each.reliability.ece}
            yield {
                "run": run["name"],
                "judge": part["judge"],
                "variant": part["variant"],
                "task": task,
                "judged": each.judged,
                "no_score": sum(each.unjudged.values()),
                **{
                    name if end == "value" else f"{name}_{end}": estimate.to_json()[end]
                    for name, estimate in told.items()
                    for end in _ESTIMATE
                },
            }


# A spreadsheet takes what begins so for a formula.
_FORMULA = ("=", "+", "-", "@")
_CONTROL = re.compile("[\x00-\x1f\x7f]")


def as_csv(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows as CSV, numbers with all their digits; what is not defined is empty."""
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
_NAMES = ("run", "model", "loop", "prompt", "shot", "a", "b")
_LEAST_P = 0.001


def as_latex(rows: Sequence[dict[str, Any]]) -> str:
    r"""Return rows as a ``tabular``, a number and its interval in one cell.

    A column of words that says the same in all rows is left out, and so is one that is empty. It needs
    ``\usepackage{booktabs}``.
    """
    names = dict.fromkeys(name for row in rows for name in row)
    ends = {f"{name}{end}" for name in names for end in _ENDS}
    columns = [name for name in names if name not in ends and (len(rows) == 1 or _tells(rows, name))]
    kinds = "".join("l" if any(isinstance(row.get(name), str) for row in rows) else "r" for name in columns)
    lines = [
        rf"\begin{{tabular}}{{{kinds}}}",
        r"\toprule",
        _line([_text(_words(name).replace("f1", "F1")) for name in columns]),
        r"\midrule",
        *(_line([_latex_cell(row, name) for name in columns]) for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _tells(rows: Sequence[dict[str, Any]], name: str) -> bool:
    values = {row.get(name) for row in rows}
    return len(values) > 1 or not all(value is None or isinstance(value, str) for value in values)


def _line(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _latex_cell(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    if value is None:
        return "--"
    if isinstance(value, float) and name.startswith("p_") and value < _LEAST_P:
        return f"${{<}}{_LEAST_P}$"
    if isinstance(value, float):
        low, high = (row.get(f"{name}{end}") for end in _ENDS)
        return (
            _number(value)
            if low is None or high is None
            else f"{_number(value)} [{_number(low)}, {_number(high)}]"
        )
    if isinstance(value, int):
        return f"{value:,}"
    return _text(str(value) if name in _NAMES else _words(str(value)))


def _number(value: float) -> str:
    shown = f"{value:.3f}"
    return f"${shown}$" if shown.startswith("-") else shown


def _text(text: str) -> str:
    shown = "".join(letter if letter.isprintable() else "?" for letter in text)
    return "".join(_ESCAPES.get(letter, letter) for letter in shown)


def _words(text: str) -> str:
    return text.replace("_", " ") if text.islower() else text
