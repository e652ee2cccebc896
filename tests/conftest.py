"""Loads what tests of a pytest plugin need, and makes property tests the same on every machine."""

from collections.abc import Iterator

# Pytester forgets what was imported within a test, and these cannot be imported twice.
import numpy.fft  # noqa: F401
import pytest
import scipy.special  # noqa: F401
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from retrocypher.kg.offline import is_offline
from retrocypher.plugins.formatting.progress import show_progress

pytest_plugins = ("pytester",)

# A busy machine must not fail a property, and a CI job must not have other settings than a desk.
_WITHOUT_CLOCK = settings(
    settings.get_profile("default"),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.register_profile("test", _WITHOUT_CLOCK, derandomize=True)
settings.register_profile("fuzz", _WITHOUT_CLOCK, max_examples=1_000)
settings.register_profile("fuzz-fixed", _WITHOUT_CLOCK, max_examples=200, derandomize=True)
settings.load_profile("test")


# Last, so that it sees the profile that the command line names.
@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    """Keep constants of the project's modules out of derandomized examples.

    Hypothesis collects them from the modules that happen to be loaded, which differ with the order of tests.
    """
    if settings.default.derandomize:
        providers.is_local_module_file = lambda path: False


@pytest.fixture(autouse=True)
def _network_left_on() -> Iterator[None]:
    """A test that refuses the network in this process refuses it to all that follow."""
    yield
    assert not is_offline()


@pytest.fixture
def logged() -> Iterator[list[str]]:
    """The progress messages that a test has the suite log."""
    messages: list[str] = []
    end = show_progress(messages.append)
    yield messages
    end()
