"""The controller's side of a session: starts the server and models, writes records, reports to the user."""

import json
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
from msgspec import UNSET

from retrocypher.kg.execution.recovery import exclusive_rerun_stats
from retrocypher.kg.questions.clusters import clusters_of
from retrocypher.kg.questions.question import Setting
from retrocypher.kg.server.control import SessionFolder, session_folder
from retrocypher.plugins.analysis.gate import Gate
from retrocypher.plugins.analysis.ledger import Ledger
from retrocypher.plugins.analysis.summary import Usage
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.reporting.allure.about import executor_of
from retrocypher.plugins.runs.files import ALLURE, json_line
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import ExclusiveRerunEntry, Manifest
from retrocypher.plugins.runs.record import JsonValue, Record, record_from
from retrocypher.plugins.session.ahead import Layout, first_requests
from retrocypher.plugins.session.context import WorkerContext, made_once
from retrocypher.plugins.session.gate import judged, require_covered
from retrocypher.plugins.session.manifest import RunGraph, described, graph_of
from retrocypher.plugins.session.options import case_in
from retrocypher.plugins.session.plan import Plan
from retrocypher.plugins.session.resume import open_run
from retrocypher.plugins.session.run_key import run_key, shard_facts
from retrocypher.plugins.session.state import RunState
from retrocypher.plugins.session.terminal import INCOMPLETE, Progress, exit_status, header_lines
from retrocypher.plugins.session.worker import FORESEEN_FIELD, MESSAGES_FIELD, RECORD_FIELD, STOP
from retrocypher.prompts.models.cache_files import prepare
from retrocypher.prompts.models.calls import GatewaySettings, Stop
from retrocypher.prompts.models.gateway import Gateway
from retrocypher.prompts.models.open import contents_of
from retrocypher.prompts.models.spec import TEXT_KINDS

if TYPE_CHECKING:
    from retrocypher.plugins.reporting.allure.run import LiveResults

_logger = logging.getLogger(__name__)

_ENDED_BY_ITSELF = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


@contextmanager
def _interrupt_deferred() -> Iterator[None]:
    """Let Ctrl-C wait for the end of the block, so that the files and the counts of a run agree."""
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[tuple[Any, ...]] = []
    signal.signal(signal.SIGINT, lambda *arguments: received.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if received:
            before(*received[0])


def _crash_message(report: pytest.TestReport) -> str:
    """Return the first line of what pytest reports of a test that crashed."""
    crash = getattr(report.longrepr, "reprcrash", None)
    message = str(report.longrepr) if crash is None else crash.message
    return next(iter(message.strip().splitlines()), "no message")


class Controller:
    """Owns the run directory, the server and what models share; its `state` is what the run has measured."""

    def __init__(
        self,
        plan: Plan,
        root: Path,
        selection: Mapping[str, JsonValue],
        gate: Gate | None,
        end_early: Callable[[str], None],
    ) -> None:
        self._plan = plan
        self._root = root
        self._started = datetime.now(UTC)
        self._kept_before = prepare(plan.answers, read_only=plan.options.offline) if plan.answers else 0
        self._contents = contents_of(plan.every_model)
        self._key = run_key(plan, selection, self._contents)
        self._run, resumed = open_run(plan, self._key, root)
        self._end_early = end_early
        answer_models = plan.answering.models if plan.answering else {}
        self.state = RunState(
            plan,
            self._run.path,
            resumed,
            Ledger(clusters_of(plan.questions)),
            Usage(
                {label: spec.label for label, spec in plan.loops.models.items()},
                {label: spec.label for label, spec in answer_models.items()},
                plan.answering.extractor.label if plan.answering and plan.answering.extractor else None,
            ),
        )
        self._gate = gate
        self._progress = Progress(lambda: self.state.usage.cost, calls=self._calls, headline=plan.headline)
        self._allure: LiveResults | None = None
        self._graph: RunGraph | None = None
        self._gateway: Gateway | None = None
        self._coordination: SessionFolder | None = None
        self._manifest = Manifest()

    @property
    def allure_path(self) -> Path:
        """Folder of the Allure results."""
        return self._run.path / ALLURE

    def start(self, allure: str | None, workers: int) -> WorkerContext:
        """Start the server and what models share; raise GraphError or InputError if that fails.

        Args:
            allure: Folder of the Allure results; None if Allure is off.
            workers: Number of worker processes; 1 without pytest-xdist.
        """
        plan, resumed = self._plan, self.state.resumed
        try:
            self._graph = graph_of(plan)
            self._coordination = session_folder()
            self._gateway = self._started_gateway(self._coordination.path)
            manifest = described(plan, self._graph, self._contents, self._started, self._root)
            manifest.key = self._key.entry()
            manifest.executor = executor_of(os.environ)
            manifest.shard = shard_facts(plan, self._key)
            self._manifest, self.state.unpriced = manifest, manifest.unpriced_loop_models()
            if resumed is not None:
                resumed.resume(self._add_resumed)
                resumed.describe(manifest)
                _logger.info(resumed.opening(plan.case_count()))
            self._run.begin(plan.questions, manifest)
            if allure is not None:
                # Imported here: a run without Allure needs none of it.
                from retrocypher.plugins.reporting.allure.run import LiveResults

                self._allure = LiveResults(Path(allure), RunLog(self._run.path))
                if resumed is not None:
                    cases = (plan.cases(setting) for setting in get_args(Setting))
                    self._allure.resume(case.id for each in cases for case in each)
        except BaseException:
            self.stop()
            raise
        return WorkerContext(
            self._graph.endpoint,
            self._graph.schema,
            str(self._coordination.path),
            self._gateway.address if self._gateway else None,
            self._cases_at_once(workers),
            allure,
            resumed.cases if resumed else {},
        )

    def require_covered(self, node_ids: Sequence[str]) -> None:
        """Refuse a part of the run that a gate cannot judge; raise InputError before a case is run."""
        if self._gate is not None and node_ids:
            require_covered(self._gate, self._plan, {case_in(each) for each in node_ids})

    def request_ahead(self, node_ids: Sequence[str], layout: Layout) -> None:
        """Have the first completions of the selected cases requested, in about the order of the cases.

        Args:
            node_ids: The selected tests as they were collected.
        """
        if self._gateway is None or self._graph is None or self._plan.replay or self._plan.options.offline:
            return
        known = self.state.resumed.cases if self.state.resumed else {}
        self._gateway.request_ahead(
            first_requests(self._plan, self._graph.schema, layout.in_order(node_ids), known)
        )

    def end_calls(self, landing_s: float) -> None:
        """Begin no more calls of models; those in flight get some seconds to end."""
        if self._gateway is not None:
            self._gateway.end_calls(landing_s)

    def stop_ahead(self) -> None:
        """Request nothing more ahead."""
        if self._gateway is not None:
            self._gateway.stop_ahead()

    def header(self) -> list[str]:
        """Return the lines that say what is being measured."""
        if self._graph is None:
            return []
        return list(header_lines(self._plan, self._graph, self._gate, self._kept_before, self._run.path))

    def log(self, report: pytest.TestReport, total: int) -> None:
        """Write a case's record as its report arrives; note a case that crashed."""
        if report.failed and not getattr(report, FORESEEN_FIELD, False):
            self.state.crashed[report.nodeid] = _crash_message(report)
            self._progress.add(None, total)
        self.state.selected = total
        # Taken off the report: the terminal keeps all reports, which would be the whole run in memory.
        line: str | None = report.__dict__.pop(RECORD_FIELD, None)
        if line is None:
            return
        record = record_from(json.loads(line))
        if self.state.resumed is not None and self.state.resumed.restore_costs(record):
            line = json_line(record)
        messages = json.loads(report.__dict__.pop(MESSAGES_FIELD))
        with _interrupt_deferred():
            if self.state.failure or not self._write(partial(self._run.write_record, line, messages)):
                return
            if self._allure is not None:
                self._allure.add(record, messages, report)
            self.state.add(record)
        self._progress.add(self._headline_of(record), total)

    def finish(self, status: int, other_test_failed: bool) -> int:
        """Write the summary, close the run and return the exit status.

        Args:
            other_test_failed: Whether a test failed that is not a case.
        """
        state = self.state
        if self._coordination is not None:
            here = exclusive_rerun_stats(self._coordination.path)
            state.standstill = state.resumed.standstill(here) if state.resumed else here
        if self._gate is not None and (state.summary.cases or status in _ENDED_BY_ITSELF):
            state.gate = judged(self._gate, state, status)
        unscored = bool(state.crashed) or state.summary.infrastructure_errors > 0
        missing_judgements = bool(state.answer_faults) or state.summary.judge_faults > 0
        gate = state.gate.exit_status if state.gate else None
        status = exit_status(status, unscored, missing_judgements, gate, other_test_failed)
        summary = state.summary.run_summary()
        summary.selected_cases, summary.lost_cases = state.selected, sorted(state.crashed)
        summary.ledger = state.ledger.entries() if self._plan.loops.active else UNSET
        summary.gate = state.gate or UNSET
        self._write(partial(self._run.write_summary, summary))
        if self._allure is not None:
            self._allure.finish(state.crashed, state.summary.cases, state.selected)
        if state.stop is not None:
            status = pytest.ExitCode.USAGE_ERROR if state.stop.reason == "refused" else INCOMPLETE
        status = INCOMPLETE if state.failure else int(status)
        self._finish_manifest(status)
        return status

    def stop(self) -> None:
        """Stop what was started."""
        if self._gateway is not None:
            self._gateway.close()
        if self._graph is not None:
            self._graph.stop()
        if self._coordination is not None:
            self._coordination.remove()
        self._gateway = self._graph = self._coordination = None
        self._run.close()
        if self.state.summary.cases == 0 and not self.state.crashed and self.state.resumed is None:
            self._run.discard()

    def _started_gateway(self, folder: Path) -> Gateway | None:
        plan, options = self._plan, self._plan.options
        asked = any(spec.kind in TEXT_KINDS for spec in plan.every_model)
        if not asked or (options.offline and plan.answers is None):
            return None
        settings = GatewaySettings(
            options.concurrency,
            options.seed,
            os.environ,
            weights=self._contents,
            cache=plan.answers,
            offline=options.offline,
            sampling=plan.sampling,
            requests_per_minute=options.requests_per_minute,
            tokens_per_minute=options.tokens_per_minute,
            max_cost=options.max_cost,
        )
        return Gateway(plan.every_model, settings, folder, self._stop_for)

    def _cases_at_once(self, workers: int) -> int:
        """Return how many cases each worker runs at a time: one, unless calls depend on results."""
        plan = self._plan
        depends = plan.loops.models or plan.answering or plan.judge
        concurrency = plan.options.concurrency
        if self._gateway is None or plan.replay is not None or not depends or concurrency == 1:
            return 1
        # Twice as many as calls: while some wait for a model, others wait for the graph, or their turn.
        return -(-2 * concurrency // workers)

    def _stop_for(self, stop: Stop) -> None:
        """End the session for what the gateway found; called in its thread."""
        if self.state.stop is None:
            self.state.stop = stop
            self._give_up(stop.message)

    def _calls(self) -> Iterator[str]:
        if self._gateway is not None:
            yield f"{counted(self._gateway.in_flight, 'call')} in flight"
            if self._gateway.is_throttled:
                yield "the API limits the rate"

    def _finish_manifest(self, status: int) -> None:
        manifest, state = self._manifest, self.state
        manifest.ended = datetime.now(UTC).isoformat(timespec="seconds")
        manifest.exit_status = status
        if self._coordination is not None:
            once = made_once(self._coordination.path)
            once = state.resumed.once(once) if state.resumed else once
            manifest.loops.once = once
            state.usage.add_once(once)
        manifest.answers = state.usage.counts(str(self._plan.answers) if self._plan.answers else None)
        planned, crashed = self._plan.case_count(), len(state.crashed)
        manifest.counts = state.summary.counts(planned, state.selected, crashed)
        manifest.standstill = ExclusiveRerunEntry(state.standstill.queries, state.standstill.seconds)
        self._write(partial(self._run.write_manifest, manifest))

    def _write(self, write: Callable[[], None]) -> bool:
        """Write a file of the run, and return whether that succeeded; the first failure ends the session."""
        try:
            write()
        except OSError as error:
            if not self.state.failure:
                self.state.failure = f"the run cannot be written to ({error.strerror or error})"
                self._give_up(self.state.failure)
            return False
        return True

    def _add_resumed(self, record: Record) -> None:
        self.state.count(record)
        self._progress.take_over(self._headline_of(record))

    def _headline_of(self, record: Record) -> float | None:
        return record.scores.value(self._plan.headline) if record.scores else None

    def _give_up(self, reason: str) -> None:
        if self._coordination is not None:
            with suppress(OSError):
                (self._coordination.path / STOP).touch()
        self._end_early(reason)
