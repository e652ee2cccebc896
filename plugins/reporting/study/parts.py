"""The parts of a study: each figure or table of a paper with its numbers, and what is missing."""

import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from retrocypher.kg.questions.question import TASKS, setting_of
from retrocypher.plugins.analysis.study import Study, StudyCase, questions_of
from retrocypher.plugins.reporting.figure_tables import Row
from retrocypher.plugins.reporting.study.paper import Caption
from retrocypher.plugins.runs.manifest import Manifest, ModelEntry
from retrocypher.plugins.runs.record import NO_LOOP, JsonValue
from retrocypher.prompts.models.spec import TEXT_KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A figure or table of the paper, of one model or of all."""

    caption: Caption
    model: str = ""
    """Label of the model; empty for all."""
    rows: Sequence[Row]
    """Its numbers, for CSV."""
    shown: Sequence[Row] = ()
    """The table as page and LaTeX show it; empty for a figure that is no table."""
    draw: Callable[[], Figure] | None = None
    """Draws it; None for a table."""
    remark: str = ""
    """What is to be said of these runs behind the caption's note."""


@dataclass(frozen=True, slots=True)
class Missing:
    """What cannot be made from the runs."""

    numbers: Sequence[str]
    """The parts that lack it, as the paper names them."""
    model: str
    """Label of the model; empty for all."""
    why: str
    commands: Sequence[str]
    """Make what is missing; empty where no run can."""


def not_from_runs(reasons: Mapping[str, str]) -> Iterator[Missing]:
    """Yield the parts of a paper that no run can show, of which it is known why."""
    for number, why in reasons.items():
        yield Missing([number], "", f"not made from runs ({why})", ())


def missing_cells(
    study: Study,
    number: str,
    model: str,
    prompts: Sequence[str],
    shots: Sequence[str],
    tasks: Sequence[str],
    loop: str = NO_LOOP,
) -> list[Missing]:
    """Return the prompts, shots and tasks of a part that a model has no case of, with the commands for them.

    Args:
        tasks: All of one setting.
    """
    entry = study.models[model]
    known = {
        (case.task, cell.prompt, cell.shot) for cell, cases in study.of(model, loop).items() for case in cases
    }
    of_setting = study.of(model, setting=setting_of(tasks[0])).values()
    asked = dict.fromkeys(case.task for cases in of_setting for case in cases)
    asked_shots = [shot for shot in shots if shot != "ZS" or entry.kind != "exemplar"]
    tasks_by_gap: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for task in dict.fromkeys((*tasks, *asked)):
        gap: dict[str, str] = {}
        for shot in asked_shots:
            lacking = ",".join(prompt for prompt in prompts if (task, prompt, shot) not in known)
            gap[lacking] = f"{gap[lacking]},{shot}" if lacking in gap else shot
        tasks_by_gap.setdefault(tuple((of, at) for of, at in gap.items() if of), []).append(task)
    of_prompts = [task for task in TASKS if setting_of(task) == setting_of(tasks[0])]
    missing = []
    for cells, of_gap in tasks_by_gap.items():
        if not cells or {*tasks}.isdisjoint(of_gap):
            continue
        named = "; ".join(f"{of} with {at}" for of, at in cells).replace(",", ", ")
        of_loop = "" if loop == NO_LOOP else f" and the loop {loop}"
        some = [] if {*asked} <= {*of_gap} else [task for task in of_gap if task in tasks]
        of_tasks = f" for {', '.join(some)}" if some else ""
        commands = [
            run_command(study, entry, f"--prompt {of} --shot {at}", some or of_prompts, loop, some)
            for of, at in cells
        ]
        missing.append(Missing([number], model, f"no case of {named}{of_loop}{of_tasks}", commands))
    return missing


_OF_LOOPS = ("validator", "loop_model", "guidelines", "fallback_hops")
_NOT_CARRIED = {"model", "prompt", "shot", "loop", "replay", "shard", *_OF_LOOPS}


def _common(manifests: Sequence[Manifest]) -> dict[str, JsonValue]:
    """Return the options that all of some manifests have alike."""
    first = manifests[0].options if manifests else {}
    return {
        name: value
        for name, value in first.items()
        # A replay has no graph; the command is for a run.
        if (name, value) != ("graph", "none") and all(each.options.get(name) == value for each in manifests)
    }


def run_command(
    study: Study,
    model: ModelEntry,
    options: str,
    asked: Collection[str],
    loop: str = NO_LOOP,
    tasks: Sequence[str] = (),
) -> str:
    """Return the command that runs cases as those of a model were run.

    Args:
        asked: The tasks of the questions that it asks.
        tasks: Instead of those of the runs; empty for these.
    """
    manifests = [log.manifest for log in study.logs_of(model.label)]
    looped = [each for each in manifests if {*each.loops.names} - {NO_LOOP}]
    given = {name: value for name, value in _common(manifests).items() if name not in _NOT_CARRIED}
    if loop != NO_LOOP:
        given |= {name: value for name, value in _common(looped).items() if name in _OF_LOOPS}
        if model.kind not in TEXT_KINDS:
            given["loop_model"] = given.get("loop_model") or "SPEC"
    if tasks:
        given["task"] = [*tasks]
    # A sample is of all questions that a run asks; so many of the tasks asked here, it had of these.
    if samples := [int(each.options["sample"]) for each in manifests if each.options.get("sample")]:
        logs = study.logs_of(model.label)
        logs = [log for log in logs if loop in log.manifest.loops.names] or logs
        listed = [each for log in logs for each in questions_of(log).values()]
        given["sample"] = len({each.id for each in listed if each.task in asked}) or max(samples)
    spec = model.argument if model.kind == "openai" else ":".join(filter(None, (model.kind, model.argument)))
    named = spec if spec in ("", model.label) else f"{model.label}={spec}"
    of_loop = [] if loop == NO_LOOP else [f"--loop {loop}"]
    words = [f"--model {shlex.quote(named)} {options}", *of_loop, *map(shlex.quote, study.words_of(given))]
    return f"pytest benchmarks {' '.join(words)}"


def other_questions(groups: Iterable[Iterable[StudyCase]]) -> str:
    """Return a remark if groups of cases have different questions; empty if all have the same."""
    asked = {frozenset(case.question_id for case in cases) for cases in groups}
    return (
        "Some rows or boxes have other questions than others, so a difference may come from the questions "
        "(a sample, runs of some tasks, or cases that could not be run)."
        if len(asked - {frozenset()}) > 1
        else ""
    )


def together(missing: Sequence[Missing]) -> list[Missing]:
    """Return what is missing, once for all parts that lack the same."""
    found: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for each in missing:
        found.setdefault((each.model, each.why, tuple(each.commands)), []).extend(each.numbers)
    return [Missing(numbers, *key) for key, numbers in found.items()]
