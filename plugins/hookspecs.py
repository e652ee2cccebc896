"""The hook through which a user brings loops of their own."""

from collections.abc import Iterable

import pytest

from retrocypher.prompts.loops.interface import Loop


@pytest.hookspec
def pytest_retrocypher_loops(config: pytest.Config) -> Iterable[Loop] | None:
    """Return loops of your own, which ``--loop`` then knows by their names.

    A loop is any object with ``name``, ``needs_model`` and ``run(case, tools)``; no two have the same name.
    See the example in docs/errors-and-loops.md.
    """
