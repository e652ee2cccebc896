"""Texts that a model is asked with, a file each."""

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from prompts.templates._template import fill, split


class Texts:
    """The texts in a folder: ``NAME.md``, what the system says above the line ``=== user ===``.

    Args:
        folder: The folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def messages(self, name: str, values: Mapping[str, str]) -> list[dict[str, str]]:
        """Return the system and the user message of a text, filled.

        Args:
            name: Name of a file, without its ending.
            values: What goes into its slots.
        """
        system, user = self._parts[name]
        return [
            {"role": "system", "content": fill(system, values)},
            {"role": "user", "content": fill(user, values)},
        ]

    def text(self, name: str, values: Mapping[str, str]) -> str:
        """Return a text that is no message of its own, filled.

        Args:
            name: Name of a file, without its ending.
            values: What goes into its slots.
        """
        return fill(self._parts[name][1], values) if values else self._parts[name][1].strip()

    def hashes(self) -> dict[str, str]:
        """Return the SHA-256 of each text by its name."""
        return {file.stem: hashlib.sha256(file.read_bytes()).hexdigest() for file in self._files}

    @property
    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.md"))

    @cached_property
    def _parts(self) -> dict[str, tuple[str, str]]:
        return {file.stem: split(file.read_text(encoding="utf-8")) for file in self._files}
