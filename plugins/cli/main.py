"""The ``retrocypher`` command; each of its commands is loaded when it is called."""

import os
import sys
from importlib import import_module
from typing import Any

import click

from retrocypher.kg.errors import RetroCypherError
from retrocypher.kg.secrets import secrets_of
from retrocypher.plugins.formatting.progress import show_progress


class SuggestingGroup(click.Group):
    """A group that suggests similar names for an unknown command, as newer releases of click do."""

    group_class = type

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the named command; raise UsageError, which suggests similar names, if there is none."""
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
    """A placeholder that loads a command, ``where`` as ``MODULE:NAME`` of this package, when it is called."""

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


def progress_on_stderr(context: click.Context) -> None:
    """Print progress messages on stderr until a command ends."""
    context.call_on_close(show_progress(lambda line: click.echo(line, err=True)))


@click.group(cls=Commands)
@click.version_option(package_name="retrocypher")
@click.pass_context
def cli(context: click.Context) -> None:
    """Measure how well a language model turns chemists' questions into Cypher."""
    progress_on_stderr(context)


_GROUPS = {
    "graph": "Build the reaction graph, and run Neo4j with it.",
    "questions": "Build question sets, and show how sure their gold is.",
    "vectors": "Compute the vectors with which exemplars are chosen without an encoder.",
    "passages": "Manage the patent passages that written answers can use.",
    "labels": "List the error labels.",
    "bank": "Build and show the bank of known errors.",
    "cache": "Manage the cache of model responses, which no run requests twice.",
    "baseline": "Keep the scores of runs to compare later runs with.",
    "guidelines": "Write guidelines for the loop self-review.",
    "suite": "Make and check suites of questions about any property graph.",
    "study": "Make the figures and tables of the papers from runs.",
}
_OF_GROUPS = (
    ("graph build", "graph:build_command"),
    ("graph up", "graph:up_command"),
    ("graph status", "graph:status_command"),
    ("graph load", "graph:load_command"),
    ("graph down", "graph:down_command"),
    ("graph audit", "audit:audit_command"),
    ("graph apply", "audit:apply_command"),
    ("graph revert", "audit:revert_command"),
    ("graph evidence", "evidence:evidence_command"),
    ("questions build", "build:questions_build_command"),
    ("questions confidence", "confidence:questions_confidence_command"),
    ("vectors build", "build:vectors_build_command"),
    ("passages build", "build:passages_build_command"),
    ("labels list", "check:labels_list_command"),
    ("suite check", "suite:suite_check_command"),
    ("suite new", "suite:suite_new_command"),
    ("bank build", "bank:bank_build_command"),
    ("bank show", "bank:bank_show_command"),
    ("bank sample", "bank:bank_sample_command"),
    ("cache stats", "cache:cache_stats_command"),
    ("cache prune", "cache:cache_prune_command"),
    ("cache export", "cache:cache_export_command"),
    ("cache import", "cache:cache_import_command"),
    ("suite cypherbench", "suite:suite_cypherbench_command"),
    ("suite generate", "suite_generate:suite_generate_command"),
    ("guidelines build", "guidelines:guidelines_build_command"),
    ("baseline save", "compare:baseline_save_command"),
    ("baseline list", "compare:baseline_list_command"),
    ("baseline show", "compare:baseline_show_command"),
    ("study reaction", "study:study_reaction_command"),
    ("study self-review", "study:study_self_review_command"),
)
_COMMANDS = (
    ("allure", "report:allure_command", "Write the Allure results of RUN."),
    ("check", "check:check_command", "Report what is wrong with the queries in FILE."),
    ("compare", "compare:compare_command", "Compare run B with run A."),
    ("judge", "judge:judge_command", "Let a model judge the queries of RUN."),
    ("merge", "runs:merge_command", "Join RUNS, the shards of a run, into one."),
    ("gate", "gate:gate_command", "Judge RUN by rules."),
    ("rescore", "rescore:rescore_command", "Compute the scores of RUN again."),
    ("runs", "runs:runs_command", "List the runs in DIR, newest first."),
    ("show", "show:show_command", "Show CASE of RUN in full."),
    ("summary", "runs:summary_command", "Print one table of RUNS."),
    ("verify", "verify:verify_command", "Check the answers in FILE against the graph."),
    ("report", "report:report_command", "Write an HTML page of RUNS."),
)

_groups = {name: Commands(name, help=text) for name, text in _GROUPS.items()}
for _group in _groups.values():
    cli.add_command(_group)
for _name, _where in _OF_GROUPS:
    _of, _, _own = _name.partition(" ")
    _groups[_of].add_command(LazyCommand(_own, _where))
for _command in _COMMANDS:
    cli.add_command(LazyCommand(*_command))


def main() -> None:
    """Run the ``retrocypher`` command."""
    run_command(cli)


def run_command(command: click.Group) -> None:
    """Run a command; an error for the user is one line on stderr and, mostly, status 2, like wrong usage.

    Status 1 is reserved for `check` and `gate`, where it means that something was found.
    """
    try:
        command(standalone_mode=True)
    except RetroCypherError as error:
        message = secrets_of(os.environ, sys.argv).redact(str(error))
        click.echo(f"error: {message}", err=True)
        sys.exit(error.exit_status)
