"""Whether a session names the benchmark, and which of its folders are collected."""

from pathlib import Path

import pytest

_CASES = "benchmarks"
_SPEED = "speed"


def names_cases(config: pytest.Config) -> bool:
    """Tell whether the arguments of a session reach the benchmark's cases.

    The speed benchmarks, and the project's own tests, are not cases.
    """
    cases = config.rootpath / _CASES
    return any(
        path == cases or path in cases.parents or (path.parent == cases and path.suffix == ".py")
        for path in _paths(config)
    )


def is_unasked_speed(config: pytest.Config, path: Path) -> bool:
    """Tell whether a path belongs to the speed benchmarks, which are collected only when named."""
    speed = config.rootpath / _CASES / _SPEED
    return path.is_relative_to(speed) and not any(named.is_relative_to(speed) for named in _paths(config))


def _paths(config: pytest.Config) -> list[Path]:
    return [
        (config.invocation_params.dir / argument.partition("::")[0]).resolve() for argument in config.args
    ]
