"""The response cache: keys, what is stored, models behind it, and files that cannot be used."""

import json
import shutil
import sqlite3
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.answers import IDENTITY, kept
from support.examples import examples

from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.models.cache_files import prepare
from retrocypher.prompts.models.interface import Completion, ModelError, Request
from retrocypher.prompts.models.open import CachedModel, ModelContext, OfflineModel
from retrocypher.prompts.models.response_cache import (
    SCHEMA_VERSION,
    CacheEntry,
    Identity,
    ResponseCache,
    ResponseCacheError,
    connect,
    open_cache,
    request_key,
)
from retrocypher.prompts.models.spec import parse_spec

TEXT = st.text(st.characters(), max_size=8)
VALUES = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(0, 1) | TEXT
PARAMETERS = st.dictionaries(TEXT, VALUES | st.dictionaries(TEXT, VALUES, max_size=2), max_size=3)
MESSAGES = st.lists(st.fixed_dictionaries({"role": TEXT, "content": TEXT}), max_size=3)
REQUESTS = st.tuples(TEXT, TEXT, PARAMETERS, MESSAGES, st.integers(0, 2))
Asked = tuple[str, str, dict[str, Any], list[dict[str, str]], int]


def key_of(asked: Asked) -> str:
    model, api, parameters, messages, repeat = asked
    return request_key(Identity(model, api, parameters), messages, repeat)


@given(REQUESTS, st.data())
def test_requests_share_a_key_exactly_if_they_are_the_same(asked: Asked, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, 4))
    part: Any = (TEXT, TEXT, PARAMETERS, MESSAGES, st.integers(0, 2))[place]
    new = data.draw(part.filter(lambda value: json.dumps(value) != json.dumps(asked[place])))
    changed: Any = (*asked[:place], new, *asked[place + 1 :])
    same = json.dumps(changed, sort_keys=True) == json.dumps(asked, sort_keys=True)
    assert (key_of(changed) == key_of(asked)) == same


@given(REQUESTS)
def test_the_order_of_names_changes_nothing(asked: Asked) -> None:
    model, api, parameters, messages, repeat = asked
    turned = dict(reversed(parameters.items()))
    backwards = [dict(reversed(message.items())) for message in messages]
    assert key_of((model, api, turned, backwards, repeat)) == key_of(asked)


def test_a_key_stays_what_it_was() -> None:
    """A change here makes every existing cache worthless."""
    messages = [{"role": "user", "content": "Qué µ \N{BENZENE RING}"}]
    asked: Asked = ("gpt-x", "api.example/v1", {"temperature": 0, "seed": 7}, messages, 0)
    assert key_of(asked) == "2d8a7503dba72ee1e15de8e4deb84e2873b45575d92cf399ef82c62629399a7e"


def test_what_was_kept_is_found_by_the_next_process_and_the_first_response_stays(tmp_path: Path) -> None:
    file = tmp_path / "new folder" / "answers.sqlite"
    assert prepare(file) == 0
    with open_cache(file) as store, open_cache(file) as other:
        assert store.get(kept().key) is None
        assert store.put(kept()) == kept()
        assert other.put(kept(text="Something else.")) == kept()
    with open_cache(file) as store:
        assert store.get(kept().key) == kept()
    assert prepare(file) == 1
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


NUMBERS = count()
JSON = st.none() | st.booleans() | st.integers(-5, 5) | st.text(st.characters(), max_size=5)


@examples(50)
@given(
    text=st.text(st.characters(), max_size=20),
    details=st.dictionaries(st.text(max_size=5), JSON | st.lists(JSON, max_size=2), max_size=3),
    tokens=st.none() | st.fixed_dictionaries({"prompt": st.integers(0), "completion": st.integers(0)}),
    time_s=st.floats(0, 1e6),
)
def test_an_answer_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory,
    text: str,
    details: dict[str, object],
    tokens: dict[str, int] | None,
    time_s: float,
) -> None:
    answer = kept(f"question {next(NUMBERS)}", text=text, details=details, tokens=tokens, time_s=time_s)
    with open_cache(tmp_path_factory.getbasetemp() / "round-trips.sqlite") as store:
        store.put(answer)
        assert store.get(answer.key) == answer
    assert CacheEntry.from_json(answer.to_json()) == answer


def test_readers_need_no_right_to_write(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    with open_cache(file) as store:
        store.put(kept())
    before = file.read_bytes()
    assert prepare(file, read_only=True) == 1
    with open_cache(file, read_only=True) as store:
        assert store.get(kept().key) == kept()
    assert file.read_bytes() == before


def test_writing_does_not_wait_for_readers(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    prepare(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as reader, open_cache(file) as store:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM answers").fetchone() == (0,)
        store.put(kept())
        assert reader.execute("SELECT count(*) FROM answers").fetchone() == (0,)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A cache with enough in it to be damaged in many places."""
    path = tmp_path / "answers.sqlite"
    with open_cache(path) as store:
        for number in range(200):
            store.put(kept(f"question {number}"))
    return path


def refused(file: Path, *said: str, read_only: bool = False) -> None:
    with pytest.raises(ResponseCacheError) as caught:
        prepare(file, read_only=read_only)
    message = str(caught.value)
    assert "\n" not in message
    for part in (f"the answer cache {file} ", "--cache FILE", "--cache none", *said):
        assert part in message


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def scribble(file: Path) -> None:
    size = file.stat().st_size
    file.write_bytes(file.read_bytes()[:8192] + b"\x5a" * (size - 8192))


def execute(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(statement)


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda file: file.write_bytes(b"a,b\n" * 400), ["is no SQLite database", "Move it away"]),
        (cut, ["is damaged", "Move it away and import an export of it"]),
        (scribble, ["is damaged"]),
        (
            lambda file: execute(file, f"PRAGMA user_version = {SCHEMA_VERSION + 1}"),
            ["newer version (schema 2, this one reads 1)", "Use that version"],
        ),
    ],
)
def test_a_damaged_or_newer_file(
    file: Path, damage: Callable[[Path], object], said: list[str], read_only: bool
) -> None:
    damage(file)
    refused(file, *said, read_only=read_only)


def test_another_programs_database(tmp_path: Path) -> None:
    file = tmp_path / "history.sqlite"
    execute(file, "CREATE TABLE visits (url TEXT)")
    before = file.read_bytes()
    refused(file, "is the database of another program")
    assert file.read_bytes() == before


def test_something_else_or_nothing_in_its_place(tmp_path: Path) -> None:
    refused(tmp_path, "cannot be opened")
    file = tmp_path / "answers.sqlite"
    refused(file, "is not there", read_only=True)
    file.touch()
    refused(file, "holds nothing", read_only=True)
    refused(file / "answers.sqlite", "cannot be opened")


def test_a_locked_cache(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrocypher.prompts.models.response_cache._BUSY_S", 0.1)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        refused(file, "is locked by another program")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if not shutil.which("mount") or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_read_only_and_a_full_disk(small_disk: Path) -> None:
    file = small_disk / "answers.sqlite"
    with open_cache(file) as store:
        store.put(kept())
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    refused(file, "cannot be written to", "Make file and folder writable")
    assert prepare(file, read_only=True) == 1
    with open_cache(file, read_only=True) as store:
        assert store.get(kept().key) == kept()
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    file.unlink()
    (small_disk / "filler").write_bytes(b"x" * 1_040_000)
    refused(file, "the disk is full", "Make room")


_AS_NOBODY = """
import os, sys
from pathlib import Path
from retrocypher.prompts.models.response_cache import ResponseCacheError
from retrocypher.prompts.models.cache_files import prepare
if os.geteuid() == 0:
    os.setuid(65534)
try:
    prepare(Path(sys.argv[1]))
except ResponseCacheError as error:
    print(error)
"""


def test_a_file_without_the_right_to_write(tmp_path: Path, file: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o055)
    file.chmod(0o444)
    said = subprocess.run(
        [sys.executable, "-c", _AS_NOBODY, str(file)], capture_output=True, text=True, check=True
    )
    assert f"the answer cache {file} cannot be written to" in said.stdout


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
    identity = ModelContext(tmp_path, 1, 7, environment=ENVIRONMENT).identity(parse_spec("gpt-x"))
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
