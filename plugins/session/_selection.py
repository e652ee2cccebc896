"""Whether a session names the benchmark, and which of its folders are collected."""

from pathlib import Path

import pytest

from kg.questions import Setting

_CASES = Path(__file__).parents[2] / "benchmarks"
_SPEED = _CASES / "speed"
_FILES: dict[Path, Setting] = {
    _CASES / "test_single_step.py": "single_step",
    _CASES / "test_multi_step.py": "multi_step",
}
_NO_RUN = ("help", "version", "markers", "showfixtures", "show_fixtures_per_test")


def named_settings(config: pytest.Config) -> set[Setting]:
    """Return the settings whose cases the arguments of a session reach; none where no case is to be run.

    The speed benchmarks, and the project's own tests, are not cases.
    """
    if any(getattr(config.option, name, None) for name in _NO_RUN):
        return set()
    named = _paths(config)
    return {setting for file, setting in _FILES.items() if any(file.is_relative_to(path) for path in named)}


def is_unasked_speed(config: pytest.Config, path: Path) -> bool:
    """Tell whether a path belongs to the speed benchmarks, which are collected only when named."""
    return path.is_relative_to(_SPEED) and not any(named.is_relative_to(_SPEED) for named in _paths(config))


def is_case(nodeid: str) -> bool:
    """Tell whether a node id is that of a benchmark case, whatever folder it is told from."""
    return any(f"{file.name}::{file.stem}[" in nodeid for file in _FILES)


def _paths(config: pytest.Config) -> list[Path]:
    start = config.invocation_params.dir
    return [(start / argument.partition("::")[0]).resolve() for argument in config.args]
