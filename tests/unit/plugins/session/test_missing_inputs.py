"""What a run needs and does not have is refused before anything is paid for."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.passages import graph_fingerprint
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server import open as server
from retrocypher.plugins.scoring import answer_check
from retrocypher.plugins.scoring.answer_check import passage_search, require_passages
from retrocypher.plugins.session.manifest import open_graph
from retrocypher.prompts.answering.writing import Limits


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    monkeypatch.setattr(answer_check, "build_passages", lambda: tmp_path)


def test_passages_are_of_the_default_graph_and_are_not_fetched_offline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for context in ("hybrid", "hybrid-lexical"):
        with pytest.raises(InputError, match="passages come with the default graph alone"):
            require_passages(context, "tiny", "0" * 64)
    require_passages("hybrid-lexical", None, graph_fingerprint())
    monkeypatch.setattr(answer_check, "is_offline", lambda: True)
    with pytest.raises(InputError, match="run once: retrocypher passages build"):
        require_passages("hybrid-lexical", None, graph_fingerprint())


@pytest.mark.parametrize(
    ("installed", "said"), [(False, "or take --answer-context hybrid-lexical"), (True, "build --vectors")]
)
def test_vectors_are_not_replaced_by_words(
    monkeypatch: pytest.MonkeyPatch, installed: bool, said: str
) -> None:
    monkeypatch.setattr(answer_check, "extra_installed", lambda: installed)
    with pytest.raises(InputError, match=said):
        require_passages("hybrid", "tiny", graph_fingerprint())


def test_a_context_of_rows_alone_has_no_search() -> None:
    with passage_search("rows", None, Limits()) as search:
        assert search is None


def test_questions_of_another_graph_are_refused_before_a_server_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server, "LocalEngine", lambda announce: SimpleNamespace(kind="local", store_key="5"))
    questions = replace(load_questions(), fingerprint="0" * 64)
    said: list[str] = []
    with pytest.raises(InputError, match=r"which is not the shipped one.*graph up --graph DIR` first"):
        open_graph("local", questions, said.append)
    assert said == []
