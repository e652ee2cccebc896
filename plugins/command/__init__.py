"""The ``retrocypher`` command."""

from plugins.command._main import cli, main

__all__ = ["cli", "main"]
