"""The loops that ``--loop`` knows."""

import re
from collections.abc import Iterable, Mapping

from kg.errors import InputError
from prompts.loops._cove import Cove
from prompts.loops._guarded import Guarded
from prompts.loops._interface import Loop
from prompts.loops._none import NoLoop
from prompts.loops._review import Review

BUILT_IN: tuple[Loop, ...] = (
    NoLoop(),
    Cove(),
    Review(),
    Guarded(),
    Guarded("guarded-limit", limit=100),
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,79}")


def loops_by_name(registered: Iterable[object] = ()) -> Mapping[str, Loop]:
    """Return the built-in loops and those of a user, by name.

    Args:
        registered: What the hook ``pytest_retrocypher_loops`` brought.

    Raises:
        InputError: Something registered is no loop, or its name is taken or has other characters than
            letters, digits, ``.``, ``_``, ``+`` and ``-``.
    """
    found: dict[str, Loop] = {loop.name: loop for loop in BUILT_IN}
    for loop in registered:
        if not isinstance(loop, Loop):
            raise InputError(
                f"pytest_retrocypher_loops: {loop!r} is no loop; it needs name, needs_model and run "
                "(docs/loops.md has an example)"
            )
        if not isinstance(loop.name, str) or not _NAME.fullmatch(loop.name):
            raise InputError(
                f"pytest_retrocypher_loops: the name {loop.name!r} may hold letters, digits, '.', '_', '+' "
                "and '-' only, starting with a letter or digit, at most 80 characters"
            )
        if loop.name in found:
            raise InputError(f"pytest_retrocypher_loops: there is a loop {loop.name!r} already; rename yours")
        found[loop.name] = loop
    return found
