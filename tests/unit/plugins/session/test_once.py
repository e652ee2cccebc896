"""Texts made once a run, whichever process asks first."""

import threading
from pathlib import Path

import pytest

from retrocypher.plugins.session.context import OnceInFolder, made_once
from retrocypher.prompts.models.interface import Completion, ModelError


def test_a_text_is_made_once_for_all(tmp_path: Path) -> None:
    made: list[int] = []
    found: list[str] = []

    def make() -> Completion:
        made.append(1)
        return Completion(f"text {len(made)}", tokens={"prompt": 3}, time_s=1.5, cost=0.25)

    def ask() -> None:
        once = OnceInFolder(tmp_path)
        found.extend((once.get("a", make), once.get("a", make)))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["text 1"] * 12
    assert OnceInFolder(tmp_path).get("b", make) == "text 2"
    first = {"key": "a", "text": "text 1", "tokens": {"prompt": 3}, "cost": 0.25, "time_s": 1.5}
    first |= {"cached": False, "findings": []}
    assert made_once(tmp_path)[0] == first
    assert [each["key"] for each in made_once(tmp_path)] == ["a", "b"]


def test_what_failed_is_tried_again(tmp_path: Path) -> None:
    def fail() -> Completion:
        raise ModelError("timeout", "no answer")

    once = OnceInFolder(tmp_path)
    with pytest.raises(ModelError):
        once.get("a", fail)
    assert once.get("a", lambda: Completion("now")) == "now"
