"""Writes results without pytest: allure-pytest's own listener, told what pytest would have told it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import allure_commons
from allure_commons.logger import AllureFileLogger
from allure_commons.model2 import Label, StatusDetails, TestResult
from allure_commons.types import LabelType
from allure_commons.utils import md5, platform_label, uuid4
from allure_pytest.listener import AllureListener
from allure_pytest.utils import get_history_id

from retrocypher.plugins.runs.record import Record

_PACKAGE = "benchmarks"


class ResultWriter:
    """Writes the results of cases into a folder, as allure-pytest does while a run goes on.

    Whatever ``allure.dynamic``, ``allure.step`` and ``allure.attach`` are told while a result is open goes
    into it.

    Args:
        folder: The folder; made if absent.
    """

    def __init__(self, folder: Path) -> None:
        self._files = AllureFileLogger(folder)
        self._listener = AllureListener(None)
        self._others: list[object] = []

    def __enter__(self) -> "ResultWriter":
        manager = allure_commons.plugin_manager
        # Those of the running session would write the same results once more.
        kinds = (AllureFileLogger, AllureListener)
        self._others = [each for each in manager.get_plugins() if isinstance(each, kinds)]
        for other in self._others:
            manager.unregister(other)
        for part in (self._files, self._listener):
            manager.register(part)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        manager = allure_commons.plugin_manager
        for part in (self._files, self._listener):
            manager.unregister(part)
        for other in self._others:
            manager.register(other)

    @contextmanager
    def result(
        self, record: Record, start: float, stop: float, status: str, details: StatusDetails | None
    ) -> Iterator[None]:
        """Open the result of a case, and write it at the end.

        Args:
            record: The case's record.
            start: When it began, in seconds of the epoch.
            stop: When it ended.
            status: Allure's status.
            details: What pytest said of it; None of a case that passed.
        """
        reporter, uuid = self._listener.allure_logger, uuid4()
        result = _result(record)
        result.uuid, result.status, result.statusDetails = uuid, status, details
        reporter.schedule_test(uuid, result)
        yield
        result.start, result.stop = round(1000 * start), round(1000 * stop)
        for step in result.steps:
            step.start = step.stop = result.stop
        result.historyId = get_history_id(result.fullName, result.parameters, original_values={})
        result.labels.extend(_labels(record))
        reporter.close_test(uuid)


def _result(record: Record) -> TestResult:
    function = f"test_{record.setting}"
    name = f"{_PACKAGE}.{function}#{function}"
    return TestResult(
        fullName=name, testCaseId=md5(name), titlePath=[_PACKAGE, f"{function}.py"], name=record.question
    )


def _labels(record: Record) -> list[Label]:
    """Return what allure-pytest reads off the test itself; host and process are on no record."""
    function = f"test_{record.setting}"
    return [
        Label(LabelType.TAG, record.setting),
        Label(LabelType.PARENT_SUITE, _PACKAGE),
        Label(LabelType.SUITE, function),
        Label(LabelType.FRAMEWORK, "pytest"),
        Label(LabelType.LANGUAGE, platform_label()),
        Label("package", f"{_PACKAGE}.{function}"),
    ]
