"""Reports and log lines without the secrets that this session knows."""

import logging
from typing import Any

import pytest

from kg.secrets import Secrets
from plugins.session._shortened import shortened

_HANDLERS = ("caplog_handler", "report_handler", "log_file_handler", "log_cli_handler")


def strike_report(secrets: Secrets, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
    """Strike secrets out of what a report shows: why a test failed, and what was captured meanwhile.

    Args:
        secrets: What must not be seen.
        call: What the report is about; other plugins read the exception from it.
        report: The report.
    """
    report.sections = [(name, secrets.strike(text)) for name, text in report.sections]
    if call.excinfo is not None and secrets.are_in(text := call.excinfo.exconly()):
        call.excinfo = _struck(call.excinfo, secrets.strike(text))
    if report.longrepr is not None and secrets.are_in(text := report.longreprtext):
        report.longrepr = shortened(secrets.strike(text), report.location)


def strike_logs(secrets: Secrets, config: pytest.Config) -> None:
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
            record.msg, record.args = self._secrets.strike(said), None
        return True


def _struck(raised: pytest.ExceptionInfo[BaseException], text: str) -> Any:
    """An exception that says no secret; a failed assertion stays one, which Allure tells from an error."""
    kind = AssertionError if isinstance(raised.value, AssertionError) else RuntimeError
    return pytest.ExceptionInfo.from_exception(kind(text).with_traceback(raised.tb))
