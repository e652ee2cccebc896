"""Where each case of some runs is written, in the order of the merged run."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kg.errors import InputError
from kg.questions import TASKS
from plugins.merging._shard_run import ShardRun
from plugins.records import MESSAGES, RECORDS, locate_messages, locate_records
from prompts.shots import SHOTS

Place = tuple[int, int]
"""Which run, and bytes before the line."""


@dataclass(slots=True)
class Index:
    """The cases of all shards; of each only its id and where it is, not the record.

    Attributes:
        cases: By case, the place of its record; in the order of the merged run.
        by_run: How many cases each run has.
        runs: The shards.
    """

    cases: dict[str, Place]
    by_run: list[int]
    runs: Sequence[ShardRun]


def index_cases(runs: Sequence[ShardRun], seen: Callable[[Mapping[str, Any]], object]) -> Index:
    """Read the records of shards once, one after the other.

    Args:
        runs: The shards.
        seen: Called with every record.

    Raises:
        InputError: If a line is not a record, or a case comes twice.
    """
    order = _order(runs[0].manifest)
    places: dict[str, Place] = {}
    keys: dict[str, tuple[Any, ...]] = {}
    by_run = [0] * len(runs)
    for number, run in enumerate(runs):
        for offset, record in locate_records(run.path):
            try:
                case = str(record["case_id"])
                key = order(record)
                seen(record)
            except (KeyError, TypeError) as error:
                where = f"{run.path / RECORDS}, {offset:,} bytes on"
                raise InputError(f"{where}: not a record ({error!r}); run the shard again") from error
            if case in places:
                raise InputError(_twice(case, runs[places[case][0]], run))
            places[case] = number, offset
            keys[case] = key
            by_run[number] += 1
    return Index({case: places[case] for case in sorted(places, key=keys.__getitem__)}, by_run, runs)


def read_lines(index: Index) -> Iterator[str]:
    """Yield the records of all shards, as they are written, in the order of the merged run."""
    files = [(run.path / RECORDS).open("rb") for run in index.runs]
    try:
        for number, offset in index.cases.values():
            files[number].seek(offset)
            yield files[number].readline().decode().rstrip("\n")
    finally:
        for file in files:
            file.close()


class Messages:
    """The messages of all shards, each once, where it is written first.

    Args:
        runs: The shards.

    Raises:
        InputError: If a line is not messages by their hash.
    """

    def __init__(self, runs: Sequence[ShardRun]) -> None:
        self._places: dict[str, Place] = {}
        for number, run in enumerate(runs):
            for offset, line in locate_messages(run.path):
                self._places.setdefault(line["sha256"], (number, offset))
        self._files = [(run.path / MESSAGES).open("rb") for run in runs]

    def take(self, hashes: Iterable[str]) -> dict[str, Any]:
        """Return those messages of some hashes that were not taken before, by their hash."""
        return {each: self._read(self._places.pop(each)) for each in hashes if each in self._places}

    def rest(self) -> dict[str, Any]:
        """Return those that were never taken: of cases that no model could be asked for."""
        return self.take(tuple(self._places))

    def close(self) -> None:
        """Close the files."""
        for file in self._files:
            file.close()

    def _read(self, place: Place) -> Any:
        number, offset = place
        self._files[number].seek(offset)
        return json.loads(self._files[number].readline())["messages"]


def _order(manifest: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Return a sort key: by task, step count and question, then as the run was asked for."""
    ranks = {
        "task": TASKS,
        "prompt": tuple(manifest["prompts"]),
        "shot": SHOTS,
        "loop": tuple(manifest["loops"]["names"]),
        "model": tuple(model["label"] for model in manifest["models"]),
    }

    def rank(record: Mapping[str, Any], name: str) -> int:
        return ranks[name].index(record[name]) if record[name] in ranks[name] else len(ranks[name])

    def key(record: Mapping[str, Any]) -> tuple[Any, ...]:
        question = rank(record, "task"), record["steps"], record["question_id"], record.get("phrasing") or 1
        asked = (rank(record, name) for name in ("prompt", "shot", "loop", "model"))
        return *question, *asked, record["case_id"]

    return key


def _twice(case: str, first: ShardRun, second: ShardRun) -> str:
    if first is second:
        return f"{first.path / RECORDS}: the case {case} comes twice; run the shard again"
    return (
        f"{first} and {second} overlap: both hold the case {case}. Their manifests say that they share no "
        "question, so one of the folders was changed; run that shard again"
    )
