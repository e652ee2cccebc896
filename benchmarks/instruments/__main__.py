"""``python -m retrocypher.benchmarks.instruments NAME``, with the name of a trial."""

import click

from retrocypher.benchmarks.instruments.audit import audit_command
from retrocypher.benchmarks.instruments.confidence import confidence_command
from retrocypher.benchmarks.instruments.evaluator import evaluator_command
from retrocypher.benchmarks.instruments.flights import flights_command
from retrocypher.benchmarks.instruments.intervals import intervals_command
from retrocypher.benchmarks.instruments.known_queries import queries_command
from retrocypher.benchmarks.instruments.labels import labels_command
from retrocypher.benchmarks.instruments.leaks import leaks_command
from retrocypher.benchmarks.instruments.mutants import mutants_command
from retrocypher.benchmarks.instruments.validator import validator_command
from retrocypher.benchmarks.instruments.verification import verification_command
from retrocypher.plugins.cli.main import Commands, progress_on_stderr, run_command


@click.group(cls=Commands)
@click.pass_context
def instruments(context: click.Context) -> None:
    """Measure the project's own instruments on errors and answers whose faults are known."""
    progress_on_stderr(context)


instruments.add_command(audit_command)
instruments.add_command(confidence_command)
instruments.add_command(evaluator_command)
instruments.add_command(flights_command)
instruments.add_command(intervals_command)
instruments.add_command(labels_command)
instruments.add_command(leaks_command)
instruments.add_command(mutants_command)
instruments.add_command(queries_command)
instruments.add_command(validator_command)
instruments.add_command(verification_command)

if __name__ == "__main__":
    run_command(instruments)
