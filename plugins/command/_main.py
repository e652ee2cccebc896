"""The ``retrocypher`` command."""

import os
import sys
from typing import Any

import click

from kg.errors import RetroCypherError
from kg.secrets import secrets_of
from plugins.command._later import Later
from plugins.command._named_near import NamedNear

# As shells say of what SIGINT has ended.
_INTERRUPTED = 130


class Commands(NamedNear):
    """Groups whose commands end with a status of their own at Ctrl-C: 1 would say that a gate fails."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that is meant."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(_INTERRUPTED)


@click.group(cls=Commands)
@click.version_option(package_name="retrocypher")
def cli() -> None:
    """Measure how well a language model turns chemists' questions into Cypher."""


@cli.group()
def graph() -> None:
    """Build the reaction graph, and run a Neo4j that holds it."""


@cli.group()
def questions() -> None:
    """Build question sets."""


@cli.group()
def vectors() -> None:
    """Compute the vectors that choose exemplars without the encoder."""


@cli.group()
def passages() -> None:
    """Look after the patents' passages that written answers may draw on."""


@cli.group()
def labels() -> None:
    """List the error labels."""


@cli.group()
def bank() -> None:
    """Build the bank of known errors, and show what it holds."""


@cli.group()
def cache() -> None:
    """Look after the answers that models gave, which no run asks for twice."""


@cli.group()
def baseline() -> None:
    """Keep runs that later ones are measured against."""


graph.add_command(Later("build", "_graph_build:build_command"))
graph.add_command(Later("up", "_graph_server:up_command"))
graph.add_command(Later("status", "_graph_server:status_command"))
graph.add_command(Later("load", "_graph_server:load_command"))
graph.add_command(Later("down", "_graph_server:down_command"))
questions.add_command(Later("build", "_questions:questions_build_command"))
vectors.add_command(Later("build", "_vectors:vectors_build_command"))
passages.add_command(Later("build", "_passages:passages_build_command"))
labels.add_command(Later("list", "_labels:labels_list_command"))
bank.add_command(Later("build", "_bank:bank_build_command"))
bank.add_command(Later("show", "_bank:bank_show_command"))
bank.add_command(Later("sample", "_bank:bank_sample_command"))
cache.add_command(Later("stats", "_cache:cache_stats_command"))
cache.add_command(Later("prune", "_cache:cache_prune_command"))
cache.add_command(Later("export", "_cache:cache_export_command"))
cache.add_command(Later("import", "_cache:cache_import_command"))
baseline.add_command(Later("save", "_baseline:baseline_save_command"))
baseline.add_command(Later("list", "_baseline:baseline_list_command"))
baseline.add_command(Later("show", "_baseline:baseline_show_command"))
cli.add_command(Later("allure", "_allure:allure_command", "Write the Allure results of RUN again."))
cli.add_command(Later("check", "_check:check_command", "Say what is wrong with the queries of FILE."))
cli.add_command(Later("compare", "_compare:compare_command", "Compare run B with run A."))
cli.add_command(Later("judge", "_judge:judge_command", "Have a model judge the queries of RUN."))
cli.add_command(Later("merge", "_merge:merge_command", "Join RUNS, the shards of a run, into one."))
cli.add_command(Later("gate", "_gate:gate_command", "Judge RUN by rules."))
cli.add_command(Later("rescore", "_rescore:rescore_command", "Score RUN again from its records."))
cli.add_command(Later("runs", "_runs:runs_command", "List the runs in DIR, the newest first."))
cli.add_command(Later("show", "_show:show_command", "Show CASE of RUN in full."))
cli.add_command(Later("summary", "_summary:summary_command", "Print the table of RUNS together."))
cli.add_command(Later("verify", "_verify:verify_command", "Hold the answers of FILE against the graph."))
cli.add_command(Later("report", "_report:report_command", "Write an HTML page of RUNS."))


def main() -> None:
    """Run the ``retrocypher`` command."""
    run_command(cli)


def run_command(command: click.Group) -> None:
    """Run a command; an error meant for the user is one line on stderr and status 2, as wrong usage is.

    Status 1 is left to `check` and `gate`, where it says that something was found.
    """
    try:
        command(standalone_mode=True)
    except RetroCypherError as error:
        said = secrets_of(os.environ, sys.argv).strike(str(error))
        click.echo(f"error: {said}", err=True)
        sys.exit(2)
