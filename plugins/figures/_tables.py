"""The numbers of a report as plain rows, one table a subject."""

from collections.abc import Iterator, Mapping
from typing import Any

from plugins.ledger import ledger_rows

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
