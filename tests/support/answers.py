"""Answers as a cache keeps them."""

from typing import Any

from retrocypher.prompts.models.response_cache import CacheEntry, Identity, request_key

IDENTITY = Identity("gpt-x", "api.example/v1", {"temperature": 0, "seed": 7})


def kept(question: str = "What makes it?", **other: Any) -> CacheEntry:
    """Return an answer to a question."""
    key = request_key(IDENTITY, [{"role": "user", "content": question}])
    values: dict[str, Any] = {
        "key": key,
        "model": IDENTITY.model,
        "api": IDENTITY.api,
        "parameters": IDENTITY.parameters,
        "served": "gpt-x-2025",
        "made": "2026-01-02T03:04:05+00:00",
        "text": f"```\nRETURN '{question}'\n```",
        "tokens": {"prompt": 100, "completion": 20},
        "time_s": 1.5,
        "details": {"finish_reason": "stop", "model": "gpt-x-2025", "attempts": 1},
    }
    return CacheEntry(**{**values, **other})
