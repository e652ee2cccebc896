"""``retrocypher gate``: judges a run by rules."""

import os
from pathlib import Path

import click

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.gate import gate_of
from retrocypher.plugins.analysis.gate_decision import GateResult
from retrocypher.plugins.analysis.run_scores import RunScores, read_scores
from retrocypher.plugins.cli.console import PATH, emit, json_option
from retrocypher.plugins.cli.suite_option import suite_option
from retrocypher.plugins.reporting.text import gate_lines
from retrocypher.plugins.runs.log import RunLog


@click.command("gate")
@click.argument("run", type=PATH)
@click.argument("rules", nargs=-1, required=True, metavar="RULE...")
@suite_option("baseline")
@suite_option("gate_allow_inconclusive")
@suite_option("gate_partial")
@suite_option("gate_judge_kappa")
@json_option
def gate_command(
    run: Path,
    rules: tuple[str, ...],
    baseline: str | None,
    gate_allow_inconclusive: bool,
    gate_partial: bool,
    gate_judge_kappa: float,
    as_json: bool,
) -> None:
    """Judge RUN by RULEs such as "f1>=0.6", "f1 by task>=0.4" or "no-regression f1 margin=0.02".

    Use it for runs that were made without a gate, such as merged shards. The exit status is 0 if all rules
    hold, 1 if a rule fails, 16 if the run is incomplete, and 2 if a rule or a file cannot be used.
    """
    if baseline is not None and Path(baseline).resolve() == run.resolve():
        raise InputError(
            f"--baseline {baseline}: this is the run itself, which cannot lose against itself; name another "
            "run, or a baseline"
        )
    gate = gate_of(
        rules,
        baseline,
        Path.cwd(),
        allow_inconclusive=gate_allow_inconclusive,
        partial=gate_partial,
        judge_kappa=gate_judge_kappa,
    )
    log = RunLog(run)
    scores = read_scores(log)
    result = gate.judge(scores)
    if os.environ.get("GITHUB_STEP_SUMMARY"):
        _append_job_summary(log, scores, result)
    emit(as_json, result, *gate_lines(result))
    click.get_current_context().exit(result.exit_status)


def _append_job_summary(run: RunLog, scores: RunScores, result: GateResult) -> None:
    # Imported late: only GitHub Actions needs a summary, which loads most of the scoring.
    from retrocypher.plugins.analysis.summary import summary_of
    from retrocypher.plugins.reporting.ci import Facts, append_job_summary, job_summary, job_summary_file

    if (file := job_summary_file(os.environ)) is not None:
        means = scores.headline_mean(), scores.headline_leaks()
        facts = Facts(run.path, run.manifest, summary_of(run.records()), *means, result)
        try:
            append_job_summary(file, job_summary(facts, os.environ))
        except OSError as error:
            click.echo(f"the summary of the job cannot be written: {file} ({error.strerror})", err=True)
