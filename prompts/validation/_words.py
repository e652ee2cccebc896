"""The words by which questions are read, from their file."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

_FILE = "question_words.yaml"


@dataclass(frozen=True, slots=True)
class Further:
    """What a question may hold beyond its kind: words, what they do, and the intents that know them."""

    why: str
    known_to: frozenset[str]
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Words:
    """The patterns of ``question_words.yaml``, compiled; see there for what each is."""

    concepts: Mapping[str, re.Pattern[str]]
    made: re.Pattern[str]
    one_step: re.Pattern[str]
    inexact: re.Pattern[str]
    ambiguous_steps: re.Pattern[str]
    steps: re.Pattern[str]
    either: re.Pattern[str]
    between: re.Pattern[str]
    start_before: re.Pattern[str]
    target_before: re.Pattern[str]
    start_after: re.Pattern[str]
    target_after: re.Pattern[str]
    forward_before: re.Pattern[str]
    forward_after: re.Pattern[str]
    further: tuple[Further, ...]
    numbers: Mapping[str, int]


@cache
def load_words() -> Words:
    """Return the words, read at the first call."""
    text = resources.files("prompts.validation").joinpath(_FILE).read_text("utf-8")
    data: dict[str, Any] = yaml.safe_load(text)
    numbers: dict[str, int] = data["numbers"]
    number = "|".join([r"\d+", *sorted(numbers, key=len, reverse=True)])
    called = data["called"]

    def anywhere(patterns: list[str]) -> re.Pattern[str]:
        filled = (_filled(each, {**data["nouns"], "number": number}) for each in patterns)
        return re.compile(rf"(?<!\w)(?:{'|'.join(filled)})(?!\w)")

    def counted(patterns: list[str]) -> re.Pattern[str]:
        named = (each.replace("({n})", f"(?P<n{place}>{number})") for place, each in enumerate(patterns))
        return re.compile(rf"(?<!\w)(?:{'|'.join(named)})(?!\w)")

    def before(patterns: list[str]) -> re.Pattern[str]:
        return re.compile(rf"(?<!\w)(?:{'|'.join(patterns)}) {called}$")

    def after(patterns: list[str]) -> re.Pattern[str]:
        return re.compile(rf"^ (?:{'|'.join(patterns)})(?!\w)")

    return Words(
        concepts={name: anywhere(patterns) for name, patterns in data["concepts"].items()},
        made=anywhere(data["made"]),
        one_step=anywhere(data["one_step"]),
        inexact=anywhere(data["inexact"]),
        ambiguous_steps=anywhere(data["ambiguous_steps"]),
        steps=counted(data["steps"]),
        either=anywhere(data["either"]),
        between=anywhere(data["between"]),
        start_before=before(data["start_before"]),
        target_before=before(data["target_before"]),
        start_after=after(data["start_after"]),
        target_after=after(data["target_after"]),
        forward_before=before(data["forward_before"]),
        forward_after=after(data["forward_after"]),
        further=tuple(
            Further(each["why"], frozenset(each.get("known_to", ())), anywhere(each["words"]))
            for each in data["further"]
        ),
        numbers=numbers,
    )


def _filled(pattern: str, parts: Mapping[str, str]) -> str:
    """A pattern with what stands for its names in braces."""
    for name, part in parts.items():
        pattern = pattern.replace(f"{{{name}}}", part)
    return pattern
