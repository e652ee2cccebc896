"""Writes the Allure results of a run again, from what it left."""

from plugins.allure_records._write import Written, write_results

__all__ = ["Written", "write_results"]
