"""The page: all its parts put together."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from markupsafe import Markup

from plugins.report._about import about
from plugins.report._answers import answered
from plugins.report._calibrated import Calibrations, calibration_of
from plugins.report._case import Case
from plugins.report._comparisons import comparisons
from plugins.report._environment import asset, environment, policy
from plugins.report._failed import Listed, failed_list
from plugins.report._judged import drawn, judged
from plugins.report._results import Means, boxes, headline, results
from plugins.report._run import Run
from plugins.report._taxonomy import taxonomy
from plugins.report._validity import clouds, validity
from plugins.statistics import MARGIN

Links = Mapping[tuple[str, str], str]

_MOST = {
    "query_s": ("Slowest queries", "seconds"),
    "model_s": ("Slowest answers of models", "seconds"),
    "tokens": ("Most tokens", "count"),
    "cost": ("Most expensive, at list prices", "usd"),
}
_RADIUS = 7.0


def page_of(runs: Sequence[Run], calibrations: Calibrations) -> dict[str, Any]:
    """Return the numbers of the page; every one of them comes from ``plugins.statistics`` or the summary.

    Args:
        runs: The runs.
        calibrations: What is known of their judges.
    """
    return {
        "runs": [_run(run, calibrations) for run in runs],
        "calibrations": calibrations,
        "comparisons": comparisons(runs),
        "margin": MARGIN,
        "shots": list(dict.fromkeys(cell["shot"] for run in runs for cell in run.summary["cells"])),
        "not_run": [{"name": run.name, "rows": _troubles(run.not_run)} for run in runs if run.not_run],
    }


def render_page(
    runs: Sequence[Run], page: Mapping[str, Any], cases: Sequence[Listed], links: Links, folder: str
) -> str:
    """Return the page as HTML.

    Args:
        runs: The runs.
        page: What `page_of` returned.
        cases: The failed cases to list.
        links: Pages of cases, by names of run and case.
        folder: Where these are.
    """
    style = Markup("\n").join([asset("base.css"), asset("page.css")])
    script = Markup("\n").join([asset("theme.js"), asset("page.js")])
    told = [
        {
            **shown,
            "costly": _costly(run, links),
            "clouds": [_sized(cloud) for cloud in shown["clouds"]],
            "judge": [drawn(part, run.name, links) for part in shown["judge"]],
        }
        for run, shown in zip(runs, page["runs"], strict=True)
    ]
    flags = {
        "has_boxes": any(part["tasks"] for each in told for part in each["boxes"]),
        "has_errors": any(each["taxonomy"] for each in told),
        "has_ledger": any(each["ledger"] for each in told),
        "has_answers": any(each["answers"] for each in told),
        "has_judge": any(each["judge"] for each in told),
        "has_validity": any(each["validity"] for each in told),
        "has_costly": any(each["costly"] for each in told),
    }
    return (
        environment()
        .get_template("page.html")
        .render(
            **{**page, "runs": told, **flags},
            failed=failed_list(runs, cases, links, folder),
            title=", ".join(run.name for run in runs),
            sections=list(_sections(page, flags)),
            policy=policy([script], [style]),
            style=style,
            script=script,
            footer=f"Made by RetroCypher {metadata.version('retrocypher')} on {datetime.now(UTC):%d %B %Y}.",
        )
    )


def _run(run: Run, calibrations: Calibrations) -> dict[str, Any]:
    means = Means(run)
    return {
        "name": run.name,
        "about": about(run),
        "scored": run.summary["scored"],
        "headline": headline(run, means),
        "results": results(run, means),
        "boxes": boxes(run),
        "taxonomy": taxonomy(run),
        "series_count": len(run.series),
        "ledger": [
            {**entry, "rows": [("all", entry), *entry["by_label"].items()]}
            for entry in run.ledger
            if entry["cases"]
        ],
        "judge": [
            {**part, "calibration": calibration_of(calibrations, run.manifest.get("judge"), part)}
            for part in judged(run)
        ],
        "answers": answered(run),
        "validity": validity(run),
        "clouds": clouds(run.table),
    }


def _sections(page: Mapping[str, Any], flags: Mapping[str, bool]) -> list[tuple[str, str]]:
    everything = (
        ("headline", "Headline", True),
        ("run", "What was run", True),
        ("results", "Scores", True),
        ("boxes", "Spread of F1", flags["has_boxes"]),
        ("comparisons", "Comparisons", bool(page["comparisons"])),
        ("errors", "What went wrong", flags["has_errors"]),
        ("loops", "Loops", flags["has_ledger"]),
        ("judge", "Judge", flags["has_judge"]),
        ("answers", "Written answers", flags["has_answers"]),
        ("metrics", "Text metrics", flags["has_validity"]),
        ("costly", "Slowest, dearest", flags["has_costly"]),
        ("failed", "Failed cases", True),
        ("not-run", "Not run", bool(page["not_run"])),
    )
    return [(name, title) for name, title, there in everything if there]


def _costly(run: Run, links: Links) -> list[dict[str, Any]]:
    filters = environment().filters
    parts = []
    for measure, (title, unit) in _MOST.items():
        cases = run.costly.most(measure)
        rows = [
            {
                "id": case.id,
                "status": case.status,
                "f1": case.f1,
                "told": filters[unit](getattr(case, measure)),
                "href": links.get((run.name, case.id)),
            }
            for case in cases
        ]
        parts += [{"title": title, "rows": rows}] if rows else []
    return parts


def _sized(cloud: Mapping[str, Any]) -> dict[str, Any]:
    """Areas of circles are as the numbers of cases."""
    most = max(point["cases"] for point in cloud["points"])
    points = [
        {**point, "radius": max(1.0, _RADIUS * math.sqrt(point["cases"] / most))} for point in cloud["points"]
    ]
    return {**cloud, "points": points}


def _troubles(cases: Sequence[Case]) -> list[dict[str, Any]]:
    counts = Counter(case.trouble for case in cases)
    first = {case.trouble: case for case in reversed(cases)}
    return [
        {"trouble": trouble, "cases": count, "example": first[trouble].id, "reason": first[trouble].reason}
        for trouble, count in sorted(counts.items(), key=lambda each: (-each[1], str(each[0])))
    ]
