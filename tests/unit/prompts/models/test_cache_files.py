"""Upkeep of the response cache: export, import, statistics, pruning."""

import gzip
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.answers import kept

from retrocypher.kg.errors import InputError
from retrocypher.prompts.models.cache_files import export, import_responses, prepare, prune, stats
from retrocypher.prompts.models.response_cache import CacheEntry, ResponseCacheError, open_cache

MARCH = datetime(2026, 3, 1, tzinfo=UTC)
OLD = [kept(f"old {number}") for number in range(30)]
NEW = [kept(f"new {number}", model="local", api="", made="2026-05-01T00:00:00+00:00") for number in range(20)]


def made(file: Path, *answers: CacheEntry) -> Path:
    with open_cache(file) as store:
        for answer in answers:
            store.put(answer)
    return file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return made(tmp_path / "answers.sqlite", *NEW, *OLD)


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz"])
def test_an_export_imported_elsewhere_is_the_same_cache(file: Path, tmp_path: Path, name: str) -> None:
    out, other, again = tmp_path / name, tmp_path / "other.sqlite", tmp_path / f"again-{name}"
    assert export(file, out) == 50
    lines = (gzip.open if name.endswith("gz") else open)(out).read().splitlines()
    assert [CacheEntry.from_json(json.loads(line)) for line in lines] == sorted(
        [*OLD, *NEW], key=lambda answer: (answer.made, answer.key)
    )
    assert export(file, tmp_path / "one.jsonl", models=["local", "no such"]) == 20
    done = import_responses(other, [out])
    assert (done.added, done.known, done.conflicts) == (50, 0, ())
    assert export(other, again) == 50
    assert again.read_bytes() == out.read_bytes()
    assert (import_responses(file, [out, again]).added, import_responses(file, [out]).known) == (0, 50)


def test_an_export_overwrites_nothing_and_leaves_no_half(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("mine")
    with pytest.raises(InputError, match="is there already"):
        export(file, out)
    with pytest.raises(InputError, match=r"no folder/out\.jsonl: cannot be written"):
        export(file, tmp_path / "no folder" / "out.jsonl")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE answers SET answer = '[' WHERE key = ?", (NEW[0].key,))
    with pytest.raises(ResponseCacheError, match="is damaged"):
        export(file, tmp_path / "half.jsonl")
    assert out.read_text() == "mine"
    assert [path.name for path in tmp_path.glob("*.jsonl*")] == ["out.jsonl"]


def test_conflicting_responses_are_reported_and_the_first_stays(file: Path, tmp_path: Path) -> None:
    other = replace(OLD[0], text="Something else.", made="2026-06-01T00:00:00+00:00")
    # How long it took, and when, is no difference.
    slower = replace(OLD[1], time_s=9.0, made="2026-06-01T00:00:00+00:00")
    out = tmp_path / "out.jsonl"
    export(made(tmp_path / "other.sqlite", other, slower, kept("fresh")), out)
    done = import_responses(file, [out])
    assert (done.added, done.known) == (1, 1)
    (conflict,) = done.conflicts
    assert (conflict.key, conflict.model, conflict.file) == (other.key, "gpt-x", str(out))
    assert (conflict.kept_made, conflict.refused_made) == (OLD[0].made, other.made)
    assert json.loads(out.read_text().splitlines()[conflict.line - 1])["text"] == "Something else."
    with open_cache(file) as store:
        assert store.get(other.key) == OLD[0]


GOOD = json.dumps(kept("good").to_json())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "Expecting property name"),
        ("[]", "no JSON object"),
        ("[" * 100_000, "recursion"),
        (GOOD.replace('"schema_version": 1', '"schema_version": 2'), "schema_version must be 1"),
        (GOOD.replace('"text"', '"texts"'), "text is missing"),
        (GOOD.replace('"time_s": 1.5', '"time_s": NaN'), "time_s has a value"),
        (GOOD.replace('"prompt": 100', '"prompt": 1.5'), "tokens has a value"),
        (GOOD.replace("2026-01-02", "2026-13-02"), "made has a value"),
        (GOOD.replace('"key": "', '"key": "x'), "key has a value"),
        (GOOD.replace('"gpt-x"', "null"), "model has a value"),
        ("\xff", "can't decode"),
    ],
)
def test_a_line_that_is_no_response_ends_the_import(tmp_path: Path, line: str, said: str) -> None:
    out, file = tmp_path / "out.jsonl", tmp_path / "answers.sqlite"
    out.write_bytes(f"{GOOD}\n\n".encode() + line.encode("latin-1") + b"\n")
    with pytest.raises(InputError, match=rf"out\.jsonl, line 3: .*{said}.* Nothing was imported"):
        import_responses(file, [out])
    assert prepare(file) == 0


def test_files_that_are_no_exports(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl.gz"
    export(file, out)
    whole = out.read_bytes()
    for content in (whole[:-30], whole[:200] + b"xxxx" + whole[204:]):
        out.write_bytes(content)
        with pytest.raises(InputError, match=r"damaged or cut short|line 1: no answer"):
            import_responses(tmp_path / "other.sqlite", [out])
    assert prepare(tmp_path / "other.sqlite") == 0
    with pytest.raises(InputError, match="cannot be read"):
        import_responses(file, [tmp_path / "absent.jsonl"])


def test_statistics(file: Path, tmp_path: Path) -> None:
    found = stats(file).to_json()
    assert (found["answers"], found["schema_version"], found["file"]) == (50, 1, str(file))
    assert (found["oldest"], found["newest"]) == (OLD[0].made, NEW[0].made)
    assert found["bytes"] == file.stat().st_size
    first, second = found["models"]
    assert (first["model"], first["api"], first["answers"]) == ("gpt-x", "api.example/v1", 30)
    assert (first["prompt_tokens"], first["completion_tokens"], first["seconds"]) == (3000, 600, 45.0)
    assert (second["model"], second["api"], second["answers"]) == ("local", "", 20)

    empty = tmp_path / "empty.sqlite"
    prepare(empty)
    found = stats(empty).to_json()
    assert [found[name] for name in ("answers", "oldest", "newest", "models")] == [0, None, None, []]


def test_old_ones_and_those_of_a_model_are_removed(file: Path) -> None:
    assert prune(file, before=MARCH, models=["local"]).removed == 0
    done = prune(file, before=MARCH)
    assert (done.removed, done.left) == (30, 20)
    assert done.bytes_after == file.stat().st_size < done.bytes_before
    assert prune(file, models=["gpt-x", "local"]).left == 0


def test_the_oldest_are_removed_until_it_is_small(tmp_path: Path) -> None:
    answers = [
        kept(f"q{number}", text="x" * 2_000, made=f"2026-01-{number % 28 + 1:02}T00:00:00+00:00")
        for number in range(280)
    ]
    file = made(tmp_path / "answers.sqlite", *answers)
    done = prune(file, to_bytes=300_000)
    assert done.bytes_before > 600_000
    assert 150_000 < done.bytes_after <= 300_000
    found = stats(file)
    assert found.answers == done.left == 280 - done.removed
    assert found.models[0].newest == "2026-01-28T00:00:00+00:00"
    assert found.models[0].oldest > "2026-01-10"
    assert prune(file, to_bytes=10).left == 0


def test_there_is_nothing_to_look_at(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    for look in (stats, prune, lambda path: export(path, tmp_path / "out.jsonl")):
        with pytest.raises(ResponseCacheError, match="is not there"):
            look(file)  # type: ignore[operator]
    assert not file.exists()
