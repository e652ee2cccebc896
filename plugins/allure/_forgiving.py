"""Results that cannot be written, on a full disk for instance, end no session."""

import warnings
from collections.abc import Callable, Generator

import allure_commons


def forgive_unwritten() -> Callable[[], None]:
    """Let no result that cannot be written end this process's session; return what undoes that."""
    forgiving = _Forgiving()
    allure_commons.plugin_manager.register(forgiving)
    return lambda: allure_commons.plugin_manager.unregister(forgiving)


class _Forgiving:
    """Takes what writing an Allure result raises: a page that cannot be made must not decide a case.

    The pages are made again when the run is gone on with, or by ``retrocypher allure``.
    """

    @allure_commons.hookimpl(wrapper=True)
    def report_result(self) -> Generator[None, list[None], list[None]]:
        """Around the writing of a result."""
        return (yield from _forgiven())

    @allure_commons.hookimpl(wrapper=True)
    def report_container(self) -> Generator[None, list[None], list[None]]:
        """Around the writing of what its fixtures did."""
        return (yield from _forgiven())

    @allure_commons.hookimpl(wrapper=True)
    def report_attached_data(self) -> Generator[None, list[None], list[None]]:
        """Around the writing of an attachment."""
        return (yield from _forgiven())


def _forgiven() -> Generator[None, list[None], list[None]]:
    try:
        return (yield)
    except OSError as error:
        warnings.warn(f"Allure's results are not whole: {error}", stacklevel=2)
        return []
