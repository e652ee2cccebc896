"""Loads what tests of a pytest plugin need."""

pytest_plugins = ("pytester",)
