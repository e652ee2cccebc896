"""`retrocypher verify`: thresholds that do not fit, and lines that cannot be used."""

import json

import pytest
from click.testing import CliRunner
from support.claims_graph import asking_reactions

from retrocypher.kg.claims.verification import Verifier
from retrocypher.kg.errors import InputError
from retrocypher.plugins.cli.verify import judge_lines, verify_command
from retrocypher.plugins.runs.written_answer import Thresholds

GOOD = json.dumps({"question": "", "answer": "Reaction 12 turns CCO into CC=O.\x1b[31m"}).encode()


def judged(*lines: bytes, as_json: bool) -> int:
    return judge_lines("answers", lines, Verifier(asking_reactions()), Thresholds(), as_json=as_json)


@pytest.mark.parametrize(
    "options",
    [
        ["--verified", "0.5", "--partial", "0.7"],
        ["--verified", "nan"],
        ["--partial", "nan"],
        ["--tolerance", "nan"],
    ],
)
def test_thresholds_must_be_numbers_that_fit(options: list[str]) -> None:
    result = CliRunner().invoke(verify_command, ["-", *options])
    assert isinstance(result.exception, InputError)
    assert options[-2] in str(result.exception)


def test_a_file_without_an_answer_is_not_verified(capsys: pytest.CaptureFixture[str]) -> None:
    assert judged(b"\xef\xbb\xbf\r\n", b"\n", as_json=True) == 1
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "answers has no answer.\n")


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"\xff", "not UTF-8"),
        (b"nope", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not an object"),
        (b'{"answer": ""}', '"question" is no text'),
        (b'{"question": "", "answer": 3}', '"answer" is no text'),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_line_that_cannot_be_used_is_named_and_the_next_is_judged(
    line: bytes, error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judged(line, b"\n", GOOD, as_json=False) == 1
    told = capsys.readouterr()
    assert "answers, line 1: " in told.err
    assert error in told.err
    assert "answers:3: VERIFIED (2 of 2 claims supported)" in told.out
    assert "\x1b" not in told.out


def test_each_answer_is_one_object_on_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert judged(GOOD, GOOD, as_json=True) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["line"], second["line"], first["verdict"]) == (1, 2, "VERIFIED")
    assert first["claims"][0]["subject"] == "CCO"
