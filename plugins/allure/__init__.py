"""The Allure report of a run, derived from its records."""

from plugins.allure._categories import categories_3
from plugins.allure._executor import executor_of
from plugins.allure._forgiving import forgive_unwritten
from plugins.allure._lost import lost_cases, lost_records
from plugins.allure._run import show_run
from plugins.allure._settled import drop_stale, settle_run, shown_cases, write_lost
from plugins.allure._show import show_case
from plugins.allure._writer import ResultWriter

__all__ = [
    "ResultWriter",
    "categories_3",
    "drop_stale",
    "executor_of",
    "forgive_unwritten",
    "lost_cases",
    "lost_records",
    "settle_run",
    "show_case",
    "show_run",
    "shown_cases",
    "write_lost",
]
