"""Where the answers of a run are kept, and what is said of them."""

from pathlib import Path

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.summary import Usage
from retrocypher.plugins.session.options import Options, read_options
from retrocypher.plugins.session.plan import answers_file, answers_line
from retrocypher.prompts.models.spec import parse_spec


class Given:
    """The two look-ups of pytest's config that options are read with."""

    def __init__(self, **given: object) -> None:
        self._given = given

    def getoption(self, name: str) -> object:
        return self._given.get(name.removeprefix("retrocypher_"))

    def getini(self, name: str) -> object:
        return None


def options(**given: object) -> Options:
    return read_options(Given(**given))  # type: ignore[arg-type]


ASKED = [parse_spec("oracle"), parse_spec("gpt-x")]


def test_where_answers_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.chdir(tmp_path)
    assert answers_file(options(), ASKED) == tmp_path / "answers.sqlite"
    assert answers_file(options(cache="~/a.sqlite"), ASKED) == Path("/home/me/a.sqlite")
    assert answers_file(options(cache="./none"), ASKED) == tmp_path / "none"
    assert answers_file(options(cache="none"), ASKED) is None
    assert answers_file(options(), ASKED[:1]) is None
    assert answers_file(options(cache="none", offline=True), ASKED[:1]) is None


def test_offline_needs_a_cache() -> None:
    with pytest.raises(InputError, match="--offline --cache none: then there are no answers"):
        answers_file(options(cache="none", offline=True), ASKED)


def test_where_a_run_is_replayed_a_cache_is_used_if_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    replay = {"offline": True, "replay": ["run"]}
    assert answers_file(options(**replay), ASKED) is None
    assert answers_file(options(**replay, cache="none"), ASKED) is None
    assert answers_file(options(**replay, cache="a"), ASKED) == Path("a").absolute()
    (tmp_path / "answers.sqlite").touch()
    assert answers_file(options(**replay), ASKED) == tmp_path / "answers.sqlite"


def test_no_folder_for_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").touch()
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path / "a" / "b"))
    with pytest.raises(
        InputError, match=r"a/b/answers\.sqlite cannot be made .*RETROCYPHER_CACHE.*--cache none"
    ):
        answers_file(options(), ASKED)


def test_what_was_asked_is_told_in_a_line() -> None:
    made = {"cached": False, "tokens": None, "cost": None, "time_s": 1.0}
    usage = Usage()
    usage.add_once([made, {**made, "cached": True}])
    assert answers_line(usage, Path("a")) == "answers: 1 asked, 1 from the cache"
    assert answers_line(usage, None) == "answers: 1 asked, none kept (--cache none)"
    assert answers_line(usage, None, replayed=True) == "answers: 1 asked, 1 had before"
    assert answers_line(Usage(), Path("a")) == ""
