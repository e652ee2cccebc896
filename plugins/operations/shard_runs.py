"""The run directories of shards, and whether they are parts of one run."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import TASKS
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.runs.files import MANIFEST, MESSAGES, RECORDS, no_run
from retrocypher.plugins.runs.log import (
    locate_messages,
    locate_records,
    read_manifest,
    read_questions,
    read_summary,
)
from retrocypher.plugins.runs.record import JUDGE_STAGE
from retrocypher.plugins.runs.resume import is_complete
from retrocypher.plugins.runs.shards import Shard
from retrocypher.prompts.templates.exemplars import SHOTS

_LONGEST = 40


def differences(one: Mapping[str, Any], other: Mapping[str, Any], within: str = "") -> Iterator[str]:
    """Yield each field in which two descriptions differ, with what both say.

    Args:
        one: Plain values by name.
        other: The same of another.
        within: Name of what they describe a part of.
    """
    for name in {**one, **other}:
        mine, theirs = one.get(name), other.get(name)
        path = f"{within}.{name}" if within else str(name)
        if mine == theirs:
            continue
        if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
            yield from differences(mine, theirs, path)
        else:
            yield f"{path} is {_short(mine)} and {_short(theirs)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


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


def missing(index: Index) -> list[str]:
    """Return what is missing, a line each: shards that are not there, and what each of the others lacks."""
    runs = index.runs
    of = runs[0].shard.of
    there = {run.shard.number for run in runs}
    absent = [str(number) for number in range(1, of + 1) if number not in there]
    told = []
    if absent:
        cases = runs[0].manifest["shard"]["cases_in_all"] - sum(run.manifest["cases"] for run in runs)
        named = f"shard{'' if len(absent) == 1 else 's'} {_few(absent)} of {of}"
        told.append(f"{named} {'is' if len(absent) == 1 else 'are'} missing, {cases:,} of the cases")
    for number, run in enumerate(runs):
        if lacks := _lacks(run, index.by_run[number], index, number):
            told.append(f"{run} {lacks}")
    return told


def _lacks(run: ShardRun, recorded: int, index: Index, number: int) -> str:
    if recorded < run.selected:
        example = next(_unrecorded(run, index, number), None)
        shown = f"; {example} is missing, for example" if example else ""
        return f"has {recorded:,} of {counted(run.selected, 'case')}{shown}"
    if not run.summary:
        return "was killed before its end"
    if errors := run.summary.get("infrastructure_errors"):
        return f"has no score for {errors:,} of its cases (infrastructure errors)"
    if faults := (run.summary.get("infrastructure_errors_by_stage") or {}).get(JUDGE_STAGE):
        return f"has no judgement of {faults:,} of its cases (the judge could not be asked)"
    return "" if run.complete else "is incomplete"


def _unrecorded(run: ShardRun, index: Index, number: int) -> Iterator[str]:
    """Yield cases that a shard should have: each question with all that others of its setting went with."""
    if run.selected != run.manifest["cases"]:
        return
    questions = read_questions(run.path)
    mine = [case for case, (holder, _) in index.cases.items() if holder == number]
    suffixes: Mapping[str, dict[str, None]] = {"single_step": {}, "multi_step": {}}
    for case in mine:
        question = max((name for name in _prefixes(case) if name in questions), key=len, default=None)
        if question:
            suffixes[questions[question].setting].setdefault(case[len(question) :])
    held = set(mine)
    for name, question_ in questions.items():
        for suffix in suffixes[question_.setting]:
            if name + suffix not in held:
                yield name + suffix


def _prefixes(case: str) -> Iterator[str]:
    parts = case.split("-")
    return ("-".join(parts[:count]) for count in range(1, len(parts)))


def _few(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 5 else f"{', '.join(names[:4])} and {len(names) - 4} more"
