"""A manifest as a run writes it, small."""

from typing import Any

from support.schemas import DEFAULT_SCHEMA_TEXT


def manifest_of(**changed: Any) -> dict[str, Any]:
    """Return a manifest without its schema version; ``graph`` and ``options`` are changed in part."""
    graph = {"kind": "local", "version": "5.26.30", "fingerprint": "a" * 64, "notes": []}
    options = {"query_timeout": 30.0, "key_encoder": None, "case_threshold": 1.0, "sample": None, "seed": 0}
    return {
        "started": "2026-01-02T03:04:05+00:00",
        "ended": "2026-01-02T03:05:05+00:00",
        "exit_status": 1,
        "models": [{"label": "m", "kind": "oracle", "argument": ""}],
        "loops": {"names": ["none"], "validator": None, "players": {}, "once": []},
        "prompts": {"P5": "0" * 64},
        "questions": {"count": 1, "set_sha256": "2" * 64, "graph_fingerprint": "a" * 64},
        "versions": {"python": "3.11.7", "retrocypher": "0.1.0"},
        "git": {"commit": "4" * 40, "changed": False},
        **changed,
        "graph": {**graph, "schema": DEFAULT_SCHEMA_TEXT, **changed.get("graph", {})},
        "options": {**options, "shot": ["ZS"], **changed.get("options", {})},
    }
