from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server import open as _open
from retrocypher.plugins.session.manifest import open_graph


def test_questions_of_another_graph_are_refused_before_a_server_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    monkeypatch.setattr(_open, "LocalEngine", lambda announce: SimpleNamespace(kind="local", store_key="5"))
    questions = replace(load_questions(), fingerprint="0" * 64)
    said: list[str] = []
    with pytest.raises(InputError, match=r"which is not the shipped one.*graph up --graph DIR` first"):
        open_graph("local", questions, said.append)
    assert said == []
