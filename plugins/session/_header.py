"""What the terminal's header says of a run."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.session._answer_plan import answer_lines
from plugins.session._graph import RunGraph
from plugins.session._judging import judge_lines
from plugins.session._loop_plan import loop_lines
from plugins.session._plan import Plan
from plugins.terminal import counted

if TYPE_CHECKING:
    from plugins.gate import Gate


def header_lines(plan: Plan, graph: RunGraph, gate: "Gate | None", answers: int, run: Path) -> Iterator[str]:
    """Yield the lines that say what is being measured.

    Args:
        plan: The resolved plan.
        graph: The graph it asks.
        gate: What decides the exit status; None without a rule.
        answers: How many answers the cache has.
        run: The run directory.
    """
    models = ", ".join(model.label for model in plan.models)
    wordings = "" if plan.phrasings == (1,) else f"wordings {', '.join(map(str, plan.phrasings))}, "
    prompts, shots = ", ".join(plan.prompts), ", ".join(plan.shots)
    yield from graph.lines()
    yield f"model: {models}"
    yield (
        f"questions: {len(plan.questions):,} of {len(plan.question_set.questions):,}, "
        f"{wordings}prompts {prompts}, shots {shots}: {counted(plan.case_count(), 'case')}"
    )
    if plan.shard:
        yield f"{plan.shard}: all of them have {counted(plan.cases_for(plan.whole), 'case')}"
    yield from loop_lines(plan.loops)
    yield from answer_lines(plan.answering, plan.options)
    yield from judge_lines(plan.judge, plan.options)
    if plan.answers:
        yield f"answers: kept in {plan.answers}, {answers:,} there"
    if gate:
        yield f"gate: {gate}"
    if plan.options.offline:
        yield "offline: connections to other machines are refused"
    yield f"run: {run}"
