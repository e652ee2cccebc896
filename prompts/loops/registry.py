"""The loops that ``--loop`` knows."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from retrocypher.kg.errors import InputError
from retrocypher.prompts.loops.cove import Cove
from retrocypher.prompts.loops.guarded import Guarded
from retrocypher.prompts.loops.interface import Loop, LoopCase, LoopResult, LoopTools
from retrocypher.prompts.loops.self_review import SelfReview


@dataclass(frozen=True, slots=True)
class NoLoop:
    """The loop ``none``: takes the first completion as it is."""

    name: str = "none"
    needs_model: bool = False
    validates: bool = False

    def run(self, case: LoopCase, tools: LoopTools) -> LoopResult:
        """Return the query of the first completion."""
        return LoopResult(case.cypher)


BUILT_IN: tuple[Loop, ...] = (
    NoLoop(),
    Cove(),
    SelfReview(),
    SelfReview("self-review-control", reviews=False),
    Guarded(),
    Guarded("guarded-limit", limit=100),
)
FORMER_NAMES: Mapping[str, str] = {"review": "self-review"}
"""Deprecated names of loops, each with the present one."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,79}")


def loops_by_name(registered: Iterable[object] = ()) -> Mapping[str, Loop]:
    """Return the built-in loops and those registered by the hook ``pytest_retrocypher_loops``, by name.

    Raises InputError if something registered is no loop or has an unusable name.
    """
    found: dict[str, Loop] = {loop.name: loop for loop in BUILT_IN}
    for loop in registered:
        if not isinstance(loop, Loop):
            raise InputError(
                f"pytest_retrocypher_loops: {loop!r} is no loop; it needs name, needs_model and run "
                "(docs/errors-and-loops.md has an example)"
            )
        if not isinstance(loop.name, str) or not _NAME.fullmatch(loop.name):
            raise InputError(
                f"pytest_retrocypher_loops: the name {loop.name!r} may hold letters, digits, '.', '_', '+' "
                "and '-' only, starting with a letter or digit, at most 80 characters"
            )
        if loop.name in (*found, *FORMER_NAMES):
            raise InputError(f"pytest_retrocypher_loops: there is a loop {loop.name!r} already; rename yours")
        found[loop.name] = loop
    return found
