"""Texts that a model makes once a run, for all processes."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from filelock import FileLock

from prompts.models import Answer

_PREFIX = "once-"


class OnceInFolder:
    """Keeps texts in a folder that all processes of the run share.

    Args:
        directory: The folder; made if absent.
    """

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self._known: dict[str, str] = {}

    def get(self, key: str, make: Callable[[], Answer]) -> str:
        """Return the text of a key; the first process to ask makes it, the others wait for it.

        Raises:
            ModelError: As ``make`` does; then the next to ask tries again.
        """
        if key not in self._known:
            stem = _PREFIX + hashlib.sha256(key.encode()).hexdigest()[:16]
            file = self._directory / f"{stem}.json"
            with FileLock(self._directory / f"{stem}.lock"):
                if not file.exists():
                    answer = make()
                    made = {
                        "text": answer.text,
                        "tokens": answer.tokens,
                        "cost": answer.cost,
                        "time_s": answer.time_s,
                        "cached": answer.cached,
                        "findings": [answer.details] if answer.details else [],
                    }
                    unfinished = file.with_suffix(".part")
                    unfinished.write_text(json.dumps({"key": key, **made}), encoding="utf-8")
                    unfinished.replace(file)
            self._known[key] = json.loads(file.read_text(encoding="utf-8"))["text"]
        return self._known[key]


def made_once(directory: Path) -> list[dict[str, Any]]:
    """Return what was made once in a run, by key: text, tokens, cost, seconds, and whether it was cached."""
    found = [json.loads(file.read_text(encoding="utf-8")) for file in directory.glob(f"{_PREFIX}*.json")]
    return sorted(found, key=lambda each: str(each["key"]))
