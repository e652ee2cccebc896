"""What Allure shows about a run as a whole."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plugins.allure._categories import categories_2


def show_run(results: Path, manifest: Mapping[str, Any], cases: int, selected: int) -> None:
    """Write what a report says about its run: its environment, who ran it, and the kinds of failure.

    Args:
        results: Folder of the Allure results.
        manifest: The manifest of the run; of one without, only the counts are told.
        cases: How many cases have a record.
        selected: How many were selected.
    """
    facts = {**_facts(manifest), "cases": f"{cases:,} of {selected:,}"}
    lines = (f"{name.replace(' ', '_')}={_escaped(value)}\n" for name, value in facts.items())
    (results / "environment.properties").write_text("".join(lines), encoding="ascii")
    _write(results / "categories.json", categories_2())
    if executor := manifest.get("executor"):
        _write(results / "executor.json", executor)


def _facts(manifest: Mapping[str, Any]) -> dict[str, str]:
    if not manifest:
        return {}
    graph, options, versions = manifest["graph"], manifest["options"], manifest["versions"]
    git = manifest["git"] or {}
    return {
        "models": ", ".join(model["label"] for model in manifest["models"]),
        "prompts": ", ".join(manifest["prompts"]),
        "shots": ", ".join(options["shot"]),
        "loops": ", ".join(manifest["loops"]["names"]),
        "seed": str(options["seed"]),
        "started": manifest["started"],
        "graph": f"Neo4j {graph['version']} ({graph['kind']})",
        "graph fingerprint": graph["fingerprint"][:12],
        "question set": manifest["questions"]["set_sha256"][:12],
        "RetroCypher": versions.get("retrocypher", "unknown"),
        "Python": versions["python"],
        "commit": f"{git.get('commit')}{' with changes' if git.get('changed') else ''}",
    }


def _escaped(value: str) -> str:
    """Write a value as Java's property files have it: ASCII, a backslash doubled, one line."""
    return value.encode("unicode_escape").decode("ascii")


def _write(file: Path, value: object) -> None:
    file.write_text(json.dumps(value, indent=2) + "\n", encoding="ascii")
