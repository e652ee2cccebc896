"""Two runs in, what changed from one to the other out."""

from plugins.comparison._compared import Compared, compare_sides
from plugins.comparison._conditions import Conditions, conditions_of
from plugins.comparison._differences import Difference, differences, require_comparable
from plugins.comparison._render import change_line, render_comparison, slice_name
from plugins.comparison._side import MEASURES, SHARES, Side, asked_as, of_questions, read_run

__all__ = [
    "MEASURES",
    "SHARES",
    "Compared",
    "Conditions",
    "Difference",
    "Side",
    "asked_as",
    "change_line",
    "compare_sides",
    "conditions_of",
    "differences",
    "of_questions",
    "read_run",
    "render_comparison",
    "require_comparable",
    "slice_name",
]
