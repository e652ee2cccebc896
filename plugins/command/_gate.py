"""``retrocypher gate``: a run that has ended, judged by rules."""

import os
from pathlib import Path

import click

from plugins.command._json import json_option, print_json
from plugins.comparison import read_run
from plugins.gate import JUDGE_KAPPA, gate_lines, gate_of
from plugins.publishing import append_job_summary, facts_of, job_summary, job_summary_file
from plugins.records import read_records
from plugins.summary import summarise


@click.command("gate")
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("rules", nargs=-1, required=True, metavar="RULE...")
@click.option("--baseline", help="Name or folder of what no-regression rules are measured against.")
@click.option("--gate-allow-inconclusive", is_flag=True, help="Let no-regression hold where nothing shows.")
@click.option("--gate-partial", is_flag=True, help="Judge a part of a run, or of its baseline.")
@click.option(
    "--gate-judge-kappa",
    type=click.FloatRange(-1, 1),
    default=JUDGE_KAPPA,
    show_default=True,
    help="Least lower end of kappa of a judge's calibration, for rules on its score.",
)
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

    For runs whose gate was not known when they were made, such as merged shards. Exits with 0 where all rules
    hold, 1 where not, 16 where the run is incomplete, and 2 where a rule or a file cannot be used.
    """
    gate = gate_of(
        rules,
        baseline,
        Path.cwd(),
        allow_inconclusive=gate_allow_inconclusive,
        partial=gate_partial,
        judge_kappa=gate_judge_kappa,
    )
    side = read_run(run)
    result = gate.judge(side)
    if (file := job_summary_file(os.environ)) is not None:
        facts = facts_of(run, side, summarise(read_records(run)), result)
        try:
            append_job_summary(file, job_summary(facts, os.environ))
        except OSError as error:
            click.echo(f"the summary of the job cannot be written: {file} ({error.strerror})", err=True)
    if as_json:
        print_json(result.to_json())
    else:
        click.echo("\n".join(gate_lines(result)))
    click.get_current_context().exit(result.exit_status)
