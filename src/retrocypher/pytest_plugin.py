"""The pytest plugin of RetroCypher: name it in a `conftest.py`, or with `-p retrocypher.pytest_plugin`."""

from retrocypher.plugins.pytest_plugin import *  # noqa: F403

pytest_plugins = ("retrocypher.fixtures.case", "retrocypher.fixtures.resources")
