"""Commands that are loaded when they are called: help and wrong usage need none of their libraries."""

from importlib import import_module
from typing import Any

import click


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
        command = getattr(import_module(f"plugins.command.{module}"), name)
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
