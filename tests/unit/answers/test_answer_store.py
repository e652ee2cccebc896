"""Keeping answers and finding them again."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.answers import kept
from support.examples import examples

from retrocypher.prompts.models.cache_files import prepare
from retrocypher.prompts.models.response_cache import Kept, open_answers


def test_what_was_kept_is_found_by_the_next_process(tmp_path: Path) -> None:
    file = tmp_path / "new folder" / "answers.sqlite"
    assert prepare(file) == 0
    with open_answers(file) as store:
        assert store.get(kept().key) is None
        assert store.put(kept()) == kept()
    with open_answers(file) as store:
        assert store.get(kept().key) == kept()
    assert prepare(file) == 1
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_the_first_answer_stays(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    with open_answers(file) as one, open_answers(file) as other:
        one.put(kept())
        assert other.put(kept(text="Something else.")) == kept()
        assert one.get(kept().key) == kept()


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
    answer = kept(text=text, details=details, tokens=tokens, time_s=time_s)
    with open_answers(tmp_path_factory.getbasetemp() / "round-trips.sqlite") as store:
        store._connection.execute("DELETE FROM answers")
        store.put(answer)
        assert store.get(answer.key) == answer
    assert Kept.from_json(answer.to_json()) == answer


def test_readers_need_no_right_to_write(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    with open_answers(file) as store:
        store.put(kept())
    before = file.read_bytes()
    assert prepare(file, read_only=True) == 1
    with open_answers(file, read_only=True) as store:
        assert store.get(kept().key) == kept()
    assert file.read_bytes() == before


def test_writing_does_not_wait_for_readers(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    prepare(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as reader, open_answers(file) as store:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM answers").fetchone() == (0,)
        store.put(kept())
        assert reader.execute("SELECT count(*) FROM answers").fetchone() == (0,)


def test_the_file_is_marked_as_ours(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    prepare(file)
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
