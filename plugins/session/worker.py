"""The worker's side of a session: runs cases, in every xdist worker or in the one process without xdist."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

from retrocypher.kg.questions.question import Setting
from retrocypher.kg.secrets import Secrets
from retrocypher.plugins.reporting.case_view import CaseError, CaseFailedError, failure_repr
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.session.cases import Case
from retrocypher.plugins.session.context import WorkerContext
from retrocypher.plugins.session.plan import Plan
from retrocypher.plugins.session.resume import ResumedCase
from retrocypher.plugins.session.run_case import Outcome

RECORD_FIELD = "retrocypher_record"
MESSAGES_FIELD = "retrocypher_messages"
ERROR_FIELD = "retrocypher_error"
FORESEEN_FIELD = "retrocypher_foreseen"
BELOW_FIELD = "retrocypher_below"
BELOW = "below"
"""The outcome of a case under the threshold that fails no test, and its property in a JUnit file."""
STOP = "stop"
"""A file of this name in the folder that all workers share ends each of them after its case."""


class Worker:
    """Parametrizes the tests and sends each case's record along with its report."""

    def __init__(self, plan: Plan, context: WorkerContext | None = None) -> None:
        self.plan = plan
        self.context = context
        self._outcome: Outcome | None = None
        self._resumed: ResumedCase | None = None
        self._below = ""

    def parametrize(self, metafunc: pytest.Metafunc) -> None:
        """Give a test that takes ``case`` the cases of its setting."""
        if "case" not in metafunc.fixturenames:
            return
        marked = (each for each in get_args(Setting) if metafunc.definition.get_closest_marker(each))
        cases = list(self.plan.cases(next(marked)))
        metafunc.parametrize("case", cases, ids=[case.id for case in cases])

    def keep(self, outcome: Outcome) -> None:
        """Keep the outcome of the running case for its report."""
        self._outcome = outcome

    def resume(self, case: Case) -> ResumedCase | None:
        """Return the running case as the earlier part of the run has it; None if it is to be asked."""
        self._resumed = self.context.resumed.get(case.id) if self.context else None
        return self._resumed

    def end(self, failure: CaseFailedError | CaseError | None) -> None:
        """Raise what the running case failed with; where a gate decides, keep it for the report instead."""
        if isinstance(failure, CaseFailedError) and self.plan.passes_below:
            self._below = str(failure)
        elif failure is not None:
            raise failure

    def describe_failure(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Have pytest show a failed case in its own words.

        For a traceback it would parse three modules, which takes longer than to score the case.
        """
        failure = _foreseen(call)
        if failure is not None:
            shown = failure_repr(str(failure), item.location)
            # pytest asks the item how its failure is shown.
            vars(item)["repr_failure"] = lambda excinfo: shown

    def annotate(self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        """Put a case's record on the report of its call."""
        if report.when != "call":
            return
        failure = _foreseen(call)
        if failure is not None:
            setattr(report, ERROR_FIELD, isinstance(failure, CaseError))
            setattr(report, FORESEEN_FIELD, True)
        below, self._below = self._below, ""
        if below:
            setattr(report, BELOW_FIELD, True)
            item.user_properties.append((BELOW, below.partition("\n")[0]))
        if self._stopped():
            # Without xdist, the controller has said why.
            item.session.shouldstop = item.session.shouldstop or "the controller stopped the run"
        resumed, self._resumed = self._resumed, None
        if resumed is not None:
            report.duration = resumed.time_s
            _add_scores(item, report, resumed.scores)
        outcome, self._outcome = self._outcome, None
        if outcome is None:
            return
        record = outcome.record
        setattr(report, RECORD_FIELD, json_line(record))
        setattr(report, MESSAGES_FIELD, json_line(outcome.messages))
        _add_scores(item, report, record.numbers)

    def _stopped(self) -> bool:
        return self.context is not None and (Path(self.context.coordination) / STOP).exists()


def case_of(item: pytest.Item) -> Case | None:
    """Return the case an item runs, None where it is some other test."""
    spec: Any = getattr(item, "callspec", None)
    case = spec.params.get("case") if spec else None
    return case if isinstance(case, Case) else None


def is_empty(item: pytest.Item) -> bool:
    """Tell whether an item stands for a parametrization without cases."""
    spec: Any = getattr(item, "callspec", None)
    return spec is not None and "case" in spec.params and case_of(item) is None


def _foreseen(call: pytest.CallInfo[None]) -> CaseFailedError | CaseError | None:
    """What a case failed with; None if it passed, or for an error of the harness."""
    value = None if call.excinfo is None else call.excinfo.value
    return value if isinstance(value, CaseFailedError | CaseError) else None


def _add_scores(item: pytest.Item, report: pytest.TestReport, scores: Mapping[str, float]) -> None:
    item.user_properties.extend(scores.items())
    report.user_properties = list(item.user_properties)


_HANDLERS = ("caplog_handler", "report_handler", "log_file_handler", "log_cli_handler")


def redact_report(secrets: Secrets, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
    """Redact secrets in a report, and in the call that other plugins read the exception from."""
    report.sections = [(name, secrets.redact(text)) for name, text in report.sections]
    if call.excinfo is not None and secrets.are_in(text := call.excinfo.exconly()):
        call.excinfo = _redacted(call.excinfo, secrets.redact(text))
    if report.longrepr is not None and secrets.are_in(text := report.longreprtext):
        report.longrepr = failure_repr(secrets.redact(text), report.location)


def redact_logs(secrets: Secrets, config: pytest.Config) -> None:
    """Have all that pytest shows or writes of the log go through a filter."""
    plugin = config.pluginmanager.getplugin("logging-plugin")
    for name in _HANDLERS:
        handler = getattr(plugin, name, None)
        if isinstance(handler, logging.Handler):
            handler.addFilter(_Filter(secrets))


class _Filter(logging.Filter):
    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self._secrets = secrets

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every line pass, without secrets."""
        if self._secrets.are_in(said := record.getMessage()):
            record.msg, record.args = self._secrets.redact(said), None
        return True


def _redacted(raised: pytest.ExceptionInfo[BaseException], text: str) -> Any:
    """An exception that says no secret; a failed assertion stays one, which Allure tells from an error."""
    kind = AssertionError if isinstance(raised.value, AssertionError) else RuntimeError
    return pytest.ExceptionInfo.from_exception(kind(text).with_traceback(raised.tb))
