"""The error labels that ``labels.yaml`` defines, and their text form ``name:detail``."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import Final, Literal

import msgspec
import yaml

Source = Literal["paper", "cypherbench", "ours"]


@dataclass(frozen=True, slots=True)
class Label:
    """A kind of error.

    Attributes:
        name: As records write it, e.g. ``path_length``.
        meaning: What is wrong, in one sentence.
        source: Where its definition comes from: the reaction Text2Cypher paper, CypherBench, or ours.
        where: The table, figure or category of that source; for our own, why it is needed.
        example: What such a query does.
        details: What may stand after the colon, as in ``missing_component:agents``.
    """

    name: str
    meaning: str
    source: Source
    where: str
    example: str
    details: tuple[str, ...] = ()


_ENTRIES = yaml.safe_load(resources.files(__package__).joinpath("labels.yaml").read_text("utf-8"))

LABELS: Final[Mapping[str, Label]] = MappingProxyType(
    {label.name: label for label in msgspec.convert(_ENTRIES, list[Label])}
)
"""Every label by name, in the order of the file."""


def name_of(label: str) -> str:
    """Return the name of a label without its detail."""
    return label.partition(":")[0]


def detail_of(label: str) -> str | None:
    """Return what stands after the colon, None where nothing does."""
    return label.partition(":")[2] or None


def with_detail(name: str, detail: str | None) -> str:
    """Return a label as records write it; raise ValueError if there is no such label or detail."""
    label = name if detail is None else f"{name}:{detail}"
    if not is_label(label):
        raise ValueError(f"{label!r} is not an error label; kg/labels/labels.yaml lists them")
    return label


def is_label(label: str) -> bool:
    """Whether a text is a known label, with one of its details or without."""
    name, colon, detail = label.partition(":")
    return name in LABELS and (not colon or detail in LABELS[name].details)
