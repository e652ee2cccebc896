"""Molecules drawn by RDKit, written as small as their lines allow."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup

WIDTH, HEIGHT = 132, 96
"""Size of a drawing, in pixels."""

_LONGEST = 600
"""Maximum length of a SMILES; a larger molecule is illegible at this size."""

_BOND_PX = 17
_OPTIONS = {
    "clearBackground": False,
    "fixedBondLength": _BOND_PX,
    "minFontSize": 7,
    "multipleBondOffset": 0.2,
    "padding": 0.04,
}
_PATH = re.compile(r"<path[^>]*?\bd='([^']*)'([^>]*)>")
_INK = re.compile(r"(?:fill|stroke)[:=]'?#([0-9A-Fa-f]{6})")
_STEP = re.compile(r"[A-Z]|-?\d+(?:\.\d+)?")
# RDKit's palette, by the classes that the style sheet gives a colour to.
_COLOURS = {
    "FF0000": "o",
    "0000FF": "n",
    "33CCCC": "x",
    "00CC00": "x",
    "7F4C19": "x",
    "A01EEF": "x",
    "CCCC00": "y",
}


class Depictions:
    """The molecules of one page: each is drawn once, however often it is shown."""

    def __init__(self) -> None:
        self._numbers: dict[str, int | None] = {}

    def number(self, smiles: str) -> int | None:
        """Return the number of a molecule's drawing on this page; None where RDKit cannot draw it."""
        if smiles not in self._numbers:
            drawn = sum(number is not None for number in self._numbers.values())
            self._numbers[smiles] = drawn if depict(smiles) else None
        return self._numbers[smiles]

    def symbols(self) -> Iterator[Markup]:
        """Yield the drawings whose numbers were requested, as SVG symbols."""
        for smiles, number in self._numbers.items():
            body = depict(smiles)
            if number is not None and body is not None:
                yield Markup('<symbol id="m{}" viewBox="0 0 {} {}">{}</symbol>').format(
                    number, WIDTH, HEIGHT, body
                )


@lru_cache(maxsize=20_000)
def depict(smiles: str) -> Markup | None:
    """Return a molecule as SVG paths within `WIDTH` and `HEIGHT`; None where RDKit cannot read the SMILES."""
    # Imported late: RDKit is slow to load, and reports without failed cases do not need it.
    from rdkit import Chem, rdBase
    from rdkit.Chem.Draw import rdMolDraw2D

    if not smiles or len(smiles) > _LONGEST or not smiles.isascii():
        return None
    with rdBase.BlockLogs():
        molecule = Chem.MolFromSmiles(smiles)
    if molecule is None or not molecule.GetNumAtoms():
        return None
    drawer = rdMolDraw2D.MolDraw2DSVG(WIDTH, HEIGHT)
    for name, value in _OPTIONS.items():
        setattr(drawer.drawOptions(), name, value)
    try:
        rdMolDraw2D.PrepareAndDrawMolecule(drawer, molecule)
    except (RuntimeError, ValueError):
        return None
    drawer.FinishDrawing()
    return _compact(drawer.GetDrawingText())


def _compact(svg: str) -> Markup:
    """Join lines of one colour into one path each: a tenth of what RDKit writes."""
    paths = [(_classes(rest), _short(path)) for path, rest in _PATH.findall(svg)]
    ordered = sorted(paths, key=lambda each: each[0])
    joined = (
        (classes, _joined(each for _, each in group))
        for classes, group in groupby(ordered, lambda each: each[0])
    )
    return Markup("").join(Markup('<path class="{}" d="{}"/>').format(*each) for each in joined)


def _classes(rest: str) -> str:
    found = _INK.search(rest)
    colour = _COLOURS.get(found[1].upper(), "c") if found else "c"
    return f"{'l' if 'fill:none' in rest else 'f'} {colour}"


def _short(path: str) -> str:
    parts: list[str] = []
    for step in _STEP.findall(path):
        if step.isalpha():
            parts.append("" if step == "L" and parts and parts[-1] == "L" else step)
        else:
            parts.append(f"{float(step):.1f}".removesuffix(".0"))
    return re.sub(r" ?([A-Z]) ?", r"\1", " ".join(part for part in parts if part))


def _joined(paths: Iterator[str]) -> str:
    """Join paths; one that begins at the end of the path before it continues that path."""
    joined = ""
    for path in paths:
        start, _, more = path.partition("L")
        joined += f"L{more}" if more and joined.endswith(start.replace("M", "L", 1)) else path
    return joined


_BOX_W, _GAP, _PAD, _SPACE = 112, 34, 6, 26
_LINE = 14
_MOST = 5
"""Molecules of a column that are shown."""
_CHARACTERS = 15


class Step(NamedTuple):
    """One reaction of a picture."""

    id: str
    """Its number in the graph."""
    reactants: Sequence[str] = ()
    """Molecules that go in; empty if unknown."""
    products: Sequence[str] = ()
    over: Sequence[str] = ()
    """Lines of its box below the number: agents, solvents, the yield."""
    state: str = ""
    """``missing``, ``extra`` or empty."""
    missing: frozenset[str] = frozenset()
    """Its molecules that the result lacks."""


def draw_route(steps: Sequence[Step], depictions: Depictions, label: str) -> Markup:
    """Return a route, or a single reaction, as SVG: from precursors on the left to the target on the right.

    There is at least one step; the label describes the picture for screen readers.
    """
    columns = [column[:_MOST] for column in _columns(steps)]
    boxes = [2 * _PAD + _LINE * (1 + len(step.over)) for step in steps]
    cell = HEIGHT + _SPACE
    height = max([*(len(column) * cell for column in columns), *boxes])
    lefts, left = [], 0
    for column in columns:
        lefts.append(left)
        left += (WIDTH if column else 0) + 2 * _GAP + _BOX_W
    width = lefts[-1] + (WIDTH if columns[-1] else 0)
    tops = [
        {name: round((height - len(column) * cell) / 2 + place * cell) for place, name in enumerate(column)}
        for column in columns
    ]
    parts = []
    for number, step in enumerate(steps):
        x = lefts[number] + (WIDTH if columns[number] else 0) + _GAP
        middle, state = height / 2, f" {step.state}" if step.state else ""
        for name in step.reactants:
            if name in tops[number]:
                start = lefts[number] + WIDTH
                parts.append(_line(start, tops[number][name] + HEIGHT / 2, x, middle, state, arrow=False))
        for name in step.products:
            if name in tops[number + 1]:
                y = tops[number + 1][name] + HEIGHT / 2
                parts.append(_line(x + _BOX_W, middle, lefts[number + 1], y, state, arrow=True))
        parts.append(_box(step, x, middle - boxes[number] / 2, boxes[number], state))
    missing = frozenset[str]().union(*(step.missing for step in steps))
    for left, top in zip(lefts, tops, strict=True):
        parts += [_molecule(name, left, y, depictions, name in missing) for name, y in top.items()]
    head = Markup(
        '<svg class="route" width="{0}" height="{1}" viewBox="-4 -4 {0} {1}" role="img" aria-label="{2}">'
    )
    return head.format(width + 8, height + 8, label) + Markup("").join(parts) + Markup("</svg>")


def _columns(steps: Sequence[Step]) -> list[list[str]]:
    """Return the molecules left of the first reaction, between each two reactions, and right of the last."""
    columns = [list(dict.fromkeys(steps[0].reactants))]
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        columns.append(list(dict.fromkeys([*step.products, *(after.reactants if after else ())])))
    return columns


def _line(x1: float, y1: float, x2: float, y2: float, state: str, *, arrow: bool) -> Markup:
    bend = (x2 - x1) / 2
    end = x2 - 5 if arrow else x2
    head = f"M{x2 - 7:g} {y2 - 4:g}L{x2:g} {y2:g}L{x2 - 7:g} {y2 + 4:g}" if arrow else ""
    curve = f"M{x1:g} {y1:g}C{x1 + bend:g} {y1:g} {x2 - bend:g} {y2:g} {end:g} {y2:g}"
    return Markup('<path class="edge{}" d="{}{}"/>').format(state, curve, head)


def _box(step: Step, x: float, y: float, height: float, state: str) -> Markup:
    lines = [Markup('<text class="number" x="{}" y="{:g}">{}</text>').format(x + _BOX_W / 2, y + 16, step.id)]
    lines += [
        Markup('<text x="{}" y="{:g}"><title>{}</title>{}</text>').format(
            x + _BOX_W / 2, y + 16 + _LINE * place, text, cut(text)
        )
        for place, text in enumerate(step.over, 1)
    ]
    rectangle = Markup('<rect class="reaction{}" x="{:g}" y="{:g}" width="{}" height="{:g}" rx="4"/>')
    return rectangle.format(state, x, y, _BOX_W, height) + Markup("").join(lines)


def _molecule(name: str, x: float, y: float, depictions: Depictions, missing: bool) -> Markup:
    number = depictions.number(name)
    kind = " missing" if missing else ""
    frame = Markup('<rect class="frame{}" x="{:g}" y="{:g}" width="{}" height="{}" rx="3"/>').format(
        kind, x, y, WIDTH, HEIGHT
    )
    text = Markup('<text class="smiles{}" x="{:g}" y="{:g}">{}</text>').format(
        kind, x + WIDTH / 2, y + HEIGHT + 13, cut(name, 20)
    )
    drawing = (
        Markup('<text class="smiles" x="{:g}" y="{:g}">not drawn</text>').format(
            x + WIDTH / 2, y + HEIGHT / 2
        )
        if number is None
        else Markup('<use href="#m{}" x="{:g}" y="{:g}" width="{}" height="{}"/>').format(
            number, x, y, WIDTH, HEIGHT
        )
    )
    return Markup("<g><title>{}</title>{}{}{}</g>").format(name, frame, drawing, text)


def cut(text: str, length: int = _CHARACTERS) -> str:
    """Return a text that fits into a drawing."""
    return text if len(text) <= length else f"{text[: length - 1]}…"
