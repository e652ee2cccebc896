"""The ``retrocypher`` command."""

import difflib
import os
import sys
from importlib import import_module
from typing import Any

import click

from retrocypher.kg.errors import RetroCypherError
from retrocypher.kg.secrets import secrets_of


class NamedNear(click.Group):
    """A group, whose groups are of its kind; newer releases of click name near commands themselves."""

    group_class = type

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant.

        Raises:
            click.UsageError: If there is none of the name; says which are near.
        """
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = difflib.get_close_matches(args[0], self.list_commands(ctx))
            if near and "Did you mean" not in error.message:
                error.message += f" Did you mean {' or '.join(near)}?"
            raise


class Later(click.Command):
    """Stands for a command of this package until it is called.

    Args:
        name: Its name.
        where: Its module in this package, a colon, and its name there.
        short_help: What it does, in the first sentence of its own help. Without, asking for the help of its
            group loads it.
    """

    def __init__(self, name: str, where: str, short_help: str | None = None) -> None:
        super().__init__(name, short_help=short_help)
        self._where = where

    def load(self) -> click.Command:
        """Return the command itself."""
        module, _, name = self._where.partition(":")
        command = getattr(import_module(f"retrocypher.plugins.cli.{module}"), name)
        assert isinstance(command, click.Command)
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Return the context of the command itself, which click goes on with."""
        return self.load().make_context(info_name, args, parent, **extra)

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return what the command does, for the help of its group."""
        return super().get_short_help_str(limit) if self.short_help else self.load().get_short_help_str(limit)


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


graph.add_command(Later("build", "graph:build_command"))
graph.add_command(Later("up", "graph:up_command"))
graph.add_command(Later("status", "graph:status_command"))
graph.add_command(Later("load", "graph:load_command"))
graph.add_command(Later("down", "graph:down_command"))
questions.add_command(Later("build", "build:questions_build_command"))
vectors.add_command(Later("build", "build:vectors_build_command"))
passages.add_command(Later("build", "build:passages_build_command"))
labels.add_command(Later("list", "check:labels_list_command"))
bank.add_command(Later("build", "bank:bank_build_command"))
bank.add_command(Later("show", "bank:bank_show_command"))
bank.add_command(Later("sample", "bank:bank_sample_command"))
cache.add_command(Later("stats", "cache:cache_stats_command"))
cache.add_command(Later("prune", "cache:cache_prune_command"))
cache.add_command(Later("export", "cache:cache_export_command"))
cache.add_command(Later("import", "cache:cache_import_command"))
baseline.add_command(Later("save", "compare:baseline_save_command"))
baseline.add_command(Later("list", "compare:baseline_list_command"))
baseline.add_command(Later("show", "compare:baseline_show_command"))
cli.add_command(Later("allure", "report:allure_command", "Write the Allure results of RUN again."))
cli.add_command(Later("check", "check:check_command", "Say what is wrong with the queries of FILE."))
cli.add_command(Later("compare", "compare:compare_command", "Compare run B with run A."))
cli.add_command(Later("judge", "judge:judge_command", "Have a model judge the queries of RUN."))
cli.add_command(Later("merge", "merge:merge_command", "Join RUNS, the shards of a run, into one."))
cli.add_command(Later("gate", "compare:gate_command", "Judge RUN by rules."))
cli.add_command(Later("rescore", "merge:rescore_command", "Score RUN again from its records."))
cli.add_command(Later("runs", "show:runs_command", "List the runs in DIR, the newest first."))
cli.add_command(Later("show", "show:show_command", "Show CASE of RUN in full."))
cli.add_command(Later("summary", "show:summary_command", "Print the table of RUNS together."))
cli.add_command(Later("verify", "verify:verify_command", "Hold the answers of FILE against the graph."))
cli.add_command(Later("report", "report:report_command", "Write an HTML page of RUNS."))


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
