"""Reactions and routes as one picture: molecules in columns, reactions as boxes between them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from plugins.report.drawing._molecule import HEIGHT, WIDTH, Depictions

_BOX_W, _GAP, _PAD, _SPACE = 112, 34, 6, 26
_LINE = 14
_MOST = 5
"""Molecules of a column that are shown."""
_CHARACTERS = 15


@dataclass(frozen=True, slots=True)
class Step:
    """One reaction of a picture.

    Attributes:
        id: Its number in the graph.
        reactants: Molecules that go in; empty where they are not known.
        products: What comes out.
        over: What stands in its box below the number: agents, solvents, the yield.
        state: ``missing``, ``extra`` or empty.
        missing: Of its molecules those that the answer lacks.
    """

    id: str
    reactants: Sequence[str] = ()
    products: Sequence[str] = ()
    over: Sequence[str] = ()
    state: str = ""
    missing: frozenset[str] = field(default_factory=frozenset)


def draw_route(steps: Sequence[Step], depictions: Depictions, label: str) -> Markup:
    """Return a route, or a single reaction, as SVG: from precursors on the left to the target on the right.

    Args:
        steps: Its reactions in order, at least one.
        depictions: The drawings of the page.
        label: What the picture shows, for those who cannot see it.
    """
    columns = [_shown(column) for column in _columns(steps)]
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
    """Return what stands left of the first reaction, between each two, and right of the last."""
    columns = [list(dict.fromkeys(steps[0].reactants))]
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        columns.append(list(dict.fromkeys([*step.products, *(after.reactants if after else ())])))
    return columns


def _shown(column: list[str]) -> list[str]:
    return column if len(column) <= _MOST else column[:_MOST]


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
