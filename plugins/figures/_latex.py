"""Tables as LaTeX, for the package booktabs."""

from collections.abc import Sequence
from typing import Any

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
_ENDS = ("_low", "_high")


def as_latex(rows: Sequence[dict[str, Any]]) -> str:
    r"""Return rows as a ``tabular``, a number and its interval in one cell.

    A column that says the same in all rows is left out. It needs ``\usepackage{booktabs}``.
    """
    columns = [
        name
        for name in dict.fromkeys(name for row in rows for name in row)
        if not name.endswith(_ENDS) and (len({str(row.get(name)) for row in rows}) > 1 or len(rows) == 1)
    ]
    kinds = "".join("l" if any(isinstance(row.get(name), str) for row in rows) else "r" for name in columns)
    lines = [
        rf"\begin{{tabular}}{{{kinds}}}",
        r"\toprule",
        _line([_text(name.replace("_", " ").replace("f1", "F1")) for name in columns]),
        r"\midrule",
        *(_line([_cell(row, name) for name in columns]) for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _cell(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    if value is None:
        return "--"
    if isinstance(value, float):
        low, high = (row.get(f"{name}{end}") for end in _ENDS)
        return (
            _number(value)
            if low is None or high is None
            else f"{_number(value)} [{_number(low)}, {_number(high)}]"
        )
    return f"{value:,}" if isinstance(value, int) else _text(str(value))


def _number(value: float) -> str:
    shown = f"{value:.3f}"
    return f"${shown}$" if shown.startswith("-") else shown


def _text(text: str) -> str:
    shown = "".join(letter if letter.isprintable() else "?" for letter in text)
    return "".join(
        _ESCAPES.get(letter, letter) for letter in shown.replace("_", " " if text.islower() else "_")
    )
