"""The name of a slice."""

from collections.abc import Mapping

from plugins.terminal import one_line


def slice_name(labels: Mapping[str, str | int]) -> str:
    """Return a slice in words, such as ``best_yield`` or ``steps 3``; ``all`` for all cases."""
    said = (f"{name} {label}" if isinstance(label, int) else label for name, label in labels.items())
    return one_line(", ".join(said)) or "all"
