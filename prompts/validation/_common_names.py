"""Molecules by the names chemists call them."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml

_NAMES = Path(__file__).with_name("common_names.yaml")


@cache
def common_names() -> Mapping[str, str]:
    """Return the SMILES of each name of ``common_names.yaml``, the names in lower case."""
    read: dict[str, str] = yaml.safe_load(_NAMES.read_text(encoding="utf-8"))
    return {str(name).lower(): smiles for name, smiles in read.items()}
