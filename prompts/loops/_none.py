"""No loop: the first answer counts."""

from dataclasses import dataclass

from prompts.loops._interface import LoopCase, LoopResult, LoopTools


@dataclass(frozen=True, slots=True)
class NoLoop:
    """Takes the first answer as it is."""

    name: str = "none"
    needs_model: bool = False
    validates: bool = False

    def run(self, case: LoopCase, tools: LoopTools) -> LoopResult:
        """Return the query of the first answer."""
        return LoopResult(case.cypher)
