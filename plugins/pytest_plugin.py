"""The pytest hooks of the suite; once options are parsed, nearly all call one method of `SuiteSession`."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from retrocypher.plugins import hookspecs
from retrocypher.plugins.session.options import add_options, is_unrequested_speed_benchmark
from retrocypher.plugins.session.session import SESSION, ReportStatus, SuiteSession


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks that other plugins may implement."""
    pluginmanager.add_hookspecs(hookspecs)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the suite's options."""
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Resolve and check the options before anything starts."""
    suite = config.stash[SESSION] = SuiteSession(config)
    suite.configure()
    config.pluginmanager.register(_Reports(suite))


class _Reports:
    """Holds `pytest_runtest_logreport`, which pytest calls without a config."""

    def __init__(self, session: SuiteSession) -> None:
        self._session = session

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write a case's record as its report arrives."""
        self._session.log_report(report)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Start the server before any worker."""
    session.config.stash[SESSION].start()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Send an xdist worker the addresses of the running server and models."""
    node.config.stash[SESSION].configure_node(node)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Collect the speed benchmarks only when they are named, and cases of the prompts' settings only."""
    ignored = is_unrequested_speed_benchmark(config, collection_path)
    return ignored or config.stash[SESSION].ignores(collection_path) or None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make the cases."""
    metafunc.config.stash[SESSION].parametrize(metafunc)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Drop tests without cases."""
    config.stash[SESSION].deselect_empty(items)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Request the first completions of the selected cases."""
    session.config.stash[SESSION].request_ahead([item.nodeid for item in session.items])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: list[str]) -> None:
    """Request the first completions of the cases that the first worker has selected."""
    node.config.stash[SESSION].request_ahead(ids)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give workers enough cases, and go on where one was killed."""
    return config.stash[SESSION].make_scheduler(log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach the case's record to its test report."""
    item.config.stash[SESSION].describe_failure(item, call)
    report = yield
    item.config.stash[SESSION].make_report(item, call, report)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: Any, config: pytest.Config) -> ReportStatus | None:
    """Show infrastructure errors as errors, and cases that only the gate decides about as below."""
    return config.stash[SESSION].report_status(report)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Return the header lines: models, prompts, questions, graph."""
    return config.stash[SESSION].report_header()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Write the summary and set the exit status."""
    session.config.stash[SESSION].finish(session, exitstatus)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> Generator[None, object, object]:
    """Write the summary, after all that pytest lists: it ends with the commands to continue with."""
    result = yield
    config.stash[SESSION].write_summary(terminalreporter)
    return result


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop what was started."""
    config.stash[SESSION].unconfigure()
