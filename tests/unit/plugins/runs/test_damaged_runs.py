"""Files of a run that were damaged are refused with their place and a remedy, whoever reads them."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.records import record_of, write_run

from retrocypher.kg.errors import InputError
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.session.resume import read_resumable

WHOLE: dict[str, Any] = json.loads(json_line(record_of("b")))


def without(*names: str) -> str:
    return json.dumps({name: value for name, value in WHOLE.items() if name not in names})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"", "not JSON"),
        (b'{"half": ', "not JSON"),
        (b"\x00" * 50, "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 200_000, "not JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"schema_version": 1}', "not a whole record: case_id is missing"),
        (without("scores").encode(), "not a whole record: scores is missing"),
        (without("case_id", "rounds").encode(), "not a whole record: case_id is missing"),
        (
            json.dumps({**WHOLE, "scores": "x"}).encode(),
            "not a whole record: scores: expected `object | null`",
        ),
        (json.dumps({**WHOLE, "case_id": None}).encode(), "not a whole record: case_id: expected `str`, got"),
        (json.dumps({**WHOLE, "rounds": {}}).encode(), "not a whole record: rounds: expected `array`, got"),
        (
            json.dumps({**WHOLE, "rounds": [{"role": "generator"}]}).encode(),
            "not a whole record: rounds[0].messages_sha256 is missing",
        ),
    ],
)
def test_a_damaged_record(tmp_path: Path, line: bytes, said: str) -> None:
    run = write_run(tmp_path, [record_of("a")], messages={})
    with (run / "records.jsonl").open("ab") as file:
        file.write(line + b"\n" + json.dumps(WHOLE).encode() + b"\n")
    with pytest.raises(InputError) as refused:
        list(RunLog(run).records())
    assert f"{run / 'records.jsonl'}, line 2: {said}" in str(refused.value)
    assert "restore it from a copy, or make the run again" in str(refused.value)
    with pytest.raises(InputError, match=r"line 2: .*give --fresh"):
        read_resumable(RunLog(run))


def test_a_record_of_the_first_versions_is_whole(tmp_path: Path) -> None:
    older = json.loads(without("graph_calls", "judge", "claims"))
    (line,) = RunLog(write_run(tmp_path, [older])).record_lines()
    assert line.value == older
    assert (line.record.graph_calls, line.record.judge, line.record.claims) == ([], None, None)


@pytest.mark.parametrize("line", ["no JSON", "{}", '{"sha256": "h"}', '{"sha256": 1, "messages": []}'])
def test_damaged_messages_are_told_before_a_run_is_taken_up(tmp_path: Path, line: str) -> None:
    run = write_run(tmp_path, [record_of("a", scores={"f1": 1.0})], messages={"h": []})
    with (run / "messages.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(InputError, match=r"messages\.jsonl, line 2: .*restore it from a copy"):
        RunLog(run).messages  # noqa: B018
    with pytest.raises(InputError, match=r"messages\.jsonl, line 2: .*give --fresh"):
        read_resumable(RunLog(run))
    (run / "messages.jsonl").unlink()
    with pytest.raises(InputError, match=r"no messages\.jsonl here.*give --fresh"):
        read_resumable(RunLog(run))


def test_a_damaged_question_is_named_with_its_line(tmp_path: Path) -> None:
    run = write_run(tmp_path, [])
    (run / "questions.jsonl").write_text('{"id": "a"}\n')
    for part in ("questions", "targets"):
        with pytest.raises(InputError, match=r"questions\.jsonl, line 1: field '.*' is missing"):
            getattr(RunLog(run), part)


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\xfe", b"", b"[" * 200_000])
def test_a_damaged_manifest(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(InputError, match=r"manifest\.json: not .*; restore it from a copy, or make the run"):
        RunLog(tmp_path).manifest  # noqa: B018
