"""Limits allure-pytest to tests that are no cases: the results of cases are written from their records."""

import warnings
from collections.abc import Callable, Generator
from typing import Any

import allure_commons
import pytest
from allure_pytest.listener import AllureListener

_LISTENER = "allure_listener"
"""Name under which allure-pytest registers its listener."""

Wrapper = Generator[None, Any, None]


def limit_to_other_tests(config: pytest.Config, is_case: Callable[[pytest.Item], bool]) -> None:
    """Hide cases from allure-pytest's listener; call this before allure-pytest is configured."""
    config.pluginmanager.set_blocked(_LISTENER)
    config.pluginmanager.register(_OtherTests(is_case))
    tolerant = _Tolerant()
    allure_commons.plugin_manager.register(tolerant)
    config.add_cleanup(lambda: allure_commons.plugin_manager.unregister(tolerant))


class _OtherTests:
    """Passes the hooks of tests that are no cases on to the listener."""

    def __init__(self, is_case: Callable[[pytest.Item], bool]) -> None:
        self._is_case = is_case

    def _pass_on(self, hook: str, item: pytest.Item, *arguments: Any) -> Wrapper:
        listener = None if self._is_case(item) else _listener()
        yield from getattr(listener, hook)(*arguments) if listener else _nothing()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Wrapper:
        yield from self._pass_on("pytest_runtest_protocol", item, item, nextitem)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Wrapper:
        yield from self._pass_on("pytest_runtest_setup", item, item)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Wrapper:
        yield from self._pass_on("pytest_runtest_call", item, item)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Wrapper:
        yield from self._pass_on("pytest_runtest_teardown", item, item)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Wrapper:
        yield from self._pass_on("pytest_runtest_makereport", item, item, call)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Wrapper:
        yield from self._pass_on("pytest_fixture_setup", request._pyfuncitem, fixturedef, request)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_post_finalizer(self, fixturedef: Any, request: Any) -> Wrapper:
        listener = _listener()
        yield from listener.pytest_fixture_post_finalizer(fixturedef) if listener else _nothing()


def _listener() -> Any:
    plugins = allure_commons.plugin_manager.get_plugins()
    return next((each for each in plugins if isinstance(each, AllureListener)), None)


def _nothing() -> Wrapper:
    yield


class _Tolerant:
    """Turns an error of allure-pytest on writing a result into a warning, so that the session continues."""

    @allure_commons.hookimpl(wrapper=True)
    def report_result(self) -> Generator[None, list[None], list[None]]:
        try:
            return (yield)
        except OSError as error:
            warnings.warn(f"the Allure results are not complete: {error}", stacklevel=2)
            return []

    report_container = report_attached_data = report_result
