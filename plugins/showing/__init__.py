"""One case of a run, in full: for a person in a terminal, and for programs."""

from plugins.showing._find import find_case
from plugins.showing._render import render_case
from plugins.showing._shown import ShownCase, show_case

__all__ = ["ShownCase", "find_case", "render_case", "show_case"]
