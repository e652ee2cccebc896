"""Allure results as tests compare them: what they say, without when, where and under which file names."""

import json
from pathlib import Path
from typing import Any

from retrocypher.plugins.reporting.allure.run import write_results
from retrocypher.plugins.runs.log import RunLog

_OF_THE_MACHINE = frozenset({"host", "thread"})


def shown(results: Path) -> dict[str, dict[str, Any]]:
    """Return the results of a folder by case, each of which may come once, attachments as their content."""
    found: dict[str, dict[str, Any]] = {}
    for file in results.glob("*-result.json"):
        result = json.loads(file.read_text(encoding="utf-8"))
        case = next(each["value"] for each in result["parameters"] if each["name"] == "case")
        assert case not in found, f"{case} is shown twice"
        result["labels"] = [each for each in result["labels"] if each["name"] not in _OF_THE_MACHINE]
        del result["uuid"]
        found[case] = _plain(result, results)
    return found


def assert_shown_again(run: Path, status: str) -> set[str]:
    """Assert that the results a run wrote are those made from its records; return the cases of a status."""
    while_it_ran = shown(run / "allure-results")
    write_results(RunLog(run), run / "again")
    assert while_it_ran == shown(run / "again")
    return {case for case, result in while_it_ran.items() if result["status"] == status}


def attachments(result: dict[str, Any]) -> dict[str, str]:
    """Return the content of a result's attachments by name; of two with one name the last."""
    parts = (result, *result.get("steps", ()))
    return {each["name"]: each["content"] for part in parts for each in part.get("attachments", ())}


def _plain(part: dict[str, Any], results: Path) -> dict[str, Any]:
    kept = {name: value for name, value in part.items() if name not in ("start", "stop")}
    if "steps" in kept:
        kept["steps"] = [_plain(step, results) for step in kept["steps"]]
    if "attachments" in kept:
        kept["attachments"] = [
            {**each, "source": Path(each["source"]).suffix, "content": (results / each["source"]).read_text()}
            for each in kept["attachments"]
        ]
    return kept
