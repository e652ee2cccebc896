"""The error labels that ``labels.yaml`` defines, and their text form ``name:detail``."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

import yaml

from retrocypher.kg.errors import InputError

Source = Literal["paper", "cypherbench", "ours"]

_FILE = "labels.yaml"
_TEXTS = ("name", "meaning", "source", "where", "example")


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


def parse_labels(text: str) -> Mapping[str, Label]:
    """Return the labels of a YAML text by name, in its order.

    Raises:
        InputError: The text does not have the form that the comments of ``labels.yaml`` describe.
    """
    try:
        entries = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"{_FILE} is not YAML: {error}. Restore it from the repository.") from error
    if not isinstance(entries, list):
        raise InputError(f"{_FILE} must be a list of labels; its comments say what each one holds.")
    labels = [_label(number, entry) for number, entry in enumerate(entries, 1)]
    found = {label.name: label for label in labels}
    if len(found) < len(labels):
        raise InputError(f"{_FILE} names a label twice; give each label one entry.")
    return MappingProxyType(found)


def _label(number: int, entry: Any) -> Label:
    where = f"{_FILE}, label {number}"
    if not isinstance(entry, dict) or not entry.keys() <= {*_TEXTS, "details"}:
        raise InputError(f"{where}: expected {', '.join(_TEXTS)} and, where there are any, details.")
    for key in _TEXTS:
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            raise InputError(f"{where}: {key} must be a text that is not empty.")
    if entry["source"] not in get_args(Source):
        raise InputError(f"{where}: source must be one of {', '.join(get_args(Source))}.")
    details = entry.get("details", [])
    if not isinstance(details, list) or not all(isinstance(detail, str) for detail in details):
        raise InputError(f"{where}: details must be a list of words.")
    return Label(**{key: entry[key] for key in _TEXTS}, details=tuple(details))


LABELS: Final = parse_labels(resources.files(__package__).joinpath(_FILE).read_text("utf-8"))
"""Every label by name, in the order of the file."""


def name_of(label: str) -> str:
    """Return the name of a label without its detail."""
    return label.partition(":")[0]


def detail_of(label: str) -> str | None:
    """Return what stands after the colon, None where nothing does."""
    return label.partition(":")[2] or None


def with_detail(name: str, detail: str | None) -> str:
    """Return a label as records write it.

    Raises:
        ValueError: There is no such label, or the label has no such detail.
    """
    label = name if detail is None else f"{name}:{detail}"
    if not is_label(label):
        raise ValueError(f"{label!r} is not an error label; kg/labels/labels.yaml lists them")
    return label


def is_label(label: str) -> bool:
    """Whether a text is a known label, with one of its details or without."""
    name, colon, detail = label.partition(":")
    return name in LABELS and (not colon or detail in LABELS[name].details)
