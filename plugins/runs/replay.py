"""Replays runs: rows and completions come from their records, graph calls included."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from msgspec import Struct, UnsetType, structs

from retrocypher.kg.errors import GraphError, InputError
from retrocypher.kg.execution.execution import Execution
from retrocypher.plugins.runs.files import MANIFEST, json_line, no_run
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import GraphEntry, Manifest, ModelEntry
from retrocypher.plugins.runs.record import GENERATOR, NO_LOOP, Fallback, GraphCall, JsonValue, Record, Round
from retrocypher.prompts.loops.interface import Graph
from retrocypher.prompts.loops.registry import FORMER_NAMES
from retrocypher.prompts.models.interface import Chat, Completion, Model, ModelError, Request, TextModel
from retrocypher.prompts.models.open import ModelContext
from retrocypher.prompts.models.spec import TEXT_KINDS, ModelSpec


class Call(Struct, frozen=True):
    """One call of a graph."""

    call: Literal["run", "explain"]
    """Whether the query was run, or only planned."""
    cypher: str
    """The query, not blank."""
    timeout_s: float | None = None
    """Seconds it might take, if the caller set a limit of its own."""
    row_limit: int | None = None
    """Rows it might ask for, if the caller set a limit."""

    def digest(self) -> bytes:
        """Return what stands for the call in an index."""
        text = json.dumps([self.call, self.cypher, self.timeout_s, self.row_limit])
        return hashlib.blake2b(text.encode(), digest_size=16).digest()


def calls_of(record: Record) -> Iterator[tuple[Call, Execution]]:
    """Yield the calls of a case with their results; none if the graph could not be asked."""
    execution = record.execution
    if execution is None:
        return
    if record.loop == NO_LOOP:
        if record.cypher is not None:
            yield Call("run", record.cypher), plain_execution(execution)
        return
    # Records of the first versions hold no calls.
    for each in record.graph_calls:
        call = Call(each.call, each.cypher, each.timeout_s, each.row_limit)
        if each.result == "execution":
            yield call, plain_execution(execution)
        elif isinstance(each.result, Execution):
            yield call, each.result
        elif execution.fallback:
            yield call, plain_execution(execution.fallback)


def plain_execution(part: Execution | Fallback) -> Execution:
    """Return an execution without its fallback, or that of a fallback, which has no code."""
    names = Execution.__struct_fields__
    return Execution(**{name: getattr(part, name) for name in names if hasattr(part, name)})


class WatchedGraph:
    """Asks a graph the same thing only once within a case, and keeps the results."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._calls: dict[Call, Execution] = {}

    def explain(self, cypher: str | None) -> Execution:
        """Return whether a query may run, as the graph does."""
        return self._once("explain", cypher, None, None, lambda: self._graph.explain(cypher))

    def run(
        self, cypher: str | None, *, timeout_s: float | None = None, row_limit: int | None = None
    ) -> Execution:
        """Run a query, as the graph does."""

        def run() -> Execution:
            return self._graph.run(cypher, timeout_s=timeout_s, row_limit=row_limit)

        return self._once("run", cypher, timeout_s, row_limit, run)

    def calls(self, execution: Execution, fallback: Fallback | None) -> list[GraphCall]:
        """Return the calls for a record; those whose result the record holds elsewhere name that field."""

        def result(found: Execution) -> Execution | Literal["execution", "fallback"]:
            if structs.replace(found, time_s=execution.time_s) == execution:
                return "execution"
            return "fallback" if fallback is not None and found.rows is fallback.rows else found

        return [
            GraphCall(call.call, call.cypher, call.timeout_s, call.row_limit, result(found))
            for call, found in self._calls.items()
        ]

    def _once(
        self,
        call: Literal["run", "explain"],
        cypher: str | None,
        timeout_s: float | None,
        row_limit: int | None,
        ask: Callable[[], Execution],
    ) -> Execution:
        if cypher is None or not cypher.strip():
            return ask()
        key = Call(call, cypher, timeout_s, row_limit)
        if key not in self._calls:
            self._calls[key] = ask()
        return self._calls[key]


class Place(NamedTuple):
    """Where a record stands."""

    run: int
    """Number of its run."""
    line: int
    """Number of its line, from 1."""
    offset: int
    """Bytes before the line."""


class ModelCall(NamedTuple):
    """A request to a model that reads messages."""

    model: str
    """The model, as `model_identity` names it."""
    messages_sha256: str
    """Hash of the messages."""
    repeat: int
    """How often the case made the same request before."""
    case_repeat: int
    """How many times the case had been asked with this one."""

    def digest(self) -> bytes:
        """Return what stands for the request in an index."""
        return hashlib.blake2b(json.dumps(self).encode(), digest_size=16).digest()


class RunIndex:
    """Finds records by case, call and completion without holding them; earlier runs come first."""

    def __init__(self, runs: Sequence[RunLog]) -> None:
        self.runs = runs
        self._models = [_models(run.manifest) for run in runs]
        self._judges = [_judge(run.manifest) for run in runs]
        self._cases: dict[str, Place] = {}
        self._calls: dict[bytes, Place] = {}
        self._completions: dict[bytes, Place] = {}
        self._read: tuple[Place, Record] | None = None
        for number, run in enumerate(runs):
            for line in run.record_lines():
                place = Place(number, line.number, line.offset)
                self._cases.setdefault(line.record.case_id, place)
                for call, _ in calls_of(line.record):
                    self._calls.setdefault(call.digest(), place)
                for asked, _ in self._asked(number, line.record):
                    self._completions.setdefault(asked.digest(), place)

    @property
    def named(self) -> str:
        """The runs, for messages."""
        return ", ".join(map(str, self.runs))

    def case(self, case_id: str) -> Record | None:
        """Return the record of a case; None if no run has it."""
        place = self._cases.get(case_id)
        return None if place is None else self._record(place)

    def judged(self, case_id: str, judge: str) -> Record | None:
        """Return the record of a case; None if no run has it, or not one that this judge judged."""
        place = self._cases.get(case_id)
        if place is None or self._judges[place.run] != judge:
            return None
        return self._record(place)

    def calling(self, call: Call) -> Record | None:
        """Return a record that has a call of the graph; None if none has it."""
        place = self._calls.get(call.digest())
        return None if place is None else self._record(place)

    def completion(self, case_id: str, asked: ModelCall) -> Round | None:
        """Return the round that answers a request, the case's own before others; None if none does."""
        places = (self._cases.get(case_id), self._completions.get(asked.digest()))
        for place in dict.fromkeys(place for place in places if place is not None):
            for other, turn in self._asked(place.run, self._record(place)):
                if other == asked:
                    return turn
        return None

    def _record(self, place: Place) -> Record:
        # A case is looked up several times in a row.
        if self._read is None or self._read[0] != place:
            self._read = (place, self.runs[place.run].record_at(place.line, place.offset))
        return self._read[1]

    def _asked(self, run: int, record: Record) -> Iterator[tuple[ModelCall, Round]]:
        models = self._models[run]
        before: Counter[tuple[str, str]] = Counter()
        for turn in record.rounds:
            asked = models.generators if turn.role == GENERATOR else models.of_loops
            if turn.of_answer:
                asked = models.of_answers
            model = self._judges[run] if turn.of_judge else asked.get(record.model)
            failed = turn.of_answer and turn.verdict == "error"
            if model is not None and turn.messages_sha256 is not None and not failed:
                key = (model, turn.messages_sha256)
                yield ModelCall(*key, before[key], record.repeat), turn
                before[key] += 1


def model_identity(model: ModelSpec | ModelEntry, seed: int, sampling: Mapping[str, JsonValue]) -> str | None:
    """Return what identifies a model that reads messages, without folders of weights; None for others."""
    if model.kind not in TEXT_KINDS:
        return None
    name = Path(model.argument).name if model.kind == "gguf" else model.argument
    return json.dumps([model.kind, name, seed, dict(sampling)], sort_keys=True)


class _Models(NamedTuple):
    """The models of a run, by the label of the case's model: of queries, of loops, and of written answers."""

    generators: dict[str, str]
    of_loops: dict[str, str]
    of_answers: dict[str, str]


def _judge(manifest: Manifest) -> str | None:
    return None if manifest.judge is None else model_identity(manifest.judge.model, _seed(manifest), {})


def _seed(manifest: Manifest) -> int:
    return manifest.known_options.seed or 0


def _models(manifest: Manifest) -> _Models:
    seed, sampling = _seed(manifest), manifest.known_options.sampling
    parts = (
        {entry.label: entry for entry in manifest.models},
        manifest.loops.players,
        manifest.answering.writers if manifest.answering else {},
    )
    known = (
        {label: model_identity(entry, seed, sampling) for label, entry in part.items()} for part in parts
    )
    return _Models(*({label: model for label, model in part.items() if model} for part in known))


@dataclass(frozen=True, slots=True)
class ReplayedRuns:
    """Runs whose rows and completions are used again."""

    logs: tuple[RunLog, ...]
    """The runs, by absolute folder, each once."""
    schema: str
    """Schema text of the graph they ran on."""
    fingerprint: str
    """Hash of its content."""
    version: str
    """Version of the server they ran on, of the first if they differ."""


def replayed_runs(
    graph: str, named: Sequence[str], *, fingerprint: str, query_timeout: float, loops: Collection[str] = ()
) -> ReplayedRuns | None:
    """Resolve and check ``--graph none`` and ``--replay``; None for a run with a graph. Raises InputError."""
    if graph != "none":
        if named:
            raise InputError(
                f"--replay {','.join(named)}: rows come from a run only without a graph. "
                "Add --graph none, or leave --replay out."
            )
        return None
    if not named:
        raise InputError("--graph none: rows then come from earlier runs; name them with --replay DIR")
    logs = tuple(RunLog(path) for path in dict.fromkeys(Path(name).expanduser().resolve() for name in named))
    graphs = [_graph(log) for log in logs]
    for log, each in zip(logs, graphs, strict=True):
        timeout = log.manifest.known_options.query_timeout
        for wrong in _differences(each, graphs[0], fingerprint, timeout, query_timeout):
            raise InputError(f"--replay {log}: {wrong}")
    _require_present_loops(logs, loops)
    return ReplayedRuns(logs, graphs[0].schema, graphs[0].fingerprint, graphs[0].version)


def _require_present_loops(logs: Sequence[RunLog], loops: Collection[str]) -> None:
    """Refuse a loop whose records are of its former name alone: it asked in other roles, with other texts."""
    recorded = {name: log for log in reversed(logs) for name in log.manifest.loops.names}
    for former, name in FORMER_NAMES.items():
        if name in loops and former in recorded and name not in recorded:
            raise InputError(
                f"--replay {recorded[former]}: its loop {former} is of a version before {name}, which asks "
                "other things. Such a run can be read, reported and compared, but that loop cannot be "
                f"replayed: leave out --loop {former}, or name a run of {name} with --replay too."
            )


def _graph(log: RunLog) -> GraphEntry:
    manifest = log.manifest
    if manifest.graph is None or not manifest.options or not manifest.models:
        raise InputError(f"--replay {no_run(log.path, MANIFEST)}")
    return manifest.graph


def _differences(
    graph: GraphEntry, first: GraphEntry, fingerprint: str, timeout: float | UnsetType, query_timeout: float
) -> Iterator[str]:
    if graph.fingerprint != fingerprint:
        yield (
            f"it ran on graph {graph.fingerprint[:12]}, and the questions were made for "
            f"{fingerprint[:12]}; name their set with --questions, or another run"
        )
    if graph.schema != first.schema:
        yield "it ran with another schema text than the first run that is named; replay them one by one"
    if timeout != query_timeout:
        yield (
            f"its queries had {timeout:g} s, these would have {query_timeout:g}: the result of a slow one is "
            f"unknown. Say --query-timeout {timeout:g}."
        )


_DETAILS = frozenset({"attempts", "finish_reason", "no_answer"})
"""What a model that reads messages reports beside its completion has one of these."""


class ReplayedModel:
    """Answers from the records of runs, else as another model does, if there is one."""

    def __init__(
        self,
        spec: ModelSpec,
        seed: int,
        index: RunIndex,
        otherwise: TextModel | Model | None,
        sampling: Mapping[str, JsonValue] = MappingProxyType({}),
    ) -> None:
        self.label = spec.label
        self._identity = model_identity(spec, seed, sampling)
        self._index = index
        self._otherwise = otherwise

    def answer(self, request: Request | Chat) -> Completion:
        """Answer a request; raise ModelError if it cannot be answered."""
        sha256 = hashlib.sha256(json_line(request.messages).encode()).hexdigest()
        turn = None
        if self._identity is not None:
            asked = ModelCall(self._identity, sha256, request.repeat, request.case_repeat)
            turn = self._index.completion(request.case_id, asked)
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
            f"{self._index.named}, and there is no response cache. Run with the prompts and options "
            "of that run (options in its manifest.json), or name the cache that has it with --cache FILE."
        )


def open_model(
    spec: ModelSpec,
    context: ModelContext,
    replayed: RunIndex | None,
    form: Mapping[str, Any] | None = None,
) -> Model:
    """Open a model; in a replay, records have its completions. `form` as in `choice_of`."""
    if spec.kind not in TEXT_KINDS or replayed is None:
        return context.open(spec, form)
    # Without a gateway, records have the only completions.
    otherwise = context.open(spec, form) if context.connections is not None else None
    return ReplayedModel(spec, context.seed, replayed, otherwise, context.sampling)


def _as_answer(turn: Round) -> Completion:
    found = [each for each in turn.findings if isinstance(each, dict) and _DETAILS & each.keys()]
    return Completion(
        turn.answer,
        tokens=None if turn.tokens is None else structs.asdict(turn.tokens),
        time_s=turn.time_s,
        details=dict(found[-1]) if found else {},
        cached=True,
    )


_LONGEST = 200


class NotRecorded(GraphError):  # noqa: N818 - the name that records and readers know
    """No replayed run has what a case asks the graph."""


class RecordedGraphs:
    """Gives each case the rows of its own record, and of others for what that does not hold."""

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
