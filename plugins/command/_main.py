"""The ``retrocypher`` command."""

import sys

import click

from kg.errors import RetroCypherError
from plugins.command._bank import (
    bank_build_command,
    bank_sample_command,
    bank_show_command,
    bank_validate_command,
)
from plugins.command._cache import (
    cache_export_command,
    cache_import_command,
    cache_prune_command,
    cache_stats_command,
)
from plugins.command._check import check_command
from plugins.command._graph_build import build_command
from plugins.command._graph_server import down_command, load_command, status_command, up_command
from plugins.command._labels import labels_evaluate_command, labels_list_command
from plugins.command._questions import questions_build_command
from plugins.command._summary import summary_command
from plugins.command._vectors import vectors_build_command


@click.group()
@click.version_option(package_name="retrocypher")
def _cli() -> None:
    """Measure how well a language model turns chemists' questions into Cypher."""


@_cli.group()
def graph() -> None:
    """Build the reaction graph, and run a Neo4j that holds it."""


@_cli.group()
def questions() -> None:
    """Build question sets."""


@_cli.group()
def vectors() -> None:
    """Compute the vectors that choose exemplars without the encoder."""


@_cli.group()
def labels() -> None:
    """List the error labels, and count how well they find planted errors."""


@_cli.group()
def bank() -> None:
    """Build the bank of known errors, and show what it holds."""


@_cli.group()
def cache() -> None:
    """Look after the answers that models gave, which no run asks for twice."""


for _command in (build_command, up_command, status_command, load_command, down_command):
    graph.add_command(_command)
questions.add_command(questions_build_command)
for _command in (bank_build_command, bank_show_command, bank_sample_command, bank_validate_command):
    bank.add_command(_command)
for _command in (labels_list_command, labels_evaluate_command):
    labels.add_command(_command)
for _command in (cache_stats_command, cache_prune_command, cache_export_command, cache_import_command):
    cache.add_command(_command)
vectors.add_command(vectors_build_command)
_cli.add_command(summary_command)
_cli.add_command(check_command)


def main() -> None:
    """Run the command; an error meant for the user is one line on stderr and status 2, as wrong usage is.

    Status 1 is left to `check`, where it says that something was found.
    """
    try:
        _cli(standalone_mode=True)
    except RetroCypherError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
