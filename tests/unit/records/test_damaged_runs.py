"""Files of a run that were damaged are refused with their place and a remedy, whoever reads them."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.records import record_of, write_run

from retrocypher.kg.errors import InputError
from retrocypher.plugins.runs.log import (
    read_manifest,
    read_messages,
    read_questions,
    read_records,
    read_targets,
)
from retrocypher.plugins.session.opening import look_at

WHOLE: dict[str, Any] = record_of("b").to_json()


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
        (b'{"schema_version": 1}', "not a whole record, for case_id, "),
        (without("scores").encode(), "not a whole record, for scores is missing"),
        (without("case_id", "rounds").encode(), "not a whole record, for case_id, rounds are missing"),
        (json.dumps({**WHOLE, "scores": "x"}).encode(), "not a whole record, for scores is 'x'"),
        (json.dumps({**WHOLE, "case_id": None}).encode(), "not a whole record, for case_id is None"),
        (json.dumps({**WHOLE, "rounds": {}}).encode(), "not a whole record, for rounds is {}"),
    ],
)
def test_a_damaged_record(tmp_path: Path, line: bytes, said: str) -> None:
    run = write_run(tmp_path, [record_of("a")], messages={})
    with (run / "records.jsonl").open("ab") as file:
        file.write(line + b"\n" + json.dumps(WHOLE).encode() + b"\n")
    with pytest.raises(InputError) as refused:
        list(read_records(run))
    assert f"{run / 'records.jsonl'}, line 2: {said}" in str(refused.value)
    assert "restore it from a copy, or make the run again" in str(refused.value)
    with pytest.raises(InputError, match=r"line 2: .*give --fresh"):
        look_at(run)


def test_a_record_of_the_first_versions_is_whole(tmp_path: Path) -> None:
    older = json.loads(without("graph_calls", "judge", "claims"))
    assert list(read_records(write_run(tmp_path, [older]))) == [older]


@pytest.mark.parametrize("line", ["no JSON", "{}", '{"sha256": "h"}', '{"sha256": 1, "messages": []}'])
def test_damaged_messages_are_told_before_a_run_is_taken_up(tmp_path: Path, line: str) -> None:
    run = write_run(tmp_path, [record_of("a", scores={"f1": 1.0})], messages={"h": []})
    with (run / "messages.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(InputError, match=r"messages\.jsonl, line 2: .*restore it from a copy"):
        read_messages(run)
    with pytest.raises(InputError, match=r"messages\.jsonl, line 2: .*give --fresh"):
        look_at(run)
    (run / "messages.jsonl").unlink()
    with pytest.raises(InputError, match=r"no messages\.jsonl here.*give --fresh"):
        look_at(run)


def test_a_damaged_question_is_named_with_its_line(tmp_path: Path) -> None:
    run = write_run(tmp_path, [])
    (run / "questions.jsonl").write_text('{"id": "a"}\n')
    for read in (read_questions, read_targets):
        with pytest.raises(InputError, match=r"questions\.jsonl, line 1: field '.*' is missing"):
            read(run)


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\xfe", b"", b"[" * 200_000])
def test_a_damaged_manifest(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(InputError, match=r"manifest\.json: not .*; restore it from a copy, or make the run"):
        read_manifest(tmp_path)
