"""What a written answer claims, and how it is told."""

from plugins.answering._lines import claim_line, verification_lines

__all__ = ["claim_line", "verification_lines"]
