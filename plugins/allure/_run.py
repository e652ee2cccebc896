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
    """Return what a manifest says, as far as it does: an older one says less."""
    graph, options = manifest.get("graph", {}), manifest.get("options", {})
    versions, git = manifest.get("versions", {}), manifest.get("git") or {}
    told = {
        "models": ", ".join(model["label"] for model in manifest.get("models", ())),
        "prompts": ", ".join(manifest.get("prompts", ())),
        "shots": ", ".join(options.get("shot", ())),
        "loops": ", ".join(manifest.get("loops", {}).get("names", ())),
        "seed": options.get("seed"),
        "started": manifest.get("started"),
        "graph": f"Neo4j {graph['version']} ({graph['kind']})" if "version" in graph else None,
        "graph fingerprint": (graph.get("fingerprint") or "")[:12],
        "question set": manifest.get("questions", {}).get("set_sha256", "")[:12],
        "RetroCypher": versions.get("retrocypher"),
        "Python": versions.get("python"),
        "commit": f"{git['commit']}{' with changes' if git.get('changed') else ''}" if git else None,
    }
    return {name: str(value) for name, value in told.items() if value not in (None, "")}


def _escaped(value: str) -> str:
    """Write a value as Java's property files have it: ASCII, a backslash doubled, one line."""
    return value.encode("unicode_escape").decode("ascii")


def _write(file: Path, value: object) -> None:
    file.write_text(json.dumps(value, indent=2) + "\n", encoding="ascii")
