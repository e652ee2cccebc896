"""The Allure report of a run, derived from its records."""

from plugins.allure._run import show_run
from plugins.allure._show import show_case
from plugins.allure._unrecorded import drop_unrecorded

__all__ = ["drop_unrecorded", "show_case", "show_run"]
