"""What a session shows in the terminal and reports to CI: header, progress, closing lines."""

import logging
import os
import re
import shlex
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console, RenderableType

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.clusters import clusters_of
from retrocypher.plugins.analysis.gate import Gate
from retrocypher.plugins.analysis.group import RunningMean
from retrocypher.plugins.analysis.summary import Summary
from retrocypher.plugins.formatting.text import counted, duration, safe, usd
from retrocypher.plugins.reporting.numbers import score_name, three_digits
from retrocypher.plugins.reporting.run_tables import WIDTH, render_ledger, render_table
from retrocypher.plugins.runs.files import ALLURE
from retrocypher.plugins.runs.record import HEADLINE, JUDGE_STAGE
from retrocypher.plugins.session.gate import run_scores
from retrocypher.plugins.session.manifest import RunGraph
from retrocypher.plugins.session.plan import Plan, answers_line
from retrocypher.plugins.session.side_plans import answer_lines, judge_lines, loop_lines
from retrocypher.plugins.session.state import RunState
from retrocypher.prompts.models.endpoint import NOT_ASKED

_logger = logging.getLogger(__name__)

MANY = 20
_MOST_GROUPS = 3
_NUMBER = re.compile(r"\d+")


def closing_lines(state: RunState, reporter: pytest.TerminalReporter) -> Iterator[str]:
    """Yield the closing table and where the run lies, drawn for a terminal."""
    if failure := state.failure:
        yield (
            f"incomplete: {failure}. The records that are there are whole: make room, then repeat the "
            "command to resume this run"
        )
    if state.summary.cases == 0 and not state.crashed:
        yield "no case was run: nothing is kept (-k and -m choose among the questions of --sample)"
        return
    plan = state.plan
    models, loops = [model.label for model in plan.models], list(plan.loops.loops)
    clusters = clusters_of(plan.questions)
    yield from _drawn(render_table(state.summary, {}, models, loops, clusters, plan.headline), reporter)
    if plan.options.ledger:
        yield ""
        if plan.loops.active:
            ledger = state.ledger.entries(models, loops)
            yield from _drawn(render_ledger(ledger, state.unpriced), reporter)
        else:
            yield "ledger: no loop was run; name one with --loop"
    if state.gate is not None and state.plan.passes_below and state.summary.failed:
        yield (
            f"below: {counted(state.summary.failed, 'case')} under the threshold; the gate decides "
            "(--gate-cases fail makes each a failure)"
        )
    elif state.summary.failed > MANY:
        yield f"{state.summary.failed:,} cases are under the threshold; the run's files have the details"
    if said := answers_line(state.usage, plan.answers, plan.replay is not None):
        yield said
    waited = state.standstill
    if waited.queries:
        yield (
            f"runaway queries rerun alone: {waited.queries:,}; all others waited {waited.seconds:.0f} s "
            "for them (a shorter --query-timeout reduces that)"
        )
    if state.resumed is not None:
        yield state.resumed.closing()
    yield from _incomplete(state)
    yield from gate_lines(state)
    yield f"records: {state.path}"
    yield from _next_commands(state)


def _next_commands(state: RunState) -> Iterator[str]:
    """Yield commands that show more of the run, to be pasted into a shell."""
    run = shlex.quote(str(state.path))
    yield f"HTML report: retrocypher report {run}"
    if state.case_to_show:
        yield f"one case: retrocypher show {run} {shlex.quote(state.case_to_show)}"
    if (state.path / ALLURE).is_dir():
        yield f"Allure report: retrocypher allure {run} --html"


def gate_lines(state: RunState) -> Iterator[str]:
    """Yield what became of the gate; nothing without one."""
    if state.gate is not None:
        from retrocypher.plugins.reporting.text import gate_lines

        yield from gate_lines(state.gate)


def _incomplete(state: RunState) -> Iterator[str]:
    if state.stop is not None:
        yield f"stopped: {safe(state.stop.message)}"
    for fault, messages in state.faults.items():
        lacking = "a judgement" if fault.startswith(f"{JUDGE_STAGE} ") else "a score"
        yield from _grouped(messages, f"without {lacking}: {fault}")
    for fault, messages in state.answer_faults.items():
        yield from _grouped(messages, f"with scores, but without a whole answer: {fault}")
    if state.faults or state.answer_faults:
        yield "remedy: remove the cause, then repeat the command; it asks only what is missing"
    yield from _grouped([*state.crashed.values()], "crashed with the worker or in the harness")
    if state.summary.cases + len(state.crashed) < state.selected:
        yield f"incomplete: {state.summary.cases:,} of {counted(state.selected, 'case')} were run"


def _grouped(messages: Sequence[str], what: str) -> Iterator[str]:
    """Yield a line for each message of some errors, the most frequent first.

    Messages that differ in numbers only are one.
    """
    groups: dict[str, list[str]] = {}
    for message in (each.removeprefix(NOT_ASKED) for each in messages):
        groups.setdefault(_NUMBER.sub("", message), []).append(message)
    ordered = sorted(groups.values(), key=len, reverse=True)
    for group in ordered[:_MOST_GROUPS]:
        yield f"incomplete: {counted(len(group), 'case')} {what}: {safe(group[0])}"
    if more := sum(map(len, ordered[_MOST_GROUPS:])):
        yield f"incomplete: {counted(more, 'case')} {what}, with other messages (see the records)"


def _drawn(what: RenderableType, reporter: pytest.TerminalReporter) -> Iterator[str]:
    terminal = reporter._tw
    text = StringIO()
    console = Console(
        file=text, width=max(terminal.fullwidth, WIDTH), force_terminal=terminal.hasmarkup, highlight=False
    )
    console.print(what)
    yield from text.getvalue().rstrip().splitlines()


def suppress_tracebacks(config: pytest.Config, summary: Summary) -> None:
    """Leave the tracebacks of many failed cases to the report, unless the user asked for them."""
    if summary.failed + summary.infrastructure_errors <= MANY:
        return
    if config.option.tbstyle == "auto":
        config.option.tbstyle = "no"
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is not None and config.option.reportchars == _DEFAULT_REPORTCHARS:
        reporter.reportchars = ""


_DEFAULT_REPORTCHARS = "fE"


def colour_by_status(config: pytest.Config, status: int) -> None:
    """Have pytest's last line green where the status is 0, and else red, whatever the cases were."""
    reporter: Any = config.pluginmanager.getplugin("terminalreporter")
    if reporter is not None:
        # pytest has no other way: its colours follow from the outcomes of tests.
        reporter._determine_main_color = lambda _: "red" if status else "green"


def header_lines(plan: Plan, graph: RunGraph, gate: Gate | None, answers: int, run: Path) -> Iterator[str]:
    """Yield the lines that say what is being measured."""
    models = ", ".join(model.label for model in plan.models)
    paraphrases = "" if plan.paraphrases == (1,) else f"paraphrases {', '.join(map(str, plan.paraphrases))}, "
    paraphrases += f"{plan.options.repeat} repeats, " if plan.options.repeat > 1 else ""
    of_set = "" if plan.suite else f" ({plan.options.prompt_set})"
    prompts, shots = f"{', '.join(plan.prompts)}{of_set}", ", ".join(plan.shots)
    yield from graph.lines()
    yield f"model: {models}"
    yield (
        f"questions: {len(plan.questions):,} of {len(plan.question_set.questions):,}, "
        f"{paraphrases}prompts {prompts}, shots {shots}: {counted(plan.case_count(), 'case')}"
    )
    if greedy := greedy_models(plan):
        yield f"repeats: {greedy} has temperature 0, so each repeat gives the same; set --temperature"
    if plan.addendum:
        yield "addendum: the graph cannot answer some questions, and every message says how to say so"
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


def workers_note(workers: int, cores: int) -> str:
    """Return what to say of workers that are more than twice as many as the cores; empty for fewer."""
    if workers <= 2 * cores:
        return ""
    return (
        f"{workers} workers on {counted(cores, 'core')}: so many take longer to start and are no faster; "
        "use -n auto. How many model calls are in flight depends on --concurrency only"
    )


def greedy_models(plan: Plan) -> str:
    """Return the models that decode greedily although their cases are repeated; empty if there is none."""
    if plan.options.repeat < 2 or plan.options.temperature:
        return ""
    return ", ".join(spec.label for spec in plan.models if spec.kind in ("local", "gguf"))


INCOMPLETE = 16
_KEPT = frozenset(
    {
        pytest.ExitCode.INTERRUPTED,
        pytest.ExitCode.INTERNAL_ERROR,
        pytest.ExitCode.USAGE_ERROR,
        pytest.ExitCode.NO_TESTS_COLLECTED,
    }
)


def exit_status(
    given: int,
    unscored: bool,
    missing_judgements: bool = False,
    gate: int | None = None,
    other_test_failed: bool = False,
) -> int:
    """Return the exit status: 16 for an incomplete run, but pytest's own 2 to 5 stay.

    Args:
        unscored: Whether a case has no scores, or crashed.
        missing_judgements: Whether a judgement or a written answer is missing. A gate decides itself
            whether it needs them.
        gate: The status of the gate; None without one. It decides, however many cases failed.
        other_test_failed: Whether a test failed that is no case, of which no gate knows.
    """
    if given in _KEPT:
        return int(given)
    if unscored or (missing_judgements and gate is None):
        return INCOMPLETE
    if gate is None:
        return int(given)
    return max(gate, int(other_test_failed))


_WINDOW_S = 120.0
_FEWEST_TIMED = 20


class Rate:
    """The rate of the last two minutes, or of the last 20 cases if these took longer.

    A rate over the whole run would reflect its start, and one over a few cases chance.
    """

    def __init__(self) -> None:
        self._ends: deque[float] = deque()

    def add(self, now: float) -> None:
        """Count a case that ended at a time of a monotonic clock."""
        self._ends.append(now)
        while len(self._ends) > _FEWEST_TIMED + 1 and now - self._ends[1] >= _WINDOW_S:
            self._ends.popleft()

    @property
    def a_second(self) -> float | None:
        """Cases that end in a second; None as long as there is nothing to tell it from."""
        if len(self._ends) < 2 or (span := self._ends[-1] - self._ends[0]) <= 0:
            return None
        return (len(self._ends) - 1) / span


_STEPS = 20
_FEWEST = 50
_LONGEST_S = 60.0


class Progress:
    """Logs a line each twentieth of the way (of 50 cases or more), each minute, and at the end.

    Workers and CI services garble anything that is written over, so lines follow one another.

    Args:
        cost: Returns the cost so far in USD; None if no price is known.
        clock: Returns seconds of a monotonic clock.
        calls: Gives what to say of the calls of models.
        headline: The score whose mean is shown.
    """

    def __init__(
        self,
        cost: Callable[[], float | None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        calls: Callable[[], Iterable[str]] = tuple,
        headline: str = HEADLINE,
    ) -> None:
        self._name = f"mean {score_name(headline)}"
        self._cost = cost
        self._calls = calls
        self._clock = clock
        self._mean = RunningMean()
        self._rate = Rate()
        self._errors = 0
        self._shown = 0
        self._shown_at: float | None = None

    def take_over(self, score: float | None) -> None:
        """Count a case of an earlier session, which does not enter the rate; None has no score."""
        self._count(score)
        self._shown += 1

    def add(self, score: float | None, total: int) -> None:
        """Count a case that ended now; None has no score."""
        now = self._clock()
        self._count(score)
        self._rate.add(now)
        if self._shown_at is None:
            self._shown_at = now
        done = self._mean.count + self._errors
        late = now - self._shown_at >= _LONGEST_S
        if late or done - self._shown >= max(total / _STEPS, _FEWEST) or done == total:
            self._shown, self._shown_at = done, now
            _logger.info(", ".join(self._parts(done, total)))

    def _count(self, score: float | None) -> None:
        if score is None:
            self._errors += 1
        else:
            self._mean.add(score)

    def _parts(self, done: int, total: int) -> Iterator[str]:
        yield f"{done:,} of {counted(total, 'case')}"
        yield f"{self._name} {three_digits(self._mean.mean)}"
        if self._errors:
            yield counted(self._errors, "infrastructure error")
        if (rate := self._rate.a_second) is not None:
            yield f"{rate:.1f} cases/s" if rate >= 1 else f"{60 * rate:.1f} cases/min"
            if done < total:
                yield f"{duration((total - done) / rate)} left"
        if (cost := self._cost()) is not None:
            yield f"{usd(cost)} so far"
        if done < total:
            yield from self._calls()


def publish(config: pytest.Config, state: RunState) -> None:
    """Write what a JUnit file and the summary of a GitHub job say of a run, if there are any.

    A failure here is reported and changes nothing: the verdict has been given.
    """
    if not state.summary.cases:
        return
    from retrocypher.plugins.reporting.ci import (
        Facts,
        add_junit_properties,
        append_job_summary,
        job_summary,
        job_summary_file,
        writes_junit,
    )

    file = job_summary_file(os.environ)
    if file is None and not writes_junit(config):
        return
    try:
        scores = run_scores(state, 0)
        means = scores.headline_mean(), scores.headline_leaks()
        facts = Facts(state.path, scores.manifest, state.summary, *means, state.gate)
        add_junit_properties(config, facts)
        if file is not None:
            append_job_summary(file, job_summary(facts, os.environ))
    except (OSError, InputError) as error:
        _logger.warning(f"the results of the run cannot be passed to CI: {error}")
