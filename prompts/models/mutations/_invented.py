"""The names of ``invented.yaml``."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import yaml

Kind = Literal["labels", "types", "properties", "functions"]


@cache
def invented(kind: Kind) -> Mapping[str, Sequence[str]]:
    """Return, by each name of a kind, names that are not in the schema or the language."""
    text = Path(__file__).with_name("invented.yaml").read_text(encoding="utf-8")
    names: Mapping[str, Sequence[str]] = yaml.safe_load(text)[kind]
    return names
