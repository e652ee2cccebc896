"""`SuiteSession`: one object per pytest process; the hooks call it."""

import gc
import logging
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
from msgspec import convert, to_builtins

from retrocypher.kg.errors import InputError, RetroCypherError
from retrocypher.kg.offline import refuse_network
from retrocypher.kg.parent import end_with
from retrocypher.kg.questions.question import Setting
from retrocypher.kg.secrets import Secrets, secrets_of
from retrocypher.plugins.formatting.progress import LOGGER, show_progress
from retrocypher.plugins.session.context import WorkerContext
from retrocypher.plugins.session.options import (
    dest,
    is_case,
    named_settings,
    read_options,
    require_local_workers,
    runs_no_case,
    runs_nothing,
    setting_of_file,
)
from retrocypher.plugins.session.plan import Plan, resolve
from retrocypher.plugins.session.worker import (
    BELOW,
    BELOW_FIELD,
    ERROR_FIELD,
    Worker,
    case_of,
    is_empty,
    redact_logs,
    redact_report,
)

_logger = logging.getLogger(__name__)

if TYPE_CHECKING:
    # What only the main process needs is imported where it is used: workers start faster without it.
    from retrocypher.plugins.session.controller import Controller

ReportStatus = tuple[str, str, str | tuple[str, dict[str, bool]]]
"""Category, letter and word of an outcome, as pytest takes them; a word may have a colour."""

SESSION = pytest.StashKey["SuiteSession"]()
_WORKER_INPUT = "retrocypher"
_WORKERS_END_S = 1.0
_LANDING_S, _LONG_LANDING_S = 2.0, 30.0
"""How long calls in flight may take to end after Ctrl-C, and at any other end: what was paid is kept."""


class SuiteSession:
    """One session of the suite.

    With xdist, the main process has a `controller` and each worker process has a `worker`. Without xdist, the
    one process has both. If no benchmark was named, both are None.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.controller: Controller | None = None
        self.worker: Worker | None = None
        self._context: WorkerContext | None = None
        self._failed_cases = 0
        self._has_requested_ahead = False
        self._selected_cases = 0
        self._secrets = Secrets()

    def configure(self) -> None:
        """Check the options and the plan, before a server or worker starts; raise pytest.UsageError."""
        for name in get_args(Setting):
            self._config.addinivalue_line("markers", f"{name}: a benchmark question of the {name} setting")
        settings = named_settings(self._config)
        if not settings:
            if self._config.getoption(dest("gate")) and not runs_nothing(self._config):
                raise pytest.UsageError(
                    "--gate: no benchmark is named, so nothing would be judged; name benchmarks"
                )
            return
        if hasattr(self._config, "workerinput"):
            # Nothing else would end a worker that is within native code when its controller is killed.
            end_with(os.getppid())
        self._secrets = secrets_of(os.environ)
        with self._usage_errors():
            loops = [*chain.from_iterable(self._config.hook.pytest_retrocypher_loops(config=self._config))]
            options = read_options(self._config)
            self._secrets |= secrets_of({}, [options.graph]).values
            if options.offline:
                refuse_network()
            is_worker = hasattr(self._config, "workerinput")
            plan = resolve(options, registered=loops, checked=is_worker)
            plan.require_cases(settings)
            if is_worker:
                self._configure_worker(plan)
            else:
                self._configure_controller(plan, settings)
                if not self._config.pluginmanager.hasplugin("dsession"):
                    # Without xdist this process also runs the cases.
                    self.worker = Worker(plan)
        if self.worker is not None and self._config.pluginmanager.hasplugin("allure_pytest"):
            # Imported here: a session without Allure needs none of it.
            from retrocypher.plugins.reporting.allure.listener import limit_to_other_tests

            limit_to_other_tests(self._config, lambda item: case_of(item) is not None)

    def start(self) -> None:
        """Start the server and the processes that models share; raise pytest.UsageError if that fails."""
        redact_logs(self._secrets, self._config)
        if self.controller is None:
            return
        from retrocypher.plugins.session.terminal import workers_note

        if note := workers_note(self._workers(), len(os.sched_getaffinity(0))):
            _logger.warning(note)
        live = getattr(self._config.pluginmanager.getplugin("logging-plugin"), "log_cli_handler", None)
        if isinstance(live, logging.Handler):
            # pytest's live log would show progress messages a second time.
            live.addFilter(lambda record: not record.name.startswith(LOGGER))
        # An empty --alluredir switches Allure off.
        allure = getattr(self._config.option, "allure_report_dir", None) or None
        with self._usage_errors():
            self._context = self.controller.start(allure, self._workers())
        self._secrets |= self._context.passwords
        if self.worker is not None:
            self.worker.context = self._context
        # What is loaded now stays: looking for garbage in it would take a second or more of a Ctrl-C.
        gc.freeze()

    def configure_node(self, node: Any) -> None:
        """Send an xdist worker its context."""
        if self._context is not None:
            node.workerinput[_WORKER_INPUT] = to_builtins(self._context)

    def make_scheduler(self, log: Any) -> Any:
        """Return the scheduler of the xdist workers; None for the one that ``--dist`` names."""
        if self._context is None:
            return None
        # Imported here: only a session with workers needs it.
        from retrocypher.plugins.session.scheduler import scheduler_for

        return scheduler_for(self._config, log, self._context.cases_at_once)

    def ignores(self, path: Path) -> bool:
        """Tell whether a file has only cases of a setting that no prompt of the run asks for."""
        setting = setting_of_file(path)
        if self.worker is None or setting is None:
            return False
        return setting not in {prompt.setting for prompt in self.worker.plan.prompts.values()}

    def parametrize(self, metafunc: pytest.Metafunc) -> None:
        """Make the cases."""
        if self.worker is not None:
            self.worker.parametrize(metafunc)

    def deselect_empty(self, items: list[pytest.Item]) -> None:
        """Deselect tests for which the plan has no case."""
        if self.worker is not None:
            empty = [item for item in items if is_empty(item)]
            items[:] = [item for item in items if not is_empty(item)]
            self._config.hook.pytest_deselected(items=empty)

    def request_ahead(self, node_ids: Sequence[str]) -> None:
        """Have the first completions of the selected cases requested, once."""
        if self.controller is None or self._has_requested_ahead:
            return
        from retrocypher.plugins.session.ahead import Layout

        self._has_requested_ahead = True
        case_ids = [each for each in node_ids if is_case(each)]
        self._selected_cases = len(case_ids)
        with self._usage_errors():
            self.controller.require_covered(case_ids)
        options = self._config.option
        dist, chunk = getattr(options, "dist", "no"), getattr(options, "maxschedchunk", None)
        layout = Layout(self._workers(), dist, chunk)
        self.controller.request_ahead(case_ids, layout)

    def describe_failure(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Have pytest show a failed case in its own words."""
        if self.worker is not None and case_of(item) is not None:
            self.worker.describe_failure(item, call)

    def make_report(self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        """Put a case's record on its report, and redact secrets in the report."""
        if self.worker is not None and case_of(item) is not None:
            self.worker.annotate(item, call, report)
        if self.worker is not None:
            redact_report(self._secrets, call, report)

    def log_report(self, report: pytest.TestReport) -> None:
        """Write a case's record."""
        if self.controller is not None and is_case(report.nodeid):
            self._failed_cases += report.failed
            self.controller.log(report, self._selected_cases)
            if self._is_ending():
                self.controller.stop_ahead()

    def report_header(self) -> list[str]:
        """Return the lines of the terminal's header."""
        return self.controller.header() if self.controller else []

    def report_status(self, report: pytest.TestReport) -> ReportStatus | None:
        """Show an infrastructure error as an error, and what only the gate decides about as below."""
        if getattr(report, ERROR_FIELD, False):
            return "error", "E", "ERROR"
        return (
            (BELOW, "b", (BELOW.upper(), {"yellow": True})) if getattr(report, BELOW_FIELD, False) else None
        )

    def finish(self, session: pytest.Session, status: int) -> None:
        """Write the summary and set the exit status."""
        if self.controller is not None and self._context is not None:
            from retrocypher.plugins.session.terminal import colour_by_status, publish, suppress_tracebacks

            # After -x pytest-xdist has the status of an interrupt, too.
            by_hand = status == pytest.ExitCode.INTERRUPTED and not self._is_ending()
            self.controller.end_calls(_LANDING_S if by_hand else _LONG_LANDING_S)
            if by_hand and (xdist := self._config.pluginmanager.getplugin("dsession")) is not None:
                # Workers that wait for a model do not hear that they should end; xdist gives them 10 s.
                xdist.nodemanager.EXIT_TIMEOUT = _WORKERS_END_S
            other_test_failed = session.testsfailed > self._failed_cases
            session.exitstatus = self.controller.finish(status, other_test_failed=other_test_failed)
            suppress_tracebacks(self._config, self.controller.state.summary)
            if self.controller.state.gate is not None and self.controller.state.plan.passes_below:
                colour_by_status(self._config, int(session.exitstatus))
            publish(self._config, self.controller.state)

    def write_summary(self, reporter: pytest.TerminalReporter) -> None:
        """Write the summary. With ``--no-summary``, write only the gate's result if the run is complete."""
        if self.controller is None or self._context is None:
            return
        from retrocypher.plugins.session.terminal import closing_lines, gate_lines

        state = self.controller.state
        only_gate = getattr(self._config.option, "no_summary", False) and state.complete
        if only_gate and state.gate is None:
            return
        reporter.write_sep("=", "retrocypher")
        for line in gate_lines(state) if only_gate else closing_lines(state, reporter):
            reporter.write_line(self._secrets.redact(line))

    def unconfigure(self) -> None:
        """Stop the server and models. Runs also after an error."""
        if self.controller is not None:
            self.controller.stop()
        if self.controller is not None or self.worker is not None:
            # pytest and the interpreter look for garbage several times before they end.
            gc.freeze()

    def _configure_worker(self, plan: Plan) -> None:
        context = convert(self._config.workerinput[_WORKER_INPUT], WorkerContext)  # type: ignore[attr-defined]
        self._secrets |= context.passwords
        self.worker = Worker(plan, context)
        self._config.option.allure_report_dir = context.allure
        # Only the controller cleans: a worker that replaces a crashed one would delete results.
        self._config.option.clean_alluredir = False

    def _configure_controller(self, plan: Plan, settings: Collection[Setting]) -> None:
        if self._config.getoption("dist", "no") == "each":
            raise InputError(
                "--dist each would run every case once per worker. Remove it, or use --dist load"
            )
        require_local_workers(self._config)
        if (option := runs_no_case(self._config)) and self._config.getoption(dest("gate")):
            raise InputError(
                f"--gate: {option} runs no case, so nothing would be judged; leave out one of the two"
            )
        if not self._config.option.collectonly:
            from retrocypher.plugins.session.controller import Controller
            from retrocypher.plugins.session.gate import gate_for
            from retrocypher.plugins.session.run_key import selection_of

            selection = selection_of(self._config)
            gate = gate_for(plan, self._config, settings)
            self._config.add_cleanup(show_progress(self._write_line))
            self.controller = Controller(plan, self._config.rootpath, selection, gate, self._end_early)
            if getattr(self._config.option, "allure_report_dir", "") is None:
                self._config.option.allure_report_dir = str(self.controller.allure_path)

    @contextmanager
    def _usage_errors(self) -> Iterator[None]:
        """Turn an error of the suite into pytest.UsageError, without secrets."""
        try:
            yield
        except RetroCypherError as error:
            raise pytest.UsageError(self._secrets.redact(str(error))) from error

    def _workers(self) -> int:
        return len(getattr(self._config.option, "tx", None) or ()) or 1

    def _end_early(self, reason: str) -> None:
        for running in self._running():
            running.shouldstop = reason

    def _is_ending(self) -> bool:
        """Return whether pytest begins no more tests, as after ``-x``."""
        return any(each.shouldstop or getattr(each, "shouldfail", False) for each in self._running())

    def _running(self) -> list[Any]:
        """Return the sessions of pytest and of pytest-xdist, as far as there are any."""
        found = (self._config.pluginmanager.getplugin(name) for name in ("session", "dsession"))
        return [each for each in found if each is not None]

    def _write_line(self, line: str) -> None:
        reporter: pytest.TerminalReporter | None = self._config.pluginmanager.getplugin("terminalreporter")
        if reporter is not None:
            reporter.ensure_newline()
            # With -q, pytest prints dots without a file name, which `ensure_newline` does not notice.
            if reporter._tw.width_of_current_line:
                reporter._tw.line()
            reporter.write_line(self._secrets.redact(line))
