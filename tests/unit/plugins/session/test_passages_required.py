"""Passages that a run needs: had, or refused before anything is paid for."""

from pathlib import Path

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.passages import graph_fingerprint
from retrocypher.plugins.scoring import answer_check as _passages
from retrocypher.plugins.scoring.answer_check import passage_search, require_passages
from retrocypher.prompts.answering.writing import Limits


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    monkeypatch.setattr(_passages, "build_passages", lambda: tmp_path)


@pytest.mark.parametrize("context", ["hybrid", "hybrid-lexical"])
def test_another_graph_has_none(context: str) -> None:
    with pytest.raises(InputError, match="passages come with the default graph alone"):
        require_passages(context, "tiny", "0" * 64)


def test_offline_fetches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_passages, "is_offline", lambda: True)
    with pytest.raises(InputError, match="run once: retrocypher passages build"):
        require_passages("hybrid-lexical", None, graph_fingerprint())


def test_words_need_nothing_more() -> None:
    require_passages("hybrid-lexical", None, graph_fingerprint())


@pytest.mark.parametrize(
    ("installed", "said"), [(False, "or take --answer-context hybrid-lexical"), (True, "build --vectors")]
)
def test_vectors_are_not_replaced_by_words(
    monkeypatch: pytest.MonkeyPatch, installed: bool, said: str
) -> None:
    monkeypatch.setattr(_passages, "extra_installed", lambda: installed)
    with pytest.raises(InputError, match=said):
        require_passages("hybrid", "tiny", graph_fingerprint())


def test_from_rows_alone_nothing_is_looked_for() -> None:
    with passage_search("rows", None, Limits()) as search:
        assert search is None
