"""The gate of a run: checked before anything is paid for, judged when the cases are done."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kg.errors import InputError
from kg.questions import Setting
from plugins.judge import judge_facts
from plugins.session._declared import dest
from plugins.session._plan import Plan
from plugins.terminal import counted
from prompts.models import contents_of

if TYPE_CHECKING:
    from plugins.comparison import Side
    from plugins.gate import Gate, GateResult
    from plugins.session._controller import Controller

_ENDED = {pytest.ExitCode.INTERRUPTED: "interrupted", pytest.ExitCode.INTERNAL_ERROR: "broken off"}


def gate_for(plan: Plan, config: pytest.Config, settings: Collection[Setting]) -> "Gate | None":
    """Return the gate of a run; None without a rule.

    Args:
        plan: The resolved plan.
        config: The session's configuration.
        settings: The settings whose test files the session names.

    Raises:
        InputError: If a rule cannot be read, the run is only a part of what is planned, no rule needs the
            baseline of the command line, the baseline is not there or is of other questions, another graph
            or other scoring options, or a rule is about a judge that was not calibrated well enough.
    """
    options = plan.options
    # One of pyproject.toml stands there for all runs; one of the command line is for this run.
    standing = config.getoption(dest("baseline")) is None
    if not options.gate and (standing or options.baseline is None):
        return None
    from plugins.gate import gate_of, idle_baseline

    if not options.gate:
        raise idle_baseline(str(options.baseline), "")

    gate = gate_of(
        options.gate,
        options.baseline,
        config.rootpath,
        allow_inconclusive=options.gate_allow_inconclusive,
        partial=options.gate_partial,
        standing=standing,
        judge_kappa=options.gate_judge_kappa,
    )
    if gate.asks_a_judge and (reason := gate.distrusts(_judge(plan))):
        raise InputError(reason)
    cut = next(_cuts(plan, config, settings), None)
    if cut is not None and not gate.partial:
        raise InputError(
            f"{cut} runs a part of the cases, which a gate does not judge; leave out one of the two, or "
            "have the part judged with --gate-partial"
        )
    if gate.baseline is not None:
        from plugins.session._planned_side import planned_side, require_pairs

        require_pairs(gate, planned_side(plan))
    return gate


def _judge(plan: Plan) -> dict[str, Any] | None:
    """Return what the manifest will say of the judge."""
    if plan.judge is None:
        return None
    spec = plan.judge.spec
    return judge_facts(spec, plan.judge.criteria, contents_of([spec]))


def side_of(controller: "Controller", status: int) -> "Side":
    """Return the scores of a run whose cases are done.

    Args:
        controller: The controller of the run.
        status: What pytest would exit with.
    """
    from plugins.comparison import read_run

    errors, lost = controller.summary.infrastructure_errors, len(controller.lost)
    missing = [f"{errors:,} with an infrastructure error"] if errors else []
    missing += [f"{lost:,} broke off"] if lost else []
    missing += [_ENDED[pytest.ExitCode(status)]] if status in _ENDED else []
    cases, planned = controller.summary.cases, controller.plan.case_count()
    options = controller.plan.options
    parts = [f"a sample of {counted(options.sample, 'question')}"] if options.sample else []
    parts += [f"shard {options.shard}"] if options.shard else []
    parts += [f"{cases:,} of {counted(planned, 'planned case')}"] if cases < planned else []
    # The manifest does not tell yet how the run ended.
    return replace(read_run(controller.run.path), incomplete="; ".join(missing), part="; ".join(parts))


def judged(gate: "Gate", controller: "Controller", status: int) -> "GateResult":
    """Return what becomes of a gate; a run that cannot be read back is refused.

    Args:
        gate: The gate.
        controller: The controller of the run.
        status: What pytest would exit with.
    """
    from plugins.gate import GateResult, GateVerdict

    try:
        return gate.judge(side_of(controller, status))
    except InputError as error:
        return GateResult(GateVerdict.REFUSED, str(error))


def _cuts(plan: Plan, config: pytest.Config, settings: Collection[Setting]) -> Iterator[str]:
    """Yield what is known beforehand to leave out some of the planned cases."""
    options: Any = config.option
    if plan.options.sample:
        yield f"--sample {plan.options.sample}"
    if plan.options.shard:
        yield f"--shard {plan.options.shard}"
    if options.keyword:
        yield f"-k {options.keyword}"
    if options.markexpr:
        yield f"-m {options.markexpr}"
    if options.deselect:
        yield f"--deselect {options.deselect[0]}"
    if not {question.setting for question in plan.questions} <= set(settings):
        yield " ".join(Path(each).name for each in config.args) or "what is named"
    if named := next((each for each in config.args if "::" in each), None):
        yield named
