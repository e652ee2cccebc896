"""What scores were measured under: what must be the same, and what may be what is compared."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

UNKNOWN = "not known"


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a run was measured under, by names that a user reads.

    Attributes:
        fixed: What must be the same for scores to be comparable.
        threshold: F1 under which a case fails; only the share of passed cases hangs on it.
        varied: What a comparison may be about: models, prompts, versions.
    """

    fixed: Mapping[str, str]
    threshold: str
    varied: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return {"fixed": dict(self.fixed), "threshold": self.threshold, "varied": dict(self.varied)}


def conditions_of(manifest: Mapping[str, Any]) -> Conditions:
    """Return what a manifest says of a run; `UNKNOWN` where it does not.

    Args:
        manifest: A manifest; empty where a run has none.
    """
    graph, options = manifest.get("graph") or {}, manifest.get("options") or {}
    schema = graph.get("schema")
    fixed = {
        "schema version of records": _said(manifest, "schema_version"),
        "graph fingerprint": _said(graph, "fingerprint"),
        "schema text": UNKNOWN if schema is None else hashlib.sha256(schema.encode()).hexdigest(),
        "--query-timeout": _said(options, "query_timeout"),
        "--key-encoder": _said(options, "key_encoder"),
    }
    return Conditions(fixed, _said(options, "case_threshold"), _varied(manifest, options))


def _varied(manifest: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, str]:
    models = (f"{each['label']} ({_spec(each)})" for each in manifest.get("models") or ())
    loops, git = manifest.get("loops") or {}, manifest.get("git") or {}
    players = {_spec(each) for each in (loops.get("players") or {}).values()}
    varied = {
        "models": ", ".join(models),
        "API": str(manifest.get("api") or ""),
        "loops": ", ".join(loops.get("names") or ()),
        "validator": str(loops.get("validator") or ""),
        "roles of loops played by": ", ".join(sorted(players)),
        "--seed": _said(options, "seed"),
        "commit": str(git.get("commit") or "")[:12] + (" and changes" if git.get("changed") else ""),
    }
    varied |= {f"prompt {name}": str(key)[:12] for name, key in (manifest.get("prompts") or {}).items()}
    varied |= {f"version of {name}": str(each) for name, each in (manifest.get("versions") or {}).items()}
    if server := (manifest.get("graph") or {}).get("version"):
        varied["version of Neo4j"] = str(server)
    return {name: value for name, value in varied.items() if value}


def _spec(model: Mapping[str, Any]) -> str:
    kind, argument = model.get("kind", UNKNOWN), model.get("argument") or ""
    return f"{kind}:{argument}" if argument else str(kind)


def _said(part: Mapping[str, Any], name: str) -> str:
    if name not in part:
        return UNKNOWN
    value = part[name]
    return "none" if value is None else str(value)
