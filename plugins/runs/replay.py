"""Where in the records of some runs a case, a call of the graph or an answer stands."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from retrocypher.kg.errors import GraphError, InputError
from retrocypher.kg.execution.execution import Execution
from retrocypher.plugins.runs.files import MANIFEST, json_line, no_run
from retrocypher.plugins.runs.graph_calls import Call, calls_of
from retrocypher.plugins.runs.log import locate_records, read_manifest, read_record_at
from retrocypher.plugins.runs.record import is_of_answer, is_of_judge
from retrocypher.prompts.models.interface import Answer, Chat, Model, ModelError, Request, TextModel
from retrocypher.prompts.models.spec import TEXT_KINDS, ModelSpec

_GENERATOR = "generator"


class Place(NamedTuple):
    """A record: number of its run, and where in the file it begins."""

    run: int
    offset: int


class Asked(NamedTuple):
    """A question to a model that reads messages.

    Attributes:
        model: Who is asked, as `who` tells.
        messages_sha256: Hash of the messages.
        repeat: How often the case has asked the same before.
    """

    model: str
    messages_sha256: str
    repeat: int

    def digest(self) -> bytes:
        """Return what stands for the question in an index."""
        return hashlib.blake2b(json.dumps(self).encode(), digest_size=16).digest()


class RunIndex:
    """Finds records without holding them: of each case, call and answer it knows the place alone.

    Args:
        runs: Run directories; where two hold the same, the first counts.
        manifests: Their manifests.
    """

    def __init__(self, runs: Sequence[Path], manifests: Sequence[Mapping[str, Any]]) -> None:
        self.runs = runs
        self._models = [_models(manifest) for manifest in manifests]
        self._judges = [_judge(manifest) for manifest in manifests]
        self._cases: dict[str, Place] = {}
        self._calls: dict[bytes, Place] = {}
        self._answers: dict[bytes, Place] = {}
        self._read: tuple[Place, dict[str, Any]] | None = None
        for number, run in enumerate(runs):
            for offset, record in locate_records(run):
                place = Place(number, offset)
                self._cases.setdefault(record["case_id"], place)
                for call, _ in calls_of(record):
                    self._calls.setdefault(call.digest(), place)
                for asked, _ in self._asked(number, record):
                    self._answers.setdefault(asked.digest(), place)

    @property
    def named(self) -> str:
        """The runs, for messages."""
        return ", ".join(map(str, self.runs))

    def case(self, case_id: str) -> dict[str, Any] | None:
        """Return the record of a case; None where no run has it."""
        place = self._cases.get(case_id)
        return None if place is None else self._record(place)

    def judged(self, case_id: str, judge: str) -> dict[str, Any] | None:
        """Return the record of a case; None where no run has it, or not one that this judge judged.

        Args:
            case_id: The case.
            judge: Who judged, as `who` tells.
        """
        place = self._cases.get(case_id)
        if place is None or self._judges[place.run] != judge:
            return None
        return self._record(place)

    def calling(self, call: Call) -> dict[str, Any] | None:
        """Return a record that has a call of the graph; None where none has it."""
        place = self._calls.get(call.digest())
        return None if place is None else self._record(place)

    def answer(self, case_id: str, asked: Asked) -> dict[str, Any] | None:
        """Return the round that answers a question, the case's own before others; None where none does."""
        places = (self._cases.get(case_id), self._answers.get(asked.digest()))
        for place in dict.fromkeys(place for place in places if place is not None):
            for other, turn in self._asked(place.run, self._record(place)):
                if other == asked:
                    return turn
        return None

    def _record(self, place: Place) -> dict[str, Any]:
        # A case is looked up several times in a row.
        if self._read is None or self._read[0] != place:
            self._read = (place, read_record_at(self.runs[place.run], place.offset))
        return self._read[1]

    def _asked(self, run: int, record: Mapping[str, Any]) -> Iterator[tuple[Asked, dict[str, Any]]]:
        generators, players, writers = self._models[run]
        before: Counter[tuple[str, str]] = Counter()
        for turn in record["rounds"]:
            who_answers = generators if turn["role"] == _GENERATOR else players
            if is_of_answer(turn["role"]):
                who_answers = writers
            model, sha256 = who_answers.get(record["model"]), turn["messages_sha256"]
            if is_of_judge(turn["role"]):
                model = self._judges[run]
            failed = is_of_answer(turn["role"]) and turn["verdict"] == "error"
            if model is not None and sha256 is not None and not failed:
                yield Asked(model, sha256, before[model, sha256]), turn
                before[model, sha256] += 1


def who(spec: Mapping[str, str], seed: int) -> str | None:
    """Return what tells a model that reads messages from others; None of the other models.

    Weights are told by the name of their file: the folder may be another on another machine.

    Args:
        spec: Kind and argument, as a manifest has them.
        seed: The seed of the run.
    """
    if spec["kind"] not in TEXT_KINDS:
        return None
    name = Path(spec["argument"]).name if spec["kind"] == "gguf" else spec["argument"]
    return json.dumps([spec["kind"], name, seed])


class _Models(NamedTuple):
    """Who answers in a run, by the label of the case's model: with queries, in loops, and in words."""

    generators: dict[str, str]
    players: dict[str, str]
    writers: dict[str, str]


def _judge(manifest: Mapping[str, Any]) -> str | None:
    judge = manifest.get("judge")
    return None if judge is None else who(judge["model"], manifest["options"]["seed"])


def _models(manifest: Mapping[str, Any]) -> _Models:
    seed = manifest["options"]["seed"]
    answering = manifest.get("answering") or {"writers": {}}
    parts = (
        {spec["label"]: spec for spec in manifest["models"]},
        manifest["loops"]["players"],
        answering["writers"],
    )
    known = ({label: who(spec, seed) for label, spec in part.items()} for part in parts)
    return _Models(*({label: model for label, model in part.items() if model} for part in known))


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


_DETAILS = frozenset({"attempts", "finish_reason", "no_answer"})
"""What a model that reads messages tells beside its answer has one of these."""


class ReplayedModel:
    """Answers as a run has it on record, else as another model does.

    The records come first: another cache may hold another answer to the same question.

    Args:
        spec: The model.
        seed: Seed of the run.
        index: The records.
        otherwise: Who is asked what is not on record; None for nobody.
    """

    def __init__(
        self, spec: ModelSpec, seed: int, index: RunIndex, otherwise: TextModel | Model | None
    ) -> None:
        self.label = spec.label
        self._who = who(spec.to_json(), seed)
        self._index = index
        self._otherwise = otherwise

    def answer(self, request: Request | Chat) -> Answer:
        """Answer a request.

        Raises:
            ModelError: If the answer is not on record and nobody else is to be asked, or cannot be.
        """
        sha256 = hashlib.sha256(json_line(request.messages).encode()).hexdigest()
        turn = None
        if self._who is not None:
            turn = self._index.answer(request.case_id, Asked(self._who, sha256, request.repeat))
        if turn is not None:
            return _as_answer(turn)
        if self._otherwise is None:
            raise ModelError("not_recorded", self._missing(request))
        # Whoever reads messages reads both kinds of request.
        return self._otherwise.answer(request)  # type: ignore[arg-type]

    def close(self) -> None:
        """Close the other model."""
        if self._otherwise is not None:
            self._otherwise.close()

    def _missing(self, request: Request | Chat) -> str:
        return (
            f"{request.case_id}: what this case asks {self.label} has no answer in the records of "
            f"{self._index.named}, and there is no answer cache. Run with the prompts and options "
            "of that run (options in its manifest.json), or name the cache that has it with --cache FILE."
        )


def _as_answer(turn: Mapping[str, Any]) -> Answer:
    told = [each for each in turn["findings"] if isinstance(each, dict) and _DETAILS & each.keys()]
    return Answer(
        turn["answer"],
        tokens=turn["tokens"],
        time_s=turn["time_s"],
        details=dict(told[-1]) if told else {},
        cached=True,
    )


_LONGEST = 200


class NotRecorded(GraphError):  # noqa: N818 - the name that records and readers know
    """No run that is replayed has what a case asks the graph: nobody's wrong answer."""


class RecordedGraphs:
    """Gives each case the rows of its own record, and of others for what that does not hold.

    Args:
        index: The records.
    """

    def __init__(self, index: RunIndex) -> None:
        self._index = index

    def of(self, case_id: str) -> "_RecordedGraph":
        """Return the graph of a case."""
        record = self._index.case(case_id)
        own = {} if record is None else dict(calls_of(record))
        return _RecordedGraph(case_id, own, self._index)


class _RecordedGraph:
    """Answers what was asked before, and nothing else."""

    def __init__(self, case_id: str, own: Mapping[Call, Execution], index: RunIndex) -> None:
        self._case_id = case_id
        self._own = own
        self._index = index

    def explain(self, cypher: str | None) -> Execution:
        if cypher is None or not cypher.strip():
            return Execution("no_query")
        return self._find(Call("explain", cypher))

    def run(
        self, cypher: str | None, *, timeout_s: float | None = None, row_limit: int | None = None
    ) -> Execution:
        if cypher is None or not cypher.strip():
            return Execution("no_query")
        return self._find(Call("run", cypher, timeout_s, row_limit))

    def _find(self, call: Call) -> Execution:
        if call in self._own:
            return self._own[call]
        other = self._index.calling(call)
        if other is None:
            raise NotRecorded(self._missing(call))
        return dict(calls_of(other))[call]

    def _missing(self, call: Call) -> str:
        shown = call.cypher if len(call.cypher) <= _LONGEST else f"{call.cypher[:_LONGEST]}..."
        what = "rows" if call.call == "run" else "plan"
        return (
            f"{self._case_id}: the records of {self._index.named} hold no {what} of its query now: "
            f"{shown!r}. Run the case once on a graph, and name that run with --replay too."
        )
