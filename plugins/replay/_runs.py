"""The runs that are replayed, and whether they fit what is asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.records import MANIFEST, no_run, read_manifest


@dataclass(frozen=True, slots=True)
class ReplayedRuns:
    """Runs whose rows and answers are used again.

    Attributes:
        paths: Their folders, absolute, each once.
        manifests: Their manifests.
        schema: Schema text of the graph they ran on.
        fingerprint: Hash of its content.
        version: Version of the server they ran on, of the first where they differ.
    """

    paths: tuple[Path, ...]
    manifests: tuple[Mapping[str, Any], ...]
    schema: str
    fingerprint: str
    version: str


def replayed_runs(
    graph: str, named: Sequence[str], *, fingerprint: str, query_timeout: float
) -> ReplayedRuns | None:
    """Resolve and check ``--graph none`` and ``--replay``; None where the run has a graph.

    Args:
        graph: What ``--graph`` says.
        named: What ``--replay`` names.
        fingerprint: Of the graph that the questions were made for.
        query_timeout: Seconds that a query may take.

    Raises:
        InputError: If one of the two options is given without the other, something named is no run, or a run
            was on another graph or with another limit.
    """
    if graph != "none":
        if named:
            raise InputError(
                f"--replay {','.join(named)}: rows come from a run only without a graph. "
                "Add --graph none, or leave --replay out."
            )
        return None
    if not named:
        raise InputError("--graph none: rows then come from runs that were; name them with --replay DIR")
    paths = tuple(dict.fromkeys(Path(name).expanduser().resolve() for name in named))
    manifests = tuple(_manifest(path) for path in paths)
    for path, manifest in zip(paths, manifests, strict=True):
        for wrong in _differences(manifest, manifests[0], fingerprint, query_timeout):
            raise InputError(f"--replay {path}: {wrong}")
    first = manifests[0]["graph"]
    return ReplayedRuns(paths, manifests, first["schema"], first["fingerprint"], first["version"])


def _manifest(path: Path) -> dict[str, Any]:
    manifest = read_manifest(path)
    if not all(manifest.get(part) for part in ("graph", "options", "models", "loops")):
        raise InputError(f"--replay {no_run(path, MANIFEST)}")
    return manifest


def _differences(
    manifest: Mapping[str, Any], first: Mapping[str, Any], fingerprint: str, query_timeout: float
) -> Iterator[str]:
    graph, timeout = manifest["graph"], manifest["options"]["query_timeout"]
    if graph["fingerprint"] != fingerprint:
        yield (
            f"it ran on graph {graph['fingerprint'][:12]}, and the questions were made for "
            f"{fingerprint[:12]}; name their set with --questions, or another run"
        )
    if graph["schema"] != first["graph"]["schema"]:
        yield "it ran with another schema text than the first run that is named; replay them one by one"
    if timeout != query_timeout:
        yield (
            f"its queries had {timeout:g} s, these would have {query_timeout:g}: what came of a slow one "
            f"nobody knows. Say --query-timeout {timeout:g}."
        )
