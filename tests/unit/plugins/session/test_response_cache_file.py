"""Where the completions of a run are cached, and the line about it."""

from pathlib import Path

import pytest
from support.options import FakeConfig

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.usage import Usage
from retrocypher.plugins.session.options import read_options
from retrocypher.plugins.session.plan import answers_file, answers_line
from retrocypher.prompts.models.spec import parse_spec

ASKED = [parse_spec("oracle"), parse_spec("gpt-x")]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.chdir(tmp_path)


def file_of(*, models: int = 2, **given: object) -> Path | None:
    return answers_file(read_options(FakeConfig(given)), ASKED[:models])  # type: ignore[arg-type]


def test_where_completions_are_cached(tmp_path: Path) -> None:
    assert file_of() == tmp_path / "answers.sqlite"
    assert file_of(cache="~/a.sqlite") == Path("/home/me/a.sqlite")
    assert file_of(cache="./none") == tmp_path / "none"
    assert file_of(cache="none") is None
    assert file_of(models=1) is None
    assert file_of(models=1, cache="none", offline=True) is None
    with pytest.raises(InputError, match="--offline --cache none: then there are no answers"):
        file_of(cache="none", offline=True)


def test_a_replay_uses_the_cache_if_there_is_one(tmp_path: Path) -> None:
    replay = {"offline": True, "replay": ["run"]}
    assert file_of(**replay) is None
    assert file_of(**replay, cache="none") is None
    assert file_of(**replay, cache="a") == tmp_path / "a"
    (tmp_path / "answers.sqlite").touch()
    assert file_of(**replay) == tmp_path / "answers.sqlite"


def test_no_folder_for_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").touch()
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path / "a" / "b"))
    with pytest.raises(
        InputError, match=r"a/b/answers\.sqlite cannot be made .*RETROCYPHER_CACHE.*--cache none"
    ):
        file_of()


def test_the_line_counts_what_was_asked() -> None:
    made = {"cached": False, "tokens": None, "cost": None, "time_s": 1.0}
    usage = Usage()
    usage.add_once([made, {**made, "cached": True}])
    assert answers_line(usage, Path("a")) == "answers: 1 asked, 1 from the cache"
    assert answers_line(usage, None) == "answers: 1 asked, none kept (--cache none)"
    assert answers_line(usage, None, replayed=True) == "answers: 1 asked, 1 had before"
    assert answers_line(Usage(), Path("a")) == ""
