"""Loads what tests of a pytest plugin need, and keeps the clock out of property tests."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from kg.offline import is_offline

pytest_plugins = ("pytester",)

settings.register_profile("retrocypher", deadline=None)
settings.load_profile("retrocypher")


@pytest.fixture(autouse=True)
def _network_left_on() -> Iterator[None]:
    """A test that refuses the network in this process refuses it to all that follow."""
    yield
    assert not is_offline()
