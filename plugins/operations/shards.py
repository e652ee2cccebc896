"""The shards of a run: whether they belong together, their cases and messages, and what is missing."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from msgspec import Struct, to_builtins

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import TASK_ORDER, Setting
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.runs.files import MANIFEST, MESSAGES, RECORDS, no_run
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import GraphEntry, Manifest, ShardEntry
from retrocypher.plugins.runs.record import JUDGE_STAGE, JsonValue, Record
from retrocypher.plugins.runs.resume import is_complete
from retrocypher.prompts.templates.exemplars import SHOTS

_LONGEST = 40


def differences(
    one: Mapping[str, JsonValue], other: Mapping[str, JsonValue], within: str = ""
) -> Iterator[str]:
    """Yield each field in which two JSON objects differ, with both values."""
    for name in {**one, **other}:
        mine, theirs = one.get(name), other.get(name)
        path = f"{within}.{name}" if within else str(name)
        if mine == theirs:
            continue
        if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
            yield from differences(mine, theirs, path)
        else:
            yield f"{path} is {_short(mine)} and {_short(theirs)}"


def _short(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


class ShardRun(Struct, frozen=True):
    """A run that is a shard."""

    log: RunLog
    shard: ShardEntry
    """Which shard of how many."""
    graph: GraphEntry
    complete: bool
    """Whether every case selected for it has a score."""

    @property
    def manifest(self) -> Manifest:
        """Its manifest."""
        return self.log.manifest

    @property
    def planned(self) -> int:
        """Number of cases of the shard."""
        return self.manifest.cases or 0

    @property
    def selected(self) -> int:
        """Number of cases selected for it, or planned if it was killed."""
        return self.log.summary.selected_cases or self.planned

    @property
    def name(self) -> str:
        """Its number and that of all shards, in words."""
        return f"shard {self.shard.number} of {self.shard.of}"

    def __str__(self) -> str:
        return f"{self.log} ({self.name})"


def read_shards(paths: Sequence[Path]) -> list[ShardRun]:
    """Return the shards in the order of their numbers; raise InputError if they are not of one run."""
    runs = [_read(RunLog(path)) for path in paths]
    first = runs[0]
    for other in runs[1:]:
        if differing := list(differences(_common_parts(first), _common_parts(other))):
            raise InputError(
                f"{first.log} and {other.log} are not shards of one run: {'; '.join(differing)}. "
                "Leave one out, or run one again as the other was run"
            )
        if judges := _judge_differences(first.log, other.log):
            raise InputError(
                f"{first.log} and {other.log} were judged differently: {judges}. Judge one as the other was, "
                "with `retrocypher judge RUN --judge MODEL --replace`, and then merge them"
            )
    by_number: dict[int, ShardRun] = {}
    for run in runs:
        same = by_number.setdefault(run.shard.number, run)
        if same is not run:
            cases = "its one case" if run.selected == 1 else f"all {run.selected:,} cases"
            raise InputError(
                f"{same.log} and {run.log} are both {run.name}, so they overlap in {cases}; name one"
            )
    return [by_number[number] for number in sorted(by_number)]


def _read(log: RunLog) -> ShardRun:
    if not log.has_manifest:
        raise no_run(log.path, MANIFEST)
    shard, graph = log.manifest.shard, log.manifest.graph
    if shard is None:
        raise InputError(
            f"{log}: not a shard; merge joins runs made with --shard i/n (`retrocypher summary` and "
            "`retrocypher compare` take any runs together)"
        )
    if graph is None or log.manifest.cases is None or not shard.key.parts:
        raise InputError(f"{log.path / MANIFEST}: graph, cases or key of the shard are missing; run it again")
    return ShardRun(log, shard, graph, is_complete(log))


def _common_parts(run: ShardRun) -> dict[str, JsonValue]:
    """Return what all shards of a run must share: all that decides its records."""
    return {
        "shards": run.shard.of,
        **run.shard.key.parts,
        "server": run.graph.version,
        "schema": run.graph.schema,
        "prices": to_builtins(run.manifest.prices),
    }


def _judge_differences(one: RunLog, other: RunLog) -> str:
    """Return how judges that judged afterwards differ, of which the keys say nothing."""
    mine, theirs = to_builtins(one.manifest.judge), to_builtins(other.manifest.judge)
    if mine and theirs:
        return "; ".join(differences(mine, theirs))
    return "; ".join(differences({"judge": mine}, {"judge": theirs}))


Place = tuple[int, int]
"""Which run, and bytes before the line."""


class Index(Struct):
    """The cases of all shards: of each only the id and the place, not the record."""

    cases: dict[str, Place]
    """By case, the place of its record; in the order of the merged run."""
    by_run: list[int]
    """Number of cases of each run."""
    runs: Sequence[ShardRun]


def index_cases(runs: Sequence[ShardRun], seen: Callable[[Record], object]) -> Index:
    """Read the records of shards, and call ``seen`` with each; raise InputError if a case occurs twice."""
    order = _order(runs[0].manifest)
    places: dict[str, Place] = {}
    keys: dict[str, tuple[Any, ...]] = {}
    by_run = [0] * len(runs)
    for number, run in enumerate(runs):
        for offset, record in run.log.placed_records():
            case = record.case_id
            if case in places:
                raise InputError(_twice(case, runs[places[case][0]], run))
            seen(record)
            places[case] = number, offset
            keys[case] = order(record)
            by_run[number] += 1
    return Index({case: places[case] for case in sorted(places, key=keys.__getitem__)}, by_run, runs)


def read_lines(index: Index) -> Iterator[str]:
    """Yield the records of all shards as they are written, in the order of the merged run."""
    files = [(run.log.path / RECORDS).open("rb") for run in index.runs]
    try:
        for number, offset in index.cases.values():
            files[number].seek(offset)
            yield files[number].readline().decode().rstrip("\n")
    finally:
        for file in files:
            file.close()


class Messages:
    """The messages of all shards, each once, from where it was written first."""

    def __init__(self, runs: Sequence[ShardRun]) -> None:
        self._places: dict[str, Place] = {}
        for number, run in enumerate(runs):
            for line in run.log.message_lines():
                self._places.setdefault(line.value["sha256"], (number, line.offset))
        self._files = [(run.log.path / MESSAGES).open("rb") for run in runs]

    def take(self, hashes: Iterable[str]) -> dict[str, JsonValue]:
        """Return those messages of some hashes that were not taken before, by their hash."""
        return {each: self._read(self._places.pop(each)) for each in hashes if each in self._places}

    def rest(self) -> dict[str, JsonValue]:
        """Return messages that were never taken: of cases that no model could be asked for."""
        return self.take(tuple(self._places))

    def close(self) -> None:
        """Close the files."""
        for file in self._files:
            file.close()

    def _read(self, place: Place) -> JsonValue:
        number, offset = place
        self._files[number].seek(offset)
        return json.loads(self._files[number].readline())["messages"]


def _order(manifest: Manifest) -> Callable[[Record], tuple[Any, ...]]:
    """Return a sort key: by task, step count and question, then as the run was asked for."""
    ranks = {
        "task": TASK_ORDER,
        "prompt": tuple(manifest.prompts),
        "shot": SHOTS,
        "loop": tuple(manifest.loops.names),
        "model": tuple(model.label for model in manifest.models),
    }

    def rank(record: Record, name: str) -> int:
        value = getattr(record, name)
        return ranks[name].index(value) if value in ranks[name] else len(ranks[name])

    def key(record: Record) -> tuple[Any, ...]:
        asked = (rank(record, name) for name in ("prompt", "shot", "loop", "model"))
        number = record.phrasing, record.repeat
        return rank(record, "task"), record.steps, record.question_id, *number, *asked, record.case_id

    return key


def _twice(case: str, first: ShardRun, second: ShardRun) -> str:
    if first is second:
        return f"{first.log.path / RECORDS}: the case {case} occurs twice; run the shard again"
    return (
        f"{first} and {second} overlap: both hold the case {case}. Their manifests say that they share no "
        "question, so one of the folders was changed; run that shard again"
    )


def missing(index: Index) -> list[str]:
    """Return what is missing, one line each: absent shards, and what each of the others lacks."""
    runs = index.runs
    of = runs[0].shard.of
    there = {run.shard.number for run in runs}
    absent = [str(number) for number in range(1, of + 1) if number not in there]
    lines = []
    if absent:
        cases = runs[0].shard.cases_in_all - sum(run.planned for run in runs)
        few = ", ".join(absent) if len(absent) <= 5 else f"{', '.join(absent[:4])} and {len(absent) - 4} more"
        named = f"shard{'' if len(absent) == 1 else 's'} {few} of {of}"
        lines.append(f"{named} {'is' if len(absent) == 1 else 'are'} missing, {cases:,} of the cases")
    for number, run in enumerate(runs):
        if lacks := _lacks(run, index.by_run[number], index, number):
            lines.append(f"{run} {lacks}")
    return lines


def _lacks(run: ShardRun, recorded: int, index: Index, number: int) -> str:
    summary = run.log.summary
    if recorded < run.selected:
        example = next(_unrecorded(run, index, number), None)
        shown = f"; {example} is missing, for example" if example else ""
        return f"has {recorded:,} of {counted(run.selected, 'case')}{shown}"
    if not run.log.has_summary:
        return "was killed before its end"
    if errors := summary.infrastructure_errors:
        return f"has no score for {errors:,} of its cases (infrastructure errors)"
    if faults := summary.infrastructure_errors_by_stage.get(JUDGE_STAGE):
        return f"has no judgement of {faults:,} of its cases (the judge could not be asked)"
    return "" if run.complete else "is incomplete"


def _unrecorded(run: ShardRun, index: Index, number: int) -> Iterator[str]:
    """Yield cases that a shard should have: each question, in all variants that its setting was asked in."""
    if run.selected != run.planned:
        return
    questions = run.log.questions
    mine = [case for case, (holder, _) in index.cases.items() if holder == number]
    suffixes: Mapping[str, dict[str, None]] = {setting: {} for setting in get_args(Setting)}
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
