"""What a run says when it is over."""

import shlex
from collections.abc import Iterator
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console, RenderableType

from plugins.ledger import render_ledger
from plugins.records import JUDGE_STAGE, unpriced_players
from plugins.session._answers import answers_line
from plugins.summary import Summary, in_order, render_table
from plugins.terminal import counted, safe

if TYPE_CHECKING:
    from plugins.session._controller import Controller

MANY = 20


def closing_lines(controller: "Controller", reporter: pytest.TerminalReporter) -> Iterator[str]:
    """Yield the closing table and where the run lies.

    Args:
        controller: The controller of the run.
        reporter: The terminal it is written to, for its width and whether it has colour.
    """
    if failure := controller.writer.failure:
        yield (
            f"incomplete: {failure}. The records that are there are whole: make room, and give the same "
            "command again to go on with this run"
        )
    if controller.summary.cases == 0 and not controller.lost:
        yield "no case was run: nothing is kept (-k and -m choose among the questions of --sample)"
        return
    plan = controller.plan
    models, loops = [model.label for model in plan.models], list(plan.loops.loops)
    yield from _drawn(render_table(controller.summary.to_json(), {}, models, loops), reporter)
    if plan.options.ledger:
        yield ""
        if plan.loops.active:
            ledger = in_order(controller.ledger, models, loops)
            unpriced = unpriced_players(plan.loops.to_json()["players"], plan.prices)
            yield from _drawn(render_ledger(ledger, unpriced), reporter)
        else:
            yield "ledger: no loop was run; name one with --loop"
    if controller.summary.failed > MANY:
        yield f"{controller.summary.failed:,} cases are under the threshold; the run's files have the details"
    if said := answers_line(controller.answers, controller.plan.answers, controller.plan.replay is not None):
        yield said
    waited = controller.standstill()
    if waited.queries:
        yield (
            f"runaway queries run once more, alone: {waited.queries:,}; all others waited "
            f"{waited.seconds:.0f} s for them (a shorter --query-timeout makes that less)"
        )
    if controller.earlier is not None:
        yield controller.earlier.closing()
    yield from _incomplete(controller)
    yield from gate_said(controller)
    yield f"records: {controller.run.path}"
    if controller.allure_path.is_dir():
        yield f"Allure report: retrocypher allure {shlex.quote(str(controller.run.path))} --html"


def gate_said(controller: "Controller") -> Iterator[str]:
    """Yield what became of the gate; nothing without one."""
    if controller.gate is not None:
        from plugins.gate import gate_lines

        yield from gate_lines(controller.gate)


def _incomplete(controller: "Controller") -> Iterator[str]:
    for fault, messages in controller.faults.items():
        lacking = "a judgement" if fault.startswith(f"{JUDGE_STAGE} ") else "a score"
        cases = counted(len(messages), "case")
        yield f"incomplete: {cases} without {lacking}: {fault}: {safe(messages[0])}"
    for fault, messages in controller.answer_faults.items():
        cases = counted(len(messages), "case")
        yield f"incomplete: {cases} with scores, but without a whole answer: {fault}: {safe(messages[0])}"
    if controller.lost:
        lost = counted(len(controller.lost), "case")
        yield f"incomplete: {lost} broke off with their worker or in the harness"
    if controller.summary.cases + len(controller.lost) < controller.selected:
        yield f"incomplete: {controller.summary.cases:,} of {counted(controller.selected, 'case')} were run"


def _drawn(what: RenderableType, reporter: pytest.TerminalReporter) -> Iterator[str]:
    terminal = reporter._tw
    text = StringIO()
    console = Console(
        file=text, width=max(terminal.fullwidth, 100), force_terminal=terminal.hasmarkup, highlight=False
    )
    console.print(what)
    yield from text.getvalue().rstrip().splitlines()


def quieten(config: pytest.Config, summary: Summary) -> None:
    """Leave the tracebacks of many failed cases to the report, unless the user asked for them."""
    if summary.failed + summary.infrastructure_errors <= MANY:
        return
    if config.option.tbstyle == "auto":
        config.option.tbstyle = "no"
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is not None and config.option.reportchars == _DEFAULT_REPORTCHARS:
        reporter.reportchars = ""


_DEFAULT_REPORTCHARS = "fE"
