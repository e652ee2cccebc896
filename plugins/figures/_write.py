"""All figures and tables of a report, written to a folder."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from kg.errors import InputError
from plugins.figures._csv import as_csv
from plugins.figures._judge import judge_reliability, judge_scores
from plugins.figures._latex import as_latex
from plugins.figures._others import correlations, errors, loops, text_metrics
from plugins.figures._scores import boxes, f1_by_task
from plugins.figures._style import save, styled
from plugins.figures._tables import tables

_UNFIT = re.compile(r"[^A-Za-z0-9-]+")


def write_figures(page: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write the figures of a report as SVG and PNG, and its tables as CSV and LaTeX.

    Files of the same names are replaced.

    Args:
        page: The numbers, as ``plugins.report`` tells them.
        folder: Where to; made if absent.

    Returns:
        The files.

    Raises:
        InputError: If the folder cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        written: list[Path] = []
        with styled():
            for name, figure in _figures(page):
                written += save(figure, folder, name)
        for name, rows in tables(page).items():
            for ending, text in ((".csv", as_csv(rows)), (".tex", as_latex(rows))):
                file = folder / f"{name}{ending}"
                file.write_text(text, "utf-8")
                written.append(file)
    except OSError as error:
        raise InputError(
            f"--figures {folder}: cannot be written to ({error.strerror}); name a folder that can"
        ) from error
    return written


def _figures(page: Mapping[str, Any]) -> Iterator[tuple[str, Figure]]:
    runs = page["runs"]
    for run in runs:
        of_run = [run["name"]] if len(runs) > 1 else []
        alone = len(run["results"]) == 1
        for part in run["results"]:
            yield _name("f1", of_run, part, alone), f1_by_task(part)
        for part in run["boxes"]:
            for setting in dict.fromkeys(task["setting"] for task in part["tasks"]):
                tasks = [task for task in part["tasks"] if task["setting"] == setting]
                yield _name(f"boxes-{setting}", of_run, part, alone), boxes(tasks)
        for part in run["taxonomy"]:
            yield _name("errors", of_run, part, alone), errors(part)
        if run["clouds"]:
            yield _name("text-metrics", of_run), text_metrics(run["clouds"])
        if run["validity"]:
            yield _name("text-metrics-correlations", of_run), correlations(run["validity"])
        for part in run["judge"]:
            told = [part["variant"].replace("_", "-"), *([part["judge"]] if len(run["judge"]) > 2 else [])]
            yield _name("judge-scores", [*of_run, *told]), judge_scores(part)
            yield _name("judge-reliability", [*of_run, *told]), judge_reliability(part)
        if run["ledger"]:
            yield _name("loops", of_run), loops(run["ledger"])


def _name(figure: str, of_run: list[str], part: Mapping[str, Any] | None = None, alone: bool = True) -> str:
    """Return a file's name; where there are several runs, models or loops, it says which."""
    told = [figure, *of_run]
    if part is not None and not alone:
        told += [part["model"], *([part["loop"]] if part["loop"] != "none" else [])]
    return _UNFIT.sub("-", "-".join(told))[:120].strip("-")
