"""Allure results and the Allure page."""
