"""``retrocypher study``: the figures and tables of the papers, from runs."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import click

from retrocypher.kg.errors import InputError, RetroCypherError
from retrocypher.kg.paths import write_whole
from retrocypher.plugins.cli.console import PATH, emit, json_option, print_json
from retrocypher.plugins.formatting.text import counted, usd
from retrocypher.plugins.reporting.study.paper import Paper, ReactionPaper, SelfReviewPaper
from retrocypher.plugins.reporting.study.reaction import reaction_parts
from retrocypher.plugins.reporting.study.self_review import self_review_parts
from retrocypher.plugins.reporting.study.writing import PartsOf, WrittenStudy, write_study
from retrocypher.plugins.runs.parallel import spare_collections
from retrocypher.plugins.runs.record import fields_of
from retrocypher.plugins.session.options import words_of
from retrocypher.plugins.session.study_plan import PlannedRun, plan_runs
from retrocypher.prompts.models.sides import with_any_key

_WORKFLOW = Path("workflow", "Snakefile")
_MILLIONS = 100_000
"""From here on, tokens are given in millions."""


def _command(name: str, about: str, title: str, parts_of: PartsOf, paper: type[Paper]) -> click.Command:
    """Return the command of a paper.

    Args:
        about: Its help.
        title: Heading of the page.
    """

    @click.command(name, help=about)
    @click.argument("runs", nargs=-1, type=PATH)
    @click.option("--out", type=PATH, help="Folder of page, files and runs; not needed with --plan.")
    @click.option("--plan", is_flag=True, help="Print the runs that the study needs, and run nothing.")
    @click.option("--run", is_flag=True, help="Run or resume them, then write the study.")
    @click.option("--model", "models", metavar="SPEC", multiple=True, help="Model to plan or run.")
    @click.option("--options", metavar="TEXT", help="More options of pytest benchmarks.")
    @click.option("--shards", type=click.IntRange(1), default=4, show_default=True, help="Parts of each run.")
    @click.option("--cores", type=click.IntRange(1), default=2, show_default=True, help="Parts run at once.")
    @click.option("--graph", default="local", show_default=True, help="Neo4j of each shard, or a URI.")
    @json_option
    def command(
        runs: tuple[Path, ...],
        out: Path | None,
        plan: bool,
        run: bool,
        models: tuple[str, ...],
        options: str | None,
        shards: int,
        cores: int,
        graph: str,
        as_json: bool,
    ) -> None:
        planned = list[PlannedRun]()
        if plan and run:
            raise InputError("--plan runs nothing; give either --plan or --run")
        if plan or run:
            if runs or not models:
                raise InputError(
                    "--plan and --run need --model SPEC, and take no RUNS: they are made in --out"
                )
            # A plan calls nothing, so it needs no key.
            environment = with_any_key(os.environ) if plan else os.environ
            planned = plan_runs(paper.read().runs, models, options or "", environment)
            if plan:
                _print_plan(planned, as_json)
                return
            if all(each.left_out for each in planned):
                raise InputError(planned[0].left_out)
        elif models:
            raise InputError("--model is for --plan and --run; without these, the models are those of RUNS")
        elif not runs:
            raise InputError("RUNS: none is named; name folders of runs, or make them: --run --model SPEC")
        if out is None:
            raise InputError("the study needs a folder to be written to; name it with --out DIR")
        made = [_run(each, out, shards, cores, graph) for each in planned if not each.left_out]
        spare_collections()
        _emit(write_study([*runs, *made], out, title, parts_of, words_of), as_json)

    return command


def _emit(written: WrittenStudy, as_json: bool) -> None:
    missing = [
        f"missing: {', '.join(each.numbers)}{f' ({each.model})' if each.model else ''}: {each.why}"
        + "".join(f"\n  {command}" for command in each.commands)
        for each in written.missing
    ]
    counts = f"{counted(written.cases, 'case')}, {counted(len(written.files), 'file')}"
    differing = [f"the runs differ in {each}" for each in written.differing]
    if any(each.commands for each in written.missing):
        missing.append("Run one command at a time, then write the study again: commands can overlap.")
    emit(as_json, written, counts, *differing, *missing, f"page: {written.page}")


def _print_plan(planned: Sequence[PlannedRun], as_json: bool) -> None:
    if as_json:
        print_json({"runs": [fields_of(each) | {"command": each.command} for each in planned]})
        return
    for each in planned:
        click.echo(f"{each.name}: {each.left_out or _extent(each)}\n  {each.command}")
    kept = [each for each in planned if not each.left_out]
    costs = [each.usd for each in kept if each.usd is not None]
    summed = (sum(least for least, _ in costs), sum(most for _, most in costs)) if costs else None
    unpriced = dict.fromkeys(name for each in kept for name in each.unpriced)
    cases = counted(sum(each.cases for each in kept), "case")
    click.echo(", ".join([f"together: {cases}", *_cost(summed, unpriced)]))


def _extent(planned: PlannedRun) -> str:
    """Return in words what a run asks and costs; tokens are estimated from the length of texts."""
    cases = counted(planned.cases, "case")
    if not planned.calls[1]:
        return f"{cases}, no call of a model"
    calls = _between(*planned.calls, lambda count: f"{count:,.0f}")
    unit, name = (1_000_000, "million") if planned.tokens[1] >= _MILLIONS else (1_000, "thousand")
    tokens = _between(*planned.tokens, lambda count: f"{count / unit:,.1f}")
    cost = _cost(planned.usd, planned.unpriced)
    return ", ".join([cases, f"{calls} calls", f"about {tokens} {name} tokens", *cost])


def _cost(usd_range: tuple[float, float] | None, unpriced: Iterable[str]) -> Iterator[str]:
    if usd_range is not None:
        yield _between(*usd_range, usd)
    if names := ", ".join(unpriced):
        yield f"{'besides ' if usd_range else ''}calls of {names}, whose list price is not known"


def _between(least: float, most: float, form: Callable[[float], str]) -> str:
    return form(least) if least == most else f"{form(least)} to {form(most)}"


def _run(planned: PlannedRun, out: Path, shards: int, cores: int, graph: str) -> Path:
    """Run or resume one run through the workflow, and return its merged folder."""
    if not _WORKFLOW.is_file():
        raise InputError(f"--run: there is no {_WORKFLOW} here; run it in the checkout")
    if find_spec("snakemake") is None:
        raise InputError("--run: Snakemake is not installed; install the extra [sweep]")
    folder, shards = (out / "runs" / planned.name).absolute(), min(shards, planned.questions)
    about, made = f"{counted(shards, 'part')}: {planned.options}", folder / "options.txt"
    if not made.is_file():
        write_whole(made, about)
    elif (was := made.read_text("utf-8")) != about:
        raise InputError(
            f"{folder} holds a run with other options ({was}); name another folder with --out, or remove it"
        )
    # Completions of the runs before this one need not be paid for again.
    known = out.absolute() / "runs" / "answers.jsonl.gz"
    config = {
        "folder": folder,
        "shards": shards,
        "graph": graph,
        "answers": known if known.is_file() else "",
        "options": planned.options,
    }
    command = [sys.executable, "-m", "snakemake", f"--cores={cores}", f"--snakefile={_WORKFLOW}"]
    # Shards lock their runs themselves. Snakemake's lock would stay behind if it is killed.
    command += ["--nolock", "--rerun-incomplete", "--rerun-triggers=mtime"]
    command += ["--config", *(f"{name}={value}" for name, value in config.items())]
    click.echo(f"{planned.name}: {shlex.join(command)}", err=True)
    with subprocess.Popen(command, stdout=sys.stderr) as process:
        try:
            status = process.wait()
        except KeyboardInterrupt:
            # Snakemake is interrupted, too; it ends when its shards have kept what was paid for.
            process.wait()
            raise
    if status:
        raise RetroCypherError(
            f"{planned.name} is incomplete; {folder / 'logs'} says why. Repeat the command to resume it"
        )
    answers = folder / "answers.jsonl.gz"
    if answers.stat().st_size:
        known.write_bytes(answers.read_bytes())
    return folder / "merged"


study_reaction_command = _command(
    "reaction",
    """Write the figures and tables of the reaction Text2Cypher paper from RUNS.

    Each has the paper's number beside ours where the paper prints one. What cannot be made from RUNS is
    listed with the command that makes it.
    """,
    "Figures and tables of the reaction Text2Cypher paper",
    reaction_parts,
    ReactionPaper,
)
study_self_review_command = _command(
    "self-review",
    "Write figures 3 and 4 of the self-review paper, and a table of results, from judged RUNS.",
    "Figures and tables of the self-review paper",
    self_review_parts,
    SelfReviewPaper,
)
