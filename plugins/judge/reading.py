"""The score in a judge's answer, read strictly: what is not plainly a score is none."""

import json
import math
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_LONGEST = 100_000
_QUOTED = 120
_LONG = 1e15
_LEAST = math.log(0.01)
"""What is less likely has no part in DeepEval's mean."""
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"\A```(?:json)?[ \t]*\n(?P<body>.*)\n[ \t]*```\Z", re.DOTALL | re.IGNORECASE)
_BACKSLASH = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|(?P<lone>\\)')
_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(strict=False)


class UnreadableError(Exception):
    """A judge's answer holds no score; ``kind`` is ``no_answer``, ``malformed`` or ``out_of_scale``."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Read:
    """What a judge said."""

    score: int | float
    """Its score, on the scale it was given; a whole number is an ``int``."""
    reason: str
    likely: tuple[tuple[int, float], ...]
    """Whole numbers of the scale that might have stood in the score's place, each with its log-probability,
    from 1 % on; empty where that is not known."""


def read_answer(
    text: str, scale: tuple[int, int], numbers: Sequence[Mapping[str, Any]] = (), *, cut: bool = False
) -> Read:
    """Return score and reason of an answer; raise UnreadableError if it holds no score.

    The answer must be one JSON object and nothing else, but for a fence around it and thoughts in ``<think>``
    before it, with a ``score`` that is a number of the scale and a ``reason`` that is a text, each once. So
    nothing that the answer quotes can become its score. Backslashes that JSON does not know are let pass
    within texts: SMILES bring them.

    Args:
        cut: Whether it ran into the limit of its length. Then what follows thoughts may be quoted in them.
    """
    if not text.strip():
        raise UnreadableError("no_answer", "the answer is empty")
    if cut and _THOUGHT.match(text):
        raise UnreadableError("malformed", f"the answer was cut, perhaps amid its thoughts: {_quoted(text)}")
    body, begin = _body(text)
    score, reason, at = _fields(body, text)
    low, high = scale
    if not low <= score <= high:
        raise UnreadableError("out_of_scale", f"the score is {_written(score)}, not from {low} to {high}")
    whole = score.is_integer()
    likely = _likely(numbers, begin + at, str(int(score)), scale) if whole else ()
    return Read(int(score) if whole else score, reason, likely)


def _body(text: str) -> tuple[str, int]:
    """Return what should be the object, and how many characters of the answer stand before it."""
    if len(text) > _LONGEST:
        raise UnreadableError("malformed", f"the answer has {len(text):,} characters")
    thought = _THOUGHT.match(text)
    begin = thought.end() if thought else 0
    begin += len(text[begin:]) - len(text[begin:].lstrip())
    body = text[begin:].rstrip()
    if fenced := _FENCED.match(body):
        inner = fenced["body"]
        begin += fenced.start("body") + len(inner) - len(inner.lstrip())
        body = inner.strip()
    return body, begin


def _fields(body: str, text: str) -> tuple[float, str, int]:
    """Return score, reason, and where in the body the score stands."""
    try:
        members, places = _members(body)
        before = 0
    except ValueError:
        lone = [match.start() for match in _BACKSLASH.finditer(body) if match["lone"]]
        try:
            members, places = _members(_BACKSLASH.sub(_doubled, body))
        except ValueError as error:
            raise UnreadableError("malformed", f"{error}: {_quoted(text)}") from None
        before = sum(start + number < places.get("score", 0) for number, start in enumerate(lone))
    score, reason = _number(members.get("score")), members.get("reason")
    if score is None:
        raise UnreadableError("malformed", f"the object has no number as `score`: {_quoted(text)}")
    if not isinstance(reason, str) or not reason.strip():
        raise UnreadableError("malformed", f"the object has no text as `reason`: {_quoted(text)}")
    return score, reason.strip(), places["score"] - before


def _written(score: float) -> str:
    """A score with digits enough to see that it is off the scale."""
    return repr(int(score)) if score.is_integer() and abs(score) < _LONG else repr(score)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return math.copysign(sys.float_info.max, 1 if value > 0 else -1)


def _members(body: str) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the members of an object, and where each value begins; raise ValueError for anything else."""
    members: dict[str, Any] = {}
    places: dict[str, int] = {}
    if not body.startswith("{"):
        raise ValueError("the answer is not one JSON object alone")
    at = _after_blank(body, 1)
    if body[at : at + 1] == "}":
        at += 1
    else:
        while True:
            name, at = _decode(body, at)
            if not isinstance(name, str) or name in members:
                raise ValueError(f"the name {name!r} comes twice" if isinstance(name, str) else "no name")
            at = _after_blank(body, at)
            if body[at : at + 1] != ":":
                raise ValueError("the answer is not JSON")
            places[name] = at = _after_blank(body, at + 1)
            members[name], at = _decode(body, at)
            at = _after_blank(body, at)
            mark = body[at : at + 1]
            at = _after_blank(body, at + 1)
            if mark == "}":
                break
            if mark != ",":
                raise ValueError("the answer is not JSON")
    if at != len(body):
        raise ValueError("the answer is not one JSON object alone")
    return members, places


def _decode(body: str, at: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(body, at)
    except (ValueError, RecursionError):
        raise ValueError("the answer is not JSON") from None


def _after_blank(body: str, at: int) -> int:
    match = _BLANK.match(body, at)
    return match.end() if match else at


def _likely(
    numbers: Sequence[Mapping[str, Any]], at: int, written: str, scale: tuple[int, int]
) -> tuple[tuple[int, float], ...]:
    """Return what might have stood where the score stands; nothing where that is not known."""
    for each in numbers:
        if each["at"] == at and each["token"] == written:
            read = [(int(name), logprob) for name, logprob in each["likely"] if _fits(name, scale)]
            likely = tuple(one for one in read if one[1] >= _LEAST)
            named = {number for number, _ in read}
            return () if any(_begins_another(number, named, scale) for number, _ in likely) else likely
    return ()


def _begins_another(number: int, named: Collection[int], scale: tuple[int, int]) -> bool:
    """Whether it may be the first token of another number of the scale, which is not read by itself."""
    longer = (each for each in range(scale[0], scale[1] + 1) if each not in named)
    return any(each != number and str(each).startswith(str(number)) for each in longer)


def _fits(name: str, scale: tuple[int, int]) -> bool:
    # Not 07, which is no number of JSON.
    return str(int(name)) == name and scale[0] <= int(name) <= scale[1]


def _doubled(match: re.Match[str]) -> str:
    return "\\\\" if match["lone"] else match[0]


def _quoted(text: str) -> str:
    shown = " ".join(text.split())
    return repr(shown if len(shown) <= _QUOTED else f"{shown[:_QUOTED]}…")
