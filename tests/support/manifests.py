"""A manifest as a run writes it, small."""

from collections.abc import Sequence
from importlib import resources
from typing import Any


def manifest_of(models: Sequence[str] = ("m",), **fields: Any) -> dict[str, Any]:
    """Return a manifest without its schema version, given labels of models and fields that differ."""
    return {
        "started": "2026-01-02T03:04:05+00:00",
        "ended": "2026-01-02T03:05:05+00:00",
        "exit_status": 1,
        "options": {"shot": ["ZS"], "seed": 0, "key_encoder": None},
        "models": [{"label": label, "kind": "oracle", "argument": ""} for label in models],
        "loops": {"names": ["none"], "validator": None, "players": {}, "once": []},
        "prompts": {"P5": "0" * 64, "P10": "1" * 64},
        "questions": {"count": 1, "set_sha256": "2" * 64, "graph_fingerprint": "3" * 64},
        "graph": {
            "kind": "local",
            "version": "5.26.30",
            "fingerprint": "3" * 64,
            "schema": resources.files("retrocypher.kg.semantics").joinpath("default.txt").read_text("utf-8"),
            "notes": [],
        },
        "versions": {"python": "3.11.7", "retrocypher": "0.1.0"},
        "git": {"commit": "4" * 40, "changed": False},
        **fields,
    }
