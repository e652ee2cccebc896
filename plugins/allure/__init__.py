"""The Allure report of a case, derived from its record."""

from plugins.allure._show import show_case

__all__ = ["show_case"]
