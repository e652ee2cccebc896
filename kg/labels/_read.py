"""The labels of ``labels.yaml``."""

from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType
from typing import Any, Final, get_args

import yaml

from kg.errors import InputError
from kg.labels._model import Label, Source

_FILE = "labels.yaml"
_TEXTS = ("name", "meaning", "source", "where", "example")


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
