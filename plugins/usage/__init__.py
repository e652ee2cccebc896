"""Which models a run asked, who answered, and what it took."""

from plugins.usage._usage import Usage

__all__ = ["Usage"]
