"""What one model was asked for."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_KINDS = ("prompt", "completion")
Served = tuple[str | None, str | None]


@dataclass(slots=True)
class ModelUsage:
    """What one model was asked for; fields as `Usage.to_json` explains them."""

    asked: int = 0
    from_cache: int = 0
    without_tokens: int = 0
    tokens: Counter[str] = field(default_factory=Counter)
    tokens_from_cache: Counter[str] = field(default_factory=Counter)
    cost: float | None = None
    seconds: float = 0.0
    served: Counter[Served] = field(default_factory=Counter)

    def add(self, turn: Mapping[str, Any]) -> None:
        """Count in what one answer took."""
        cached, tokens = bool(turn["cached"]), turn["tokens"]
        if cached:
            self.from_cache += 1
            self.tokens_from_cache.update(tokens or {})
        else:
            self.asked += 1
            self.seconds += turn["time_s"]
            self.tokens.update(tokens or {})
            self.without_tokens += tokens is None
        if turn["cost"] is not None:
            self.cost = (self.cost or 0.0) + turn["cost"]
        if (served := _served(turn.get("findings", ()))) != (None, None):
            self.served[served] += 1

    def to_json(self) -> dict[str, Any]:
        """Return the counts as one JSON object."""
        return {
            "asked": self.asked,
            "from_cache": self.from_cache,
            "without_tokens": self.without_tokens,
            "tokens": {kind: self.tokens[kind] for kind in _KINDS},
            "tokens_from_cache": {kind: self.tokens_from_cache[kind] for kind in _KINDS},
            "cost": self.cost,
            "seconds": round(self.seconds, 3),
            "served": [
                {"model": model, "system_fingerprint": fingerprint, "answers": count}
                for (model, fingerprint), count in sorted(self.served.items(), key=_by_name)
            ],
        }


def _served(findings: Any) -> Served:
    """Return what the server called the model that answered, and its build; None for what it did not say."""
    told: dict[str, str] = {}
    for finding in findings:
        if isinstance(finding, Mapping) and {"attempts", "finish_reason"} & finding.keys():
            told |= {name: value for name, value in finding.items() if isinstance(value, str)}
    return told.get("model"), told.get("system_fingerprint")


def _by_name(entry: tuple[Served, int]) -> tuple[str, str]:
    (model, fingerprint), _ = entry
    return model or "", fingerprint or ""
