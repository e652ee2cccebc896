"""The response cache: keys, what is stored, and files that cannot be used."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.answers import kept
from support.examples import examples

from retrocypher.prompts.models.cache_files import prepare
from retrocypher.prompts.models.response_cache import (
    SCHEMA_VERSION,
    CacheEntry,
    Identity,
    ResponseCacheError,
    open_cache,
    request_key,
)

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
