"""Draws the Allure report of a run as one HTML file, with the npm package ``allure``."""

from plugins.allure_page._build import Page, build_page
from plugins.allure_page._history import HISTORY, History
from plugins.allure_page._node import Node, find_node

__all__ = ["HISTORY", "History", "Node", "Page", "build_page", "find_node"]
