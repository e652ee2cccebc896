"""The parts of an answer that are meant to be read: what a model thinks aloud is left out."""

import re
from typing import NamedTuple

_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)


class Span(NamedTuple):
    """Offsets into an answer."""

    start: int
    stop: int


def spoken(answer: str) -> list[Span]:
    """Return the spans outside ``<think>`` parts, in order.

    A part that is never closed runs to the end: the model was cut off while it thought. A closing tag with no
    opening one ends a part that began with the answer, as chat templates that open it themselves have it.
    """
    spans: list[Span] = []
    start, thinking = 0, False
    for tag in _TAG.finditer(answer):
        if not tag[1]:
            if not thinking:
                spans.append(Span(start, tag.start()))
            thinking = True
        else:
            if not thinking:
                spans.clear()
            start, thinking = tag.end(), False
    if not thinking:
        spans.append(Span(start, len(answer)))
    return spans


def said_aloud(answer: str) -> str:
    """Return an answer without its ``<think>`` parts and without blanks around it."""
    return "".join(answer[span.start : span.stop] for span in spoken(answer)).strip()
