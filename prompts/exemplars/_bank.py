"""The exemplar banks, read from their files."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from kg.questions import Setting
from prompts.exemplars._fill import write_steps
from prompts.exemplars._model import Exemplar

HERE = Path(__file__).parent


@cache
def load_bank(setting: Setting) -> tuple[Exemplar, ...]:
    """Return the exemplars of a setting, in bank order (the paper's figure A1)."""
    entries = yaml.safe_load((HERE / f"{setting}.yaml").read_text(encoding="utf-8"))
    return tuple(_exemplar(setting, entry) for entry in entries)


def bank_sha256(setting: Setting) -> str:
    """Return the hash of a setting's bank: of its file as it stands."""
    return hashlib.sha256((HERE / f"{setting}.yaml").read_bytes()).hexdigest()


def _exemplar(setting: Setting, entry: dict[str, Any]) -> Exemplar:
    steps = entry.get("steps")
    pattern = entry["cypher"].strip()
    return Exemplar(
        id=entry["id"],
        setting=setting,
        task=entry["task"],
        question=write_steps(entry["question"], steps),
        intent=entry["intent"],
        cypher=write_steps(pattern, steps),
        pattern=pattern,
        steps=steps,
    )
