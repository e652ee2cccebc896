"""Molecules drawn by RDKit, written as small as their lines allow."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from markupsafe import Markup

WIDTH, HEIGHT = 132, 96
"""Of a drawing, in pixels."""

_LONGEST = 600
"""Characters of a SMILES beyond which a drawing of this size shows nothing."""

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
        """Yield the drawings that were asked for, as SVG symbols."""
        for smiles, number in self._numbers.items():
            body = depict(smiles)
            if number is not None and body is not None:
                yield Markup('<symbol id="m{}" viewBox="0 0 {} {}">{}</symbol>').format(
                    number, WIDTH, HEIGHT, body
                )


@lru_cache(maxsize=20_000)
def depict(smiles: str) -> Markup | None:
    """Return a molecule as SVG paths within `WIDTH` and `HEIGHT`; None where RDKit cannot read the SMILES."""
    # Reports without failed cases, and help, need not wait for it.
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
    """A line that begins where the one before ended goes on from there."""
    joined = ""
    for path in paths:
        start, _, more = path.partition("L")
        joined += f"L{more}" if more and joined.endswith(start.replace("M", "L", 1)) else path
    return joined
