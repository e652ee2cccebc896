"""The commands of ``retrocypher``."""

from collections.abc import Iterator

import click

from retrocypher.plugins.cli.main import LazyCommand, cli


def leaf_commands(
    group: click.Group = cli, before: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    """Yield every command that does something, with its name as a user types it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, LazyCommand):
            command = command.load()
        assert command is not None, name
        if isinstance(command, click.Group):
            yield from leaf_commands(command, (*before, name))
        else:
            yield " ".join((*before, name)), command
