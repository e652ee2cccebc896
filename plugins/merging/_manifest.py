"""The manifest of a merged run."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plugins.merging._shard_run import ShardRun

_OWN = ("started", "ended", "exit_status", "cases", "machine", "git", "versions")
_CONTINUED = "continued"
_OWN_OPTIONS = ("graph", "run_dir", "cache", "concurrency")


def merged_manifest(runs: Sequence[ShardRun], questions: int, exit_status: int) -> dict[str, Any]:
    """Return what the manifest of the whole run says, and in ``merged_from`` what each shard's said.

    What the shards say alike stays. Where they differ in what does not decide a record it is null; versions
    and commits are told one after the other.

    Args:
        runs: The shards, in the order of their numbers.
        questions: How many questions they have together.
        exit_status: That of the whole.
    """
    manifests = [run.manifest for run in runs]
    first = manifests[0]
    alike = {name: _common(each.get(name) for each in manifests) for name in first if name != _CONTINUED}
    return {
        **alike,
        "started": min(each["started"] for each in manifests),
        "ended": max((each["ended"] for each in manifests if each["ended"]), default=None),
        "exit_status": exit_status,
        "cases": first["shard"]["cases_in_all"],
        "options": {**_fields(each["options"] for each in manifests), "shard": None},
        "loops": {**first["loops"], **_once(manifests)},
        "questions": {**first["questions"], "count": questions},
        "machine": _fields(each["machine"] for each in manifests),
        "versions": _joined(each["versions"] for each in manifests),
        "git": _joined(each["git"] or {} for each in manifests) or None,
        "graph": _graph([each["graph"] for each in manifests]),
        "standstill": _sums(manifests, "standstill"),
        "key": first["shard"]["key"],
        "shard": None,
        "merged_from": [_told(run) for run in runs],
    }


def _told(run: ShardRun) -> dict[str, Any]:
    manifest = run.manifest
    return {
        "run": str(run.path),
        **run.shard.to_json(),
        **{name: manifest[name] for name in _OWN},
        "options": {name: manifest["options"].get(name) for name in _OWN_OPTIONS},
        "graph": {name: manifest["graph"].get(name) for name in ("kind", "version", "notes")},
        "answers": manifest.get("answers"),
        **({_CONTINUED: manifest[_CONTINUED]} if _CONTINUED in manifest else {}),
    }


def _graph(graphs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what is said of the graph: it is the same, its servers may be of several kinds."""
    kinds = sorted({str(graph["kind"]) for graph in graphs})
    notes = dict.fromkeys(note for graph in graphs for note in graph["notes"])
    return {**graphs[0], "kind": ", ".join(kinds), "notes": list(notes)}


def _fields(described: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what descriptions say alike, field by field; null where they differ."""
    each = list(described)
    return {
        name: _common(one.get(name) for one in each) for name in dict.fromkeys(n for one in each for n in one)
    }


def _joined(described: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what descriptions say, field by field: texts that differ one after the other, and any truth."""
    each = list(described)
    found: dict[str, Any] = {}
    for name in dict.fromkeys(n for one in each for n in one):
        values = [one[name] for one in each if name in one]
        flags = all(isinstance(value, bool) for value in values)
        found[name] = any(values) if flags else ", ".join(dict.fromkeys(map(str, values)))
    return found


def _common(values: Iterable[Any]) -> Any:
    first, *others = values
    return first if all(other == first for other in others) else None


def _sums(manifests: Sequence[Mapping[str, Any]], name: str) -> dict[str, int | float]:
    """Add up the numbers that manifests have under a name."""
    total: dict[str, int | float] = {}
    for manifest in manifests:
        for key, value in (manifest.get(name) or {}).items():
            if isinstance(value, int | float):
                total[key] = total.get(key, 0) + value
    return total


def _once(manifests: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what models made once a run: every shard made its own, and paid for it."""
    made = [each for manifest in manifests for each in manifest["loops"].get("once", ())]
    return {"once": made} if any("once" in manifest["loops"] for manifest in manifests) else {}
