"""The run directories of shards, and whether they are parts of one run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.merging._differences import differences
from plugins.records import MANIFEST, no_run, read_manifest, read_summary
from plugins.resume import is_complete
from plugins.shards import Shard


@dataclass(frozen=True, slots=True)
class ShardRun:
    """A run directory of a shard.

    Attributes:
        path: The folder.
        shard: Which shard of how many.
        manifest: Its manifest.
        summary: Its summary; empty where it was killed.
        complete: Whether every case selected for it has a score.
    """

    path: Path
    shard: Shard
    manifest: Mapping[str, Any]
    summary: Mapping[str, Any]
    complete: bool

    @property
    def selected(self) -> int:
        """How many cases were selected for it, or planned where it was killed."""
        return int(self.summary.get("selected_cases") or self.manifest["cases"])

    def __str__(self) -> str:
        return f"{self.path} ({self.shard})"


def read_shards(paths: Sequence[Path]) -> list[ShardRun]:
    """Read what shards say of themselves, and return them in the order of their numbers.

    Args:
        paths: Their run directories.

    Raises:
        InputError: If one is no shard's, one comes twice, or they are not of one run; it says what differs.
    """
    runs = [_read(path) for path in paths]
    first = runs[0]
    for other in runs[1:]:
        if differing := list(differences(_alike(first), _alike(other))):
            raise InputError(
                f"{first.path} and {other.path} are not shards of one run: {'; '.join(differing)}. "
                "Leave one out, or run one again as the other was run"
            )
        if judges := _judged_otherwise(first.manifest, other.manifest):
            raise InputError(
                f"{first.path} and {other.path} were judged otherwise: {judges}. Judge one as the other was, "
                "with `retrocypher judge RUN --judge MODEL --replace`, and merge them then"
            )
    by_number: dict[int, ShardRun] = {}
    for run in runs:
        same = by_number.setdefault(run.shard.number, run)
        if same is not run:
            raise InputError(
                f"{same.path} and {run.path} are both {run.shard}, so they overlap in {_cases(run)}; name one"
            )
    return [by_number[number] for number in sorted(by_number)]


def _read(path: Path) -> ShardRun:
    manifest = read_manifest(path)
    if not manifest:
        raise no_run(path, MANIFEST)
    said = manifest.get("shard")
    if not said:
        raise InputError(
            f"{path}: no shard; merge joins runs made with --shard i/n (`retrocypher summary` and "
            "`retrocypher compare` take any runs together)"
        )
    try:
        shard = Shard(said["number"], said["of"])
        said["key"]["parts"], said["cases_in_all"], manifest["cases"]
    except (KeyError, TypeError) as error:
        raise InputError(f"{path / 'manifest.json'}: not what a run writes there ({error!r})") from error
    return ShardRun(path, shard, manifest, read_summary(path), is_complete(path))


def _alike(run: ShardRun) -> dict[str, Any]:
    """Return what all shards of a run have in common: all that decides its records, and what they hold."""
    manifest, graph = run.manifest, run.manifest["graph"]
    return {
        "shards": run.shard.of,
        **manifest["shard"]["key"]["parts"],
        "server": graph["version"],
        "schema": graph["schema"],
        "prices": manifest["prices"],
    }


def _judged_otherwise(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Return how the judges differ that judged afterwards, of which the keys say nothing."""
    mine, theirs = one.get("judge"), other.get("judge")
    if mine and theirs:
        return "; ".join(differences(mine, theirs))
    return "; ".join(differences({"judge": mine}, {"judge": theirs}))


def _cases(run: ShardRun) -> str:
    count = run.selected
    return "its one case" if count == 1 else f"all {count:,} cases"
