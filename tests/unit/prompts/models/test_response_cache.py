"""The response cache: what is kept, models behind it, files that cannot be used, and its upkeep."""

import gzip
import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.answers import kept
from support.examples import examples
from support.gateways import model_of, start_gateway

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.models.cache_files import export, import_responses, prepare, prune, stats
from retrocypher.prompts.models.interface import Completion, ModelError, Request, TextModel
from retrocypher.prompts.models.openai import OpenAIModel
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
    assert prepare(file, read_only=True) == 1
    with open_cache(file, read_only=True) as store:
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


def refused(file: Path, *said: str, read_only: bool = False) -> None:
    with pytest.raises(ResponseCacheError) as caught:
        prepare(file, read_only=read_only)
    message = str(caught.value)
    assert "\n" not in message
    for part in (f"the response cache {file} ", "--cache FILE", "--cache none", *said):
        assert part in message


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def scribble(file: Path) -> None:
    size = file.stat().st_size
    file.write_bytes(file.read_bytes()[:8192] + b"\x5a" * (size - 8192))


def execute(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(statement)


def of_another_program(file: Path) -> None:
    file.unlink()
    execute(file, "CREATE TABLE visits (url TEXT)")


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda file: file.write_bytes(b"a,b\n" * 400), ["is no SQLite database", "Move it away"]),
        (cut, ["is damaged", "Move it away and import an export of it"]),
        (scribble, ["is damaged"]),
        (of_another_program, ["is the database of another program"]),
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
    before = file.read_bytes()
    refused(file, *said, read_only=read_only)
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
print(prepare(Path(sys.argv[1]), read_only=True))
"""


def test_a_file_without_the_right_to_write(tmp_path: Path, file: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o055)
    file.chmod(0o444)
    said = subprocess.run(
        [sys.executable, "-c", _AS_NOBODY, str(file)], capture_output=True, text=True, check=True
    )
    assert f"the response cache {file} cannot be written to. " in said.stdout
    assert said.stdout.endswith("\n50\n")


ASKED = [{"role": "user", "content": "What makes it?"}]
CASE = {"prompt": "P1", "shot": "ZS", "loop": "none"}
REQUEST = Request(ASKED, load_questions().questions[0], None, CASE, "the-case")
ENVIRONMENT = {"OPENAI_API_KEY": "sk-very-secret", "OPENAI_BASE_URL": "https://me:pass@Host:8000/v1/?k=tok"}
SPEC = parse_spec("m=gpt-x", ENVIRONMENT)
FIRST = Completion("RETURN 1", {"prompt": 9, "completion": 3}, 1.5, {"finish_reason": "stop"}, cost=0.25)
SECOND = replace(FIRST, text="RETURN 2", time_s=2.5)
Sessions = Callable[..., TextModel]


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> list[Completion | ModelError]:
    """What the API says, in turn."""
    said = list[Completion | ModelError]()

    async def complete(*_: object) -> Completion:
        if isinstance(next_one := said.pop(0), ModelError):
            raise next_one
        return next_one

    monkeypatch.setattr(OpenAIModel, "complete", complete)
    return said


@pytest.fixture
def session(tmp_path: Path, cache: Path) -> Iterator[Sessions]:
    """Opens a model of a session of its own, with the cache of all."""
    with ExitStack() as stack:

        def make(**fields: Any) -> TextModel:
            gateway = start_gateway(tmp_path, **{"environment": ENVIRONMENT, "cache": cache, **fields})
            return model_of(stack.enter_context(gateway), SPEC)

        yield make


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "new.sqlite"


def test_the_same_is_asked_once_and_costs_nothing_then(
    session: Sessions, says: list[Completion | ModelError]
) -> None:
    says.append(FIRST)
    model = session()
    assert model.answer(REQUEST) == FIRST
    again = replace(FIRST, cost=None, cached=True)
    keyless = {"OPENAI_BASE_URL": ENVIRONMENT["OPENAI_BASE_URL"]}
    for each in (model, session(), session(offline=True, environment=keyless)):
        assert each.answer(REQUEST) == again


def test_what_differs_is_asked_and_the_same_the_next_time(
    session: Sessions, says: list[Completion | ModelError]
) -> None:
    other = replace(REQUEST, messages=[{"role": "user", "content": "And what else?"}])
    again = replace(REQUEST, repeat=1)
    says += [FIRST, SECOND, SECOND, SECOND]
    session().answer(REQUEST)
    for seed, request in ((7, other), (7, again), (8, REQUEST)):
        assert session(seed=seed).answer(request) == SECOND
        assert session(seed=seed, offline=True).answer(request).text == "RETURN 2"
    assert session(offline=True).answer(REQUEST).text == "RETURN 1"


def test_a_failure_is_not_kept_but_a_limit_of_the_model_is(
    session: Sessions, says: list[Completion | ModelError]
) -> None:
    nothing = Completion("", time_s=0.5, details={"no_answer": "the prompt is too long"})
    says += [ModelError("timeout", "late"), nothing]
    model = session()
    with pytest.raises(ModelError, match="late") as caught:
        model.answer(REQUEST)
    assert caught.value.kind == "timeout"
    assert model.answer(REQUEST) == nothing
    assert model.answer(REQUEST) == replace(nothing, cached=True)


def test_a_cache_that_fails_costs_no_answer(
    session: Sessions,
    says: list[Completion | ModelError],
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("retrocypher.prompts.models.response_cache._BUSY_S", 0.1)
    says += [FIRST, SECOND, FIRST]
    model = session()
    with closing(sqlite3.connect(cache, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert model.answer(REQUEST) == FIRST
        assert model.answer(REQUEST) == SECOND
    # What failed once is not waited for again.
    (warned,) = [each.getMessage() for each in caplog.records]
    assert re.match(
        r"Completions are not cached in the rest of this session: .*new\.sqlite is locked", warned
    )
    assert model.answer(REQUEST) == FIRST
    execute(cache, "DROP TABLE answers")
    with pytest.raises(ModelError, match=r"the response cache .*new\.sqlite cannot be used") as caught:
        session(offline=True).answer(REQUEST)
    assert caught.value.kind == "not_cached"


def test_a_full_disk_is_named(file: Path) -> None:
    with closing(connect(file)) as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(ResponseCacheError, match="the disk is full"):
            ResponseCache(file, connection).put(kept("big", text="x" * 100_000))


def test_a_cache_that_cannot_be_opened_starts_no_session(session: Sessions, cache: Path) -> None:
    cache.mkdir()
    with pytest.raises(ResponseCacheError, match="cannot be opened"):
        session()


def test_offline_names_the_case_and_what_to_do(session: Sessions, cache: Path) -> None:
    prepare(cache)
    offline = session(offline=True)
    with pytest.raises(
        ModelError, match=r"^the-case: .* has no completion of m .*without --offline, or"
    ) as caught:
        offline.answer(REQUEST)
    assert caught.value.kind == "not_cached"
    with pytest.raises(ModelError, match=r"of m for this request, asked 3 times"):
        offline.answer(replace(REQUEST, repeat=2))


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
    found = asdict(stats(file))
    assert (found["answers"], found["schema_version"], found["file"]) == (50, 1, str(file))
    assert (found["oldest"], found["newest"]) == (OLD[0].made, NEW[0].made)
    assert found["bytes"] == file.stat().st_size
    first, second = found["models"]
    assert (first["model"], first["api"], first["answers"]) == ("gpt-x", "api.example/v1", 30)
    assert (first["prompt_tokens"], first["completion_tokens"], first["seconds"]) == (3000, 600, 45.0)
    assert (second["model"], second["api"], second["answers"]) == ("local", "", 20)

    empty = tmp_path / "empty.sqlite"
    prepare(empty)
    found = asdict(stats(empty))
    assert [found[name] for name in ("answers", "oldest", "newest", "models")] == [0, None, None, ()]


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
