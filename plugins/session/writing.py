"""Writes a run, and ends it cleanly where there is no room."""

import logging
import os
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.secrets import Secrets
from retrocypher.plugins.reporting.case_view import failure_repr
from retrocypher.plugins.runs.manifest import Manifest
from retrocypher.plugins.runs.record import JsonValue
from retrocypher.plugins.runs.run_directory import RunDirectory
from retrocypher.plugins.session.gate import run_scores
from retrocypher.plugins.session.state import RunState


class RunWriter:
    """Writes what a run is made of; the first failure ends the session, and nothing is written after it.

    Attributes:
        failure: Why it cannot be written to; empty where it can.
    """

    def __init__(self, run: RunDirectory, end_early: Callable[[str], None]) -> None:
        self._run = run
        self._end_early = end_early
        self.failure = ""

    def record(self, line: str, messages: Mapping[str, JsonValue]) -> bool:
        """Append a record and its messages; tell whether it is there."""
        return not self.failure and self._written(lambda: self._run.write_record(line, messages))

    def summary(self, summary: Mapping[str, JsonValue]) -> None:
        """Write or replace the summary."""
        self._written(lambda: self._run.write_summary(summary))

    def manifest(self, manifest: Manifest) -> None:
        """Write or replace the manifest."""
        self._written(lambda: self._run.write_manifest(manifest))

    def _written(self, write: Callable[[], None]) -> bool:
        try:
            write()
        except OSError as error:
            if not self.failure:
                self.failure = f"the run cannot be written to ({error.strerror or error})"
                self._end_early(self.failure)
            return False
        return True


def publish(config: pytest.Config, state: RunState, announce: Callable[[str], None]) -> None:
    """Write what a JUnit file and the summary of a GitHub job say of a run, where there are any.

    Whatever goes wrong here is said, and changes nothing: the verdict has been given.

    Args:
        state: What the run has measured; its files are written.
    """
    if not state.summary.cases:
        return
    from retrocypher.plugins.reporting.ci import (
        add_junit_properties,
        append_job_summary,
        facts_of,
        job_summary,
        job_summary_file,
        writes_junit,
    )

    file = job_summary_file(os.environ)
    if file is None and not writes_junit(config):
        return
    try:
        scores = run_scores(state, 0)
        facts = facts_of(state.path, scores, state.summary, state.gate)
        add_junit_properties(config, facts)
        if file is not None:
            append_job_summary(file, job_summary(facts, os.environ))
    except (OSError, InputError) as error:
        announce(f"what the run measured cannot be told to CI: {error}")


_HANDLERS = ("caplog_handler", "report_handler", "log_file_handler", "log_cli_handler")


def redact_report(secrets: Secrets, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
    """Strike secrets out of what a report shows: why a test failed, and what was captured meanwhile.

    Args:
        secrets: What must not be seen.
        call: What the report is about; other plugins read the exception from it.
    """
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
