"""Two runs in, what changed from one to the other out."""

from plugins.comparison._compared import Compared, compare_sides
from plugins.comparison._conditions import UNKNOWN, Conditions, conditions_of
from plugins.comparison._differences import Difference, differences, require_comparable
from plugins.comparison._render import change_line, render_comparison
from plugins.comparison._side import JUDGED, MEASURES, SHARES, Side, asked_as, digest, of_questions, read_run
from plugins.comparison._slice_name import slice_name
from plugins.comparison._still import still_said

__all__ = [
    "JUDGED",
    "MEASURES",
    "SHARES",
    "UNKNOWN",
    "Compared",
    "Conditions",
    "Difference",
    "Side",
    "asked_as",
    "change_line",
    "compare_sides",
    "conditions_of",
    "differences",
    "digest",
    "of_questions",
    "read_run",
    "render_comparison",
    "require_comparable",
    "slice_name",
    "still_said",
]
