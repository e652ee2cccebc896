"""Loads what tests of a pytest plugin need, and keeps the clock out of property tests."""

from hypothesis import settings

pytest_plugins = ("pytester",)

settings.register_profile("retrocypher", deadline=None)
settings.load_profile("retrocypher")
