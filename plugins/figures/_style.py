"""How figures look: one or two columns wide, the same file each time, and told apart by any eye."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

ONE_COLUMN, TWO_COLUMNS = 3.35, 7.0
"""Widths in inches."""

INK, QUIET, GRID = "#222222", "#5f5f5f", "#dddddd"

# Okabe and Ito (2008), darkened where a thin line on paper needs it; a shot has the same one everywhere.
_SHOTS = {"ZS": "#6b6b6b", "1S-S": "#d55e00", "1S": "#d55e00", "1S-D-R": "#b5608f", "1S-D-S": "#0072b2"}
_OTHER = ("#009e73", "#b38600", "#332288", "#000000")
ACCENT = "#0b5c63"
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")

_PNG_DPI = 300


def styled() -> AbstractContextManager[None]:
    """Return a context within which figures are made and saved."""
    return style.context(Path(__file__).with_name("paper.mplstyle"))


def blank(width: float, height: float) -> Figure:
    """Return a figure without axes, of a size in inches."""
    return Figure(figsize=(width, height), layout="constrained")


def colour_of(shot: str) -> str:
    """Return the colour of a shot; of an unknown one, one that its name decides."""
    return _SHOTS.get(shot) or _OTHER[sum(map(ord, shot)) % len(_OTHER)]


def marker_of(prompt: str, prompts: Sequence[str]) -> str:
    """Return the marker of a prompt among all of a figure."""
    return _MARKERS[list(prompts).index(prompt) % len(_MARKERS)]


def unit_axis(axes: Axes, which: str, label: str) -> None:
    """Make an axis one for scores: from 0 to 1, with a grid."""
    getattr(axes, f"set_{which}lim")(-0.02, 1.02)
    getattr(axes, f"set_{which}ticks")((0, 0.25, 0.5, 0.75, 1), ("0", "0.25", "0.5", "0.75", "1"))
    getattr(axes, f"set_{which}label")(label)
    axes.grid(axis="x" if which == "x" else "y")
    axes.set_axisbelow(True)


def plain(text: object) -> str:
    """Return a name for a figure: without what no font has, and not too long."""
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in str(text))
    return shown if len(shown) <= 40 else f"{shown[:39]}…"


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure as SVG and PNG; the same figure gives the same bytes."""
    paths = [folder / f"{name}.svg", folder / f"{name}.png"]
    figure.savefig(paths[0], metadata={"Date": None, "Creator": None})
    figure.savefig(paths[1], dpi=_PNG_DPI, metadata={"Software": None})
    return paths
