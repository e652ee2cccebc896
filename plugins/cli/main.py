"""The ``retrocypher`` command; each of its commands is loaded when it is called."""

import os
import sys
from importlib import import_module
from typing import Any

import click

from retrocypher.kg.errors import RetroCypherError
from retrocypher.kg.secrets import secrets_of


class SuggestingGroup(click.Group):
    """A group that suggests similar names for an unknown command, as newer releases of click do."""

    group_class = type

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the named command.

        Raises click.UsageError if there is none of the name; the message suggests similar ones.
        """
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            # Imported late: only a wrong name needs it.
            import difflib

            near = difflib.get_close_matches(args[0], self.list_commands(ctx))
            if near and "Did you mean" not in error.message:
                error.message += f" Did you mean {' or '.join(near)}?"
            raise


class LazyCommand(click.Command):
    """A placeholder that loads a command when it is called.

    Args:
        where: Its module in this package, a colon, and its name there.
        short_help: First sentence of its help. Without it, the help of its group loads the command.
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
        """Return the context of the command itself, with which click continues."""
        return self.load().make_context(info_name, args, parent, **extra)

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the short help of the command, for the help of its group."""
        return super().get_short_help_str(limit) if self.short_help else self.load().get_short_help_str(limit)


# The status that shells report after SIGINT.
_INTERRUPTED = 130


class Commands(SuggestingGroup):
    """Groups whose commands exit with 130 after Ctrl-C, because 1 would mean that a gate fails."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the named command."""
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
    """Build the reaction graph, and run Neo4j with it."""


@cli.group()
def questions() -> None:
    """Build question sets."""


@cli.group()
def vectors() -> None:
    """Compute the vectors with which exemplars are chosen without an encoder."""


@cli.group()
def passages() -> None:
    """Manage the patent passages that written answers can use."""


@cli.group()
def labels() -> None:
    """List the error labels."""


@cli.group()
def bank() -> None:
    """Build and show the bank of known errors."""


@cli.group()
def cache() -> None:
    """Manage the cache of model responses, which no run requests twice."""


@cli.group()
def baseline() -> None:
    """Keep the scores of runs to compare later runs with."""


graph.add_command(LazyCommand("build", "graph:build_command"))
graph.add_command(LazyCommand("up", "graph:up_command"))
graph.add_command(LazyCommand("status", "graph:status_command"))
graph.add_command(LazyCommand("load", "graph:load_command"))
graph.add_command(LazyCommand("down", "graph:down_command"))
questions.add_command(LazyCommand("build", "build:questions_build_command"))
vectors.add_command(LazyCommand("build", "build:vectors_build_command"))
passages.add_command(LazyCommand("build", "build:passages_build_command"))
labels.add_command(LazyCommand("list", "check:labels_list_command"))
bank.add_command(LazyCommand("build", "bank:bank_build_command"))
bank.add_command(LazyCommand("show", "bank:bank_show_command"))
bank.add_command(LazyCommand("sample", "bank:bank_sample_command"))
cache.add_command(LazyCommand("stats", "cache:cache_stats_command"))
cache.add_command(LazyCommand("prune", "cache:cache_prune_command"))
cache.add_command(LazyCommand("export", "cache:cache_export_command"))
cache.add_command(LazyCommand("import", "cache:cache_import_command"))
baseline.add_command(LazyCommand("save", "compare:baseline_save_command"))
baseline.add_command(LazyCommand("list", "compare:baseline_list_command"))
baseline.add_command(LazyCommand("show", "compare:baseline_show_command"))
cli.add_command(LazyCommand("allure", "report:allure_command", "Write the Allure results of RUN."))
cli.add_command(LazyCommand("check", "check:check_command", "Report what is wrong with the queries in FILE."))
cli.add_command(LazyCommand("compare", "compare:compare_command", "Compare run B with run A."))
cli.add_command(LazyCommand("judge", "judge:judge_command", "Let a model judge the queries of RUN."))
cli.add_command(LazyCommand("merge", "merge:merge_command", "Join RUNS, the shards of a run, into one."))
cli.add_command(LazyCommand("gate", "gate:gate_command", "Judge RUN by rules."))
cli.add_command(LazyCommand("rescore", "rescore:rescore_command", "Compute the scores of RUN again."))
cli.add_command(LazyCommand("runs", "runs:runs_command", "List the runs in DIR, newest first."))
cli.add_command(LazyCommand("show", "show:show_command", "Show CASE of RUN in full."))
cli.add_command(LazyCommand("summary", "runs:summary_command", "Print one table of RUNS."))
cli.add_command(
    LazyCommand("verify", "verify:verify_command", "Check the answers in FILE against the graph.")
)
cli.add_command(LazyCommand("report", "report:report_command", "Write an HTML page of RUNS."))


def main() -> None:
    """Run the ``retrocypher`` command."""
    run_command(cli)


def run_command(command: click.Group) -> None:
    """Run a command; an error for the user is one line on stderr and status 2, like wrong usage.

    Status 1 is reserved for `check` and `gate`, where it means that something was found.
    """
    try:
        command(standalone_mode=True)
    except RetroCypherError as error:
        message = secrets_of(os.environ, sys.argv).redact(str(error))
        click.echo(f"error: {message}", err=True)
        sys.exit(2)
