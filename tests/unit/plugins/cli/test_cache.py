"""The cache of answers on the command line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.answers import kept

from retrocypher.plugins.cli.main import cli
from retrocypher.prompts.models.cache_files import default_file
from retrocypher.prompts.models.response_cache import open_cache


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    with open_cache(default_file()) as store:
        for number in range(3):
            store.put(kept(f"question {number}"))
    return default_file()


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["cache", *arguments])


def test_what_there_is(cache: Path) -> None:
    text = run("stats").output
    for part in ("gpt-x", "api.example/v1", "2026-01-02", f"{cache}: 3 responses"):
        assert part in text
    found = json.loads(run("stats", "--json", "--cache", str(cache)).output)
    assert found.keys() == {"file", "schema_version", "bytes", "answers", "oldest", "newest", "models"}


def test_out_and_in_again(tmp_path: Path) -> None:
    out, other = str(tmp_path / "out.jsonl.gz"), str(tmp_path / "other.sqlite")
    assert "3 responses written to" in run("export", out).output
    assert json.loads(run("export", f"{out}.2", "--json").output)["answers"] == 3
    assert run("import", out, "--cache", other).output == "3 responses added, 0 in the cache already\n"
    assert json.loads(run("import", out, "--json").output) == {"added": 0, "known": 3, "conflicts": []}


def test_a_conflict_is_shown(tmp_path: Path) -> None:
    with open_cache(tmp_path / "other.sqlite") as store:
        store.put(kept("question 1", text="Something else."))
    out = str(tmp_path / "out.jsonl")
    run("export", out, "--cache", str(tmp_path / "other.sqlite"))
    done = run("import", out)
    assert done.exit_code == 0
    assert "1 response differs from the cached ones, which stay:\n" in done.output
    assert f"{out}, line 1: gpt-x, request {kept('question 1').key[:12]}" in done.output
    (conflict,) = json.loads(run("import", out, "--json").output)["conflicts"]
    assert conflict.keys() == {"key", "model", "kept_made", "refused_made", "file", "line"}


def test_removing(cache: Path) -> None:
    assert "0 responses removed, 3 left" in run("prune", "--older-than", "5000w").output
    assert "0 responses removed, 3 left" in run("prune", "--to-size", "1.5 gb").output
    done = json.loads(run("prune", "--model", "gpt-x", "--json").output)
    assert (done["removed"], done["left"]) == (3, 0)
    assert done.keys() == {"removed", "left", "bytes_before", "bytes_after"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["prune", "--older-than", "30"], "30: give a number of hours, days or weeks, such as 12h"),
        (["prune", "--older-than", "99999999w"], "give a number of hours"),
        (["prune", "--to-size", "-5MB"], "-5MB: give a number of B, KB, MB or GB"),
        (["prune"], "name what to remove, with --older-than, --model or --to-size"),
        (["stats", "--cache", "/no/such/file"], "the response cache /no/such/file is not there"),
    ],
)
def test_wrong_use_is_reported(arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert done.exit_code
    assert said in f"{done.output}{done.exception}"
