"""Values as they stand in the files of a run, refused where they are not what a run writes."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.records._model import SCHEMA_VERSION

REMEDY = "restore it from a copy, or make the run again"

_COUNTS = ("cases", "scored", "passed", "failed", "infrastructure_errors", "selected_cases")
_TEXTS = ("case_id", "question_id", "task", "setting", "prompt", "shot", "loop", "model")
_NULLS = {"scores": dict, "execution": dict, "infrastructure_error": dict, "cypher": str}
_KINDS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(_TEXTS, (str,)),
    **{name: (kind, type(None)) for name, kind in _NULLS.items()},
    "steps": (int,),
    "passed": (bool,),
    "rounds": (list,),
    "errors": (list,),
}


def value_of(content: bytes) -> Any:
    """Read JSON.

    Raises:
        ValueError: If it is none, is no UTF-8, or is nested deeper than can be read.
    """
    try:
        return json.loads(content.decode())
    except RecursionError:
        raise ValueError("nested too deep") from None


def require_record(file: Path, number: int, value: Mapping[str, Any]) -> None:
    """Refuse what is no record that can be read here.

    Args:
        file: Where it stands.
        number: Number of its line, from 1.
        value: What stands there.

    Raises:
        InputError: If it is of another schema version, or a field that every record has is missing or of
            another type.
    """
    version = value.get("schema_version")
    if version != SCHEMA_VERSION:
        raise InputError(f"{file}, line {number}: {other_version(version)}")
    missing = [name for name in _KINDS if name not in value]
    if missing:
        why = f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        raise InputError(f"{file}, line {number}: not a whole record, for {why}; {REMEDY}")
    for name, kinds in _KINDS.items():
        if not isinstance(value[name], kinds):
            shown = repr(value[name])[:40]
            raise InputError(f"{file}, line {number}: not a whole record, for {name} is {shown}; {REMEDY}")


def require_numbers(file: Path, summary: Mapping[str, Any]) -> None:
    """Refuse a summary with anything but numbers for counts and means, as one that was edited by hand.

    Args:
        file: Where it stands.
        summary: What stands there.

    Raises:
        InputError: If a count or a mean is no number, or a part is no object.
    """
    cells = summary.get("cells", [])
    for part in (summary, *(cells if isinstance(cells, list) else [cells])):
        means = part.get("means", {}) if isinstance(part, dict) else None
        if not isinstance(means, dict):
            raise InputError(f"{file}: not what a run writes there; {REMEDY}")
        counts = {name: part[name] for name in _COUNTS if name in part}
        known = {name: mean for name, mean in means.items() if mean is not None}
        for name, value in {**counts, **known}.items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InputError(f"{file}: {name} is {repr(value)[:40]} and no number; {REMEDY}")


def other_version(version: object) -> str:
    """Return what is said of a file of another schema version."""
    return (
        f"schema version {version!r}, and this RetroCypher reads {SCHEMA_VERSION}; "
        "use the RetroCypher that wrote the run (versions and git of its manifest.json), or run it again"
    )
