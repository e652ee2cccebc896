"""The ``retrocypher`` command."""

from plugins.command._main import Commands, cli, main, run_command

__all__ = ["Commands", "cli", "main", "run_command"]
