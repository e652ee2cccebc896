"""The parts of a study: each figure or table of a paper with its numbers, and what is missing."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from retrocypher.plugins.analysis.study import Study
from retrocypher.plugins.reporting.figure_tables import Row
from retrocypher.plugins.runs.manifest import ModelEntry
from retrocypher.plugins.runs.record import NO_LOOP

EXEMPLAR = "exemplar"
"""Kind of the model that cannot answer without an exemplar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A figure or table of the paper, of one model or of all."""

    number: str
    """As the paper names it."""
    file: str
    """Name of its files, without an ending."""
    title: str
    model: str = ""
    """Label of the model; empty for all."""
    rows: Sequence[Row]
    """Its numbers, for CSV."""
    shown: Sequence[Row] = ()
    """The table as page and LaTeX show it; empty for a figure that is no table."""
    draw: Callable[[], Figure] | None = None
    """Draws it; None for a table."""
    note: str = ""


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


def series_name(study: Study, name: str, model: str) -> str:
    """Return the name of a part's files, with the model if there are several."""
    return f"{name}-{model}" if len(study.models) > 1 else name


def missing_cells(
    study: Study,
    number: str,
    model: str,
    prompts: Sequence[str],
    shots: Sequence[str],
    loop: str = NO_LOOP,
) -> list[Missing]:
    """Return the prompts and shots of a part that a model has no case of, with the commands that run them."""
    entry = study.models[model]
    known = {(cell.prompt, cell.shot) for cell in study.of(model, loop)}
    lacking: dict[tuple[str, ...], list[str]] = {}
    for shot in shots:
        if shot == "ZS" and entry.kind == EXEMPLAR:
            continue
        if without := tuple(prompt for prompt in prompts if (prompt, shot) not in known):
            lacking.setdefault(without, []).append(shot)
    if not lacking:
        return []
    named = "; ".join(f"{', '.join(of)} with {', '.join(shots)}" for of, shots in lacking.items())
    of_loop = "" if loop == NO_LOOP else f" and the loop {loop}"
    commands = [
        run_command(study, entry, f"--prompt {','.join(of)} --shot {','.join(shots)}", loop)
        for of, shots in lacking.items()
    ]
    return [Missing([number], model, f"no case of {named}{of_loop}", commands)]


def run_command(study: Study, model: ModelEntry, options: str, loop: str = NO_LOOP) -> str:
    """Return the command that runs cases as those of a study were run."""
    parts = [
        f"pytest benchmarks --model {shlex.quote(model_spec(model))} {options}",
        "" if loop == NO_LOOP else f"--loop {loop}",
        *_selection(study),
    ]
    return " ".join(part for part in parts if part)


def _selection(study: Study) -> Iterator[str]:
    """Yield the options that select questions, where all runs have the same."""
    for name in ("sample", "task"):
        given = [log.manifest.options.get(name) for log in study.logs]
        if given[0] and all(each == given[0] for each in given):
            value = given[0] if isinstance(given[0], list | tuple) else [given[0]]
            yield f"--{name} {','.join(map(str, value))}"


def together(missing: Sequence[Missing]) -> list[Missing]:
    """Return what is missing, once for all parts that lack the same."""
    found: dict[tuple[str, str, tuple[str, ...]], Missing] = {}
    for each in missing:
        key = (each.model, each.why, tuple(each.commands))
        numbers = [*found[key].numbers, *each.numbers] if key in found else each.numbers
        found[key] = Missing(numbers, each.model, each.why, each.commands)
    return list(found.values())


def model_spec(model: ModelEntry) -> str:
    """Return a model as ``--model`` names it."""
    spec = model.argument if model.kind == "openai" else ":".join(filter(None, (model.kind, model.argument)))
    return spec if spec == model.label or not spec else f"{model.label}={spec}"
