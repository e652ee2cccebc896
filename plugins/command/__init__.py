"""The ``retrocypher`` command."""

from plugins.command._main import main

__all__ = ["main"]
