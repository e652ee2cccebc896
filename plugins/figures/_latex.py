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
_NAMES = ("run", "model", "loop", "prompt", "shot", "a", "b")
_LEAST_P = 0.001


def as_latex(rows: Sequence[dict[str, Any]]) -> str:
    r"""Return rows as a ``tabular``, a number and its interval in one cell.

    A column of words that says the same in all rows is left out, and so is one that is empty. It needs
    ``\usepackage{booktabs}``.
    """
    names = dict.fromkeys(name for row in rows for name in row)
    ends = {f"{name}{end}" for name in names for end in _ENDS}
    columns = [name for name in names if name not in ends and (len(rows) == 1 or _tells(rows, name))]
    kinds = "".join("l" if any(isinstance(row.get(name), str) for row in rows) else "r" for name in columns)
    lines = [
        rf"\begin{{tabular}}{{{kinds}}}",
        r"\toprule",
        _line([_text(_words(name).replace("f1", "F1")) for name in columns]),
        r"\midrule",
        *(_line([_cell(row, name) for name in columns]) for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _tells(rows: Sequence[dict[str, Any]], name: str) -> bool:
    values = {row.get(name) for row in rows}
    return len(values) > 1 or not all(value is None or isinstance(value, str) for value in values)


def _line(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _cell(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    if value is None:
        return "--"
    if isinstance(value, float) and name.startswith("p_") and value < _LEAST_P:
        return f"${{<}}{_LEAST_P}$"
    if isinstance(value, float):
        low, high = (row.get(f"{name}{end}") for end in _ENDS)
        return (
            _number(value)
            if low is None or high is None
            else f"{_number(value)} [{_number(low)}, {_number(high)}]"
        )
    if isinstance(value, int):
        return f"{value:,}"
    return _text(str(value) if name in _NAMES else _words(str(value)))


def _number(value: float) -> str:
    shown = f"{value:.3f}"
    return f"${shown}$" if shown.startswith("-") else shown


def _text(text: str) -> str:
    shown = "".join(letter if letter.isprintable() else "?" for letter in text)
    return "".join(_ESCAPES.get(letter, letter) for letter in shown)


def _words(text: str) -> str:
    return text.replace("_", " ") if text.islower() else text
