"""The side of the session that starts things, writes records and tells the user; one a session."""

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
from msgspec import convert

from retrocypher.kg.execution.recovery import Standstill, standstill_in
from retrocypher.kg.questions.question import Setting
from retrocypher.kg.server.folders import SessionFolder, session_folder
from retrocypher.plugins.analysis.ledger import Ledger
from retrocypher.plugins.analysis.summary import Summary
from retrocypher.plugins.analysis.usage import Usage
from retrocypher.plugins.reporting.allure.about import executor_of
from retrocypher.plugins.runs.files import ALLURE, json_line
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import AnswerCounts, KeyEntry, Manifest, StandstillEntry
from retrocypher.plugins.runs.record import answer_fault, record_from
from retrocypher.plugins.session.context import Context, made_once
from retrocypher.plugins.session.gate import judged
from retrocypher.plugins.session.manifest import RunGraph, counted, described, graph_of, silent_apis
from retrocypher.plugins.session.opening import open_run
from retrocypher.plugins.session.plan import Plan
from retrocypher.plugins.session.run_key import run_key, shard_facts
from retrocypher.plugins.session.terminal import INCOMPLETE, Progress, exit_status, header_lines
from retrocypher.plugins.session.worker import FORESEEN_FIELD, MESSAGES_FIELD, RECORD_FIELD, STOP
from retrocypher.plugins.session.writing import RunWriter
from retrocypher.prompts.models.cache_files import prepare
from retrocypher.prompts.models.checks import contents_of
from retrocypher.prompts.models.open import SharedModels, start_shared

if TYPE_CHECKING:
    from retrocypher.plugins.analysis.gate import Gate
    from retrocypher.plugins.analysis.gate_decision import GateResult
    from retrocypher.plugins.reporting.allure.run import LiveResults


class Controller:
    """Owns the run directory, the server and what models share.

    Args:
        plan: The resolved plan.
        root: The project's folder.
        announce: Writes one line to the terminal.
        selection: Which of its cases pytest is to run (`selection_of`).
        gate: What decides the exit status; None without a rule.
        end_early: Ends the session after the cases that are under way, for a reason.

    Raises:
        InputError: If the cache of answers, a model's file or the run directory cannot be used.
    """

    def __init__(
        self,
        plan: Plan,
        root: Path,
        announce: Callable[[str], None],
        selection: Mapping[str, Any],
        gate: "Gate | None",
        end_early: Callable[[str], None],
    ) -> None:
        self.plan = plan
        self._root = root
        self._announce = announce
        self._started = datetime.now(UTC)
        self._kept_before = prepare(plan.answers, read_only=plan.options.offline) if plan.answers else 0
        self._contents = contents_of(plan.every_model)
        self.key = run_key(plan, selection, self._contents)
        self.run, self.earlier = open_run(plan, self.key, root)
        self._end_early = end_early
        self.writer = RunWriter(self.run, self._give_up)
        self.summary = Summary()
        self.ledger: list[dict[str, Any]] = []
        self._ledger = Ledger({question.id: question.target for question in plan.questions})
        self.lost: list[str] = []
        self.faults: dict[str, list[str]] = {}
        self.answer_faults: dict[str, list[str]] = {}
        self.selected = 0
        self._gate = gate
        self.gate: GateResult | None = None
        writers = plan.answering.writers if plan.answering else {}
        self.answers = Usage(
            {label: spec.label for label, spec in plan.loops.players.items()},
            {label: spec.label for label, spec in writers.items()},
        )
        self._progress = Progress(announce, lambda: self.answers.cost)
        self._allure: LiveResults | None = None
        self._graph: RunGraph | None = None
        self._models: SharedModels | None = None
        self._coordination: SessionFolder | None = None
        self._manifest = Manifest()

    @property
    def allure_path(self) -> Path:
        """Folder of the Allure results."""
        return self.run.path / ALLURE

    @property
    def complete(self) -> bool:
        """Whether every case that was selected has a score."""
        whole = self.selected > 0 and self.summary.cases == self.selected
        return whole and not self.faults and not self.answer_faults and not self.writer.failure

    def start(self, allure: str | None) -> Context:
        """Start the server and what models share, and write the questions and the manifest.

        Args:
            allure: Folder of the Allure results; None where Allure is off.

        Raises:
            GraphError: If the server cannot be had.
            InputError: If the graph is not the questions' graph, or a local model cannot be started.
        """
        try:
            offline = self.plan.options.offline
            if not offline:
                for silent in silent_apis(self.plan):
                    self._announce(silent)
            self._graph = graph_of(self.plan, self._announce)
            self._models = start_shared(self.plan.every_model, contents=self._contents, offline=offline)
            self._coordination = session_folder()
            manifest = described(self.plan, self._graph, self._contents, self._started, self._root)
            manifest.key = KeyEntry(self.key.sha256, dict(self.key.parts))
            manifest.executor = executor_of(os.environ)
            manifest.shard = shard_facts(self.plan, self.key)
            self._manifest = manifest
            if self.earlier is not None:
                self.earlier.take_up(self._take)
                self.earlier.describe(manifest)
                self._announce(self.earlier.opening(self.plan.case_count()))
            self.run.begin((question.to_json() for question in self.plan.questions), self._manifest)
            if allure is not None:
                # Imported here: a run without Allure needs none of it.
                from retrocypher.plugins.reporting.allure.run import LiveResults

                self._allure = LiveResults(Path(allure), RunLog(self.run.path), self._announce)
                if self.earlier is not None:
                    cases = (self.plan.cases(setting) for setting in get_args(Setting))
                    self._allure.resume(case.id for each in cases for case in each)
        except BaseException:
            self.stop()
            raise
        return Context(
            self._graph.endpoint,
            self._graph.schema,
            str(self._coordination.path),
            self._models.to_json(),
            allure,
            {case: taken.to_json() for case, taken in self.earlier.taken.items()} if self.earlier else {},
        )

    def header(self) -> list[str]:
        """Return the lines that say what is being measured."""
        if self._graph is None:
            return []
        return list(header_lines(self.plan, self._graph, self._gate, self._kept_before, self.run.path))

    def log(self, report: pytest.TestReport, total: int) -> None:
        """Write a case's record as its report arrives; note a case that broke off."""
        if report.failed and not getattr(report, FORESEEN_FIELD, False):
            self.lost.append(report.nodeid)
            self._progress.add(None, total)
        self.selected = total
        # Taken off the report: the terminal keeps all reports, which would be the whole run in memory.
        line: str | None = report.__dict__.pop(RECORD_FIELD, None)
        if line is None:
            return
        record = json.loads(line)
        if self.earlier is not None and self.earlier.adds_costs(record):
            line = json_line(record)
        messages = json.loads(report.__dict__.pop(MESSAGES_FIELD))
        if not self.writer.record(line, messages):
            return
        if self._allure is not None:
            self._allure.add(record_from(record), messages, report)
        self._count(record)
        if fault := record["infrastructure_error"]:
            self.faults.setdefault(f"{fault['stage']} {fault['kind']}", []).append(fault["message"])
        elif fault := answer_fault(record):
            self.answer_faults.setdefault(f"{fault['stage']} {fault['kind']}", []).append(fault["message"])
        self._progress.add(record["scores"]["f1"] if record["scores"] else None, total)

    def finish(self, status: int, elsewhere: bool) -> int:
        """Write the summary, close the run and return the exit status.

        Args:
            status: What pytest would exit with.
            elsewhere: Whether a test failed that is no case.
        """
        if self._gate is not None and self.summary.cases:
            self.gate = judged(self._gate, self, status)
        unscored = bool(self.lost) or self.summary.infrastructure_errors > 0
        aside = bool(self.answer_faults) or self.summary.judge_faults > 0
        gate = self.gate.exit_status if self.gate else None
        status = exit_status(status, unscored, aside, gate, elsewhere)
        self.ledger = self._ledger.to_json()
        ledger = {"ledger": self.ledger} if self.plan.loops.active else {}
        counts = {"selected_cases": self.selected, "lost_cases": sorted(self.lost)}
        judged_by = {"gate": self.gate.to_json()} if self.gate else {}
        self.writer.summary({**self.summary.to_json(), **counts, **ledger, **judged_by})
        if self._allure is not None:
            self._allure.finish(self.lost, self.summary.cases, self.selected)
        status = INCOMPLETE if self.writer.failure else status
        self._manifest.ended = datetime.now(UTC).isoformat(timespec="seconds")
        self._manifest.exit_status = status
        if self._coordination is not None:
            once = made_once(self._coordination.path)
            once = self.earlier.once(once) if self.earlier else once
            self._manifest.loops.once = once
            self.answers.add_once(once)
        cache = str(self.plan.answers) if self.plan.answers else None
        self._manifest.answers = convert({"cache": cache, **self.answers.to_json()}, AnswerCounts)
        self._manifest.counts = counted(self.plan, self.summary, self.selected, self.lost)
        standstill = self.standstill()
        self._manifest.standstill = StandstillEntry(standstill.queries, standstill.seconds)
        self.writer.manifest(self._manifest)
        return INCOMPLETE if self.writer.failure else status

    def standstill(self) -> Standstill:
        """Return what runaway queries cost the run so far."""
        now = standstill_in(self._coordination.path) if self._coordination else Standstill(0, 0.0)
        return self.earlier.standstill(now) if self.earlier else now

    def stop(self) -> None:
        """Stop what was started."""
        if self._models is not None:
            self._models.stop()
        if self._graph is not None:
            self._graph.stop()
        if self._coordination is not None:
            self._coordination.remove()
        self._models = self._graph = self._coordination = None
        self.run.close()
        if self.summary.cases == 0 and not self.lost and self.earlier is None:
            self.run.discard()

    def _count(self, record: Mapping[str, Any]) -> None:
        self.summary.add(record)
        self._ledger.add(record)
        self.answers.add(record)

    def _take(self, record: Mapping[str, Any]) -> None:
        self._count(record)
        self._progress.take_over(record["scores"]["f1"])

    def _give_up(self, reason: str) -> None:
        if self._coordination is not None:
            with suppress(OSError):
                (self._coordination.path / STOP).touch()
        self._end_early(reason)
