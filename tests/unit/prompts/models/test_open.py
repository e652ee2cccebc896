"""Models behind the response cache, and what is sent to them."""

import json
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.answers import IDENTITY

from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.models.checks import identity_of
from retrocypher.prompts.models.interface import Completion, ModelError, Request, whole_messages
from retrocypher.prompts.models.open import CachedModel, ModelContext, OfflineModel
from retrocypher.prompts.models.response_cache import Identity, ResponseCache, connect
from retrocypher.prompts.models.spec import parse_spec

ASKED = [{"role": "user", "content": "What makes it?"}]
CASE = {"prompt": "P1", "shot": "ZS", "loop": "none"}
REQUEST = Request(ASKED, load_questions().questions[0], None, CASE, "the-case")
ENVIRONMENT = {"OPENAI_API_KEY": "sk-very-secret", "OPENAI_BASE_URL": "https://me:pass@Host:8000/v1/?k=tok"}


@dataclass
class Scripted:
    """Says what it is to say, in turn."""

    said: list[Completion | ModelError]
    label: str = "m"
    asked: list[Request] = field(default_factory=list)

    def answer(self, request: Request) -> Completion:
        self.asked.append(request)
        said = self.said.pop(0)
        if isinstance(said, ModelError):
            raise said
        return said

    def close(self) -> None:
        """Nothing is held."""


FIRST = Completion("RETURN 1", {"prompt": 9, "completion": 3}, 1.5, {"finish_reason": "stop"}, cost=0.25)
SECOND = replace(FIRST, text="RETURN 2", time_s=2.5)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(connect(tmp_path / "answers.sqlite")) as opened:
        yield opened


@pytest.fixture
def store(tmp_path: Path, connection: sqlite3.Connection) -> ResponseCache:
    return ResponseCache(tmp_path / "answers.sqlite", connection)


def test_the_same_is_asked_once_and_costs_nothing_then(store: ResponseCache) -> None:
    model = Scripted([FIRST])
    remembered = CachedModel(IDENTITY, store, model)
    assert remembered.answer(REQUEST) == FIRST
    again = replace(FIRST, cost=None, cached=True)
    assert remembered.answer(REQUEST) == again
    assert CachedModel(IDENTITY, store, Scripted([])).answer(REQUEST) == again
    assert OfflineModel("m", IDENTITY, store).answer(REQUEST) == again
    assert len(model.asked) == 1


def test_what_differs_is_asked_and_the_same_the_next_time(store: ResponseCache) -> None:
    other = replace(REQUEST, messages=[{"role": "user", "content": "And what else?"}])
    again = replace(REQUEST, repeat=1)
    reseeded = Identity(IDENTITY.model, IDENTITY.api, {**IDENTITY.parameters, "seed": 8})
    CachedModel(IDENTITY, store, Scripted([FIRST])).answer(REQUEST)
    for identity, request in ((IDENTITY, other), (IDENTITY, again), (reseeded, REQUEST)):
        assert CachedModel(identity, store, Scripted([SECOND])).answer(request) == SECOND
        assert OfflineModel("m", identity, store).answer(request).text == "RETURN 2"
    assert OfflineModel("m", IDENTITY, store).answer(REQUEST).text == "RETURN 1"


def test_a_failure_is_not_kept_but_a_limit_of_the_model_is(store: ResponseCache) -> None:
    nothing = Completion("", time_s=0.5, details={"no_answer": "the prompt is too long"})
    model = CachedModel(IDENTITY, store, Scripted([ModelError("timeout", "late"), nothing]))
    with pytest.raises(ModelError, match="late"):
        model.answer(REQUEST)
    assert model.answer(REQUEST) == nothing
    assert model.answer(REQUEST) == replace(nothing, cached=True)


def test_what_another_process_kept_meanwhile_holds(store: ResponseCache) -> None:
    slow = Scripted([SECOND])
    quick = CachedModel(IDENTITY, store, Scripted([FIRST]))

    class Overtaken(Scripted):
        def answer(self, request: Request) -> Completion:
            quick.answer(request)
            return slow.answer(request)

    found = CachedModel(IDENTITY, store, Overtaken([])).answer(REQUEST)
    # Its own call was made and paid for.
    assert found == replace(FIRST, cost=SECOND.cost, cached=False)


def test_a_cache_that_fails_costs_no_answer(store: ResponseCache, connection: sqlite3.Connection) -> None:
    model = CachedModel(IDENTITY, store, Scripted([FIRST, SECOND]))
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    big = replace(FIRST, text="x" * 100_000)
    with pytest.warns(UserWarning, match=r"answers are not kept, .*answers\.sqlite .* the disk is full"):
        assert CachedModel(IDENTITY, store, Scripted([big])).answer(REQUEST) == big
    connection.close()
    with pytest.warns(UserWarning, match="answers are not kept"):
        assert model.answer(REQUEST) == FIRST
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.answer(REQUEST) == SECOND
    with pytest.raises(ModelError, match=r"the answer cache .*answers\.sqlite") as caught:
        OfflineModel("m", IDENTITY, store).answer(REQUEST)
    assert caught.value.kind == "not_cached"


def test_offline_names_the_case_and_what_to_do(store: ResponseCache) -> None:
    offline = OfflineModel("m", IDENTITY, store)
    with pytest.raises(
        ModelError, match=r"^the-case: .* asks m has no answer .*without --offline, or"
    ) as caught:
        offline.answer(REQUEST)
    assert caught.value.kind == "not_cached"
    with pytest.raises(ModelError, match=r"asks m \(time 3 that it asks so\)"):
        offline.answer(replace(REQUEST, repeat=2))


def test_nothing_secret_is_written(tmp_path: Path, store: ResponseCache) -> None:
    identity = identity_of(parse_spec("gpt-x"), weights={}, seed=7, environment=ENVIRONMENT)
    assert identity is not None
    CachedModel(identity, store, Scripted([FIRST])).answer(REQUEST)
    files = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"host:8000/v1" in files
    for secret in (b"sk-very-secret", b"pass", b"tok=", b"=tok", b"me:"):
        assert secret not in files


def test_models_that_read_no_messages_are_not_kept(
    tmp_path: Path, store: ResponseCache, connection: sqlite3.Connection
) -> None:
    specs = [parse_spec("oracle"), parse_spec("gpt-x", ENVIRONMENT)]
    opened = ModelContext(tmp_path, 1, 0, environment={}, answers=store, offline=True).open(specs)
    assert opened["oracle"].answer(REQUEST).text == REQUEST.question.reference_cypher
    with pytest.raises(ModelError, match="--offline asks nobody"):
        opened["gpt-x"].answer(REQUEST)
    assert connection.execute("SELECT count(*) FROM answers").fetchone() == (0,)


def test_half_a_character_is_replaced_and_a_whole_one_kept() -> None:
    sent = whole_messages([{"role": "user", "content": "cut \ud83d, whole \U0001f9ea, Ω"}])
    assert sent == [{"role": "user", "content": "cut \ufffd, whole \U0001f9ea, Ω"}]


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_can_be_sent(text: str) -> None:
    (sent,) = whole_messages([{"role": "user", "content": text}])
    assert json.loads(json.dumps(sent, ensure_ascii=False).encode("utf-8"))["content"] == sent["content"]
    assert len(sent["content"]) == len(text)
