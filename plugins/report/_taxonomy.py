"""What was wrong, by label and task."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from kg.labels import LABELS, detail_of, name_of
from kg.questions import TASKS
from plugins.report._run import Run

SOURCES = {
    "paper": "reaction Text2Cypher paper",
    "cypherbench": "CypherBench",
    "ours": "RetroCypher",
}


def taxonomy(run: Run) -> list[dict[str, Any]]:
    """Return, for each series, how many cases have which primary label, the most frequent first."""
    return [
        part
        for model, loop in run.series
        if (part := {"model": model, "loop": loop, **_of(run, model, loop)})["cases"]
    ]


def _of(run: Run, model: str, loop: str) -> dict[str, Any]:
    cases = passed = 0
    totals: Counter[str] = Counter()
    details: dict[str, Counter[str]] = defaultdict(Counter)
    by_task: dict[str, Counter[str]] = defaultdict(Counter)
    for cell in run.summary["cells"]:
        if (cell["model"], cell["loop"]) != (model, loop):
            continue
        errors: Mapping[str, Any] = cell["errors"]
        cases += errors["cases"]
        passed += errors["passed"]
        for label, count in errors["primary"].items():
            name, detail = name_of(label), detail_of(label)
            totals[name] += count
            by_task[name][cell["task"]] += count
            if detail is not None:
                details[name][detail] += count
    tasks = [task for task in TASKS if any(counts[task] for counts in by_task.values())]
    return {
        "cases": cases,
        "passed": passed,
        "tasks": tasks,
        "labels": [
            {
                "name": name,
                "cases": count,
                "meaning": LABELS[name].meaning if name in LABELS else "",
                "source": SOURCES[LABELS[name].source] if name in LABELS else "",
                "where": LABELS[name].where if name in LABELS else "",
                "details": dict(sorted(details[name].items(), key=lambda each: (-each[1], each[0]))),
                "by_task": [by_task[name][task] for task in tasks],
            }
            for name, count in sorted(totals.items(), key=lambda each: (-each[1], each[0]))
        ],
    }
