"""Question files: what is read, and what is refused by file and line."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import PARAPHRASE_COUNT, paraphrase
from retrocypher.kg.questions.reading import load_questions

GIVEN = yaml.safe_load(Path(__file__).with_name("questions.yaml").read_text(encoding="utf-8"))
SINGLE: dict[str, Any] = GIVEN["single"]
MULTI: dict[str, Any] = GIVEN["multi"]


def folder(
    path: Path, single: list[str], multi: list[str] | None = None, manifest: str | None = None
) -> Path:
    (path / "single_step.jsonl").write_text("".join(f"{line}\n" for line in single))
    if multi is not None:
        (path / "multi_step.jsonl").write_text("".join(f"{line}\n" for line in multi))
    (path / "manifest.json").write_text(manifest or json.dumps({"graph_fingerprint": "f1"}))
    return path


def test_a_folder_of_questions_is_read_in_order(tmp_path: Path) -> None:
    found = load_questions(folder(tmp_path, [json.dumps(SINGLE)], [json.dumps(MULTI)]))
    assert [each.id for each in found.questions] == ["precursors-001", "chains_to_target-001"]
    assert found.fingerprint == "f1"
    assert [each.to_json() for each in found.questions] == [SINGLE, MULTI]


def test_one_file_and_blank_lines_will_do(tmp_path: Path) -> None:
    assert len(load_questions(folder(tmp_path, ["", json.dumps(SINGLE), ""])).questions) == 1


def test_the_hash_follows_the_content(tmp_path: Path) -> None:
    first = load_questions(folder(tmp_path, [json.dumps(SINGLE)])).sha256
    assert load_questions(folder(tmp_path, [json.dumps(SINGLE)])).sha256 == first
    assert load_questions(folder(tmp_path, [json.dumps({**SINGLE, "text": "other"})])).sha256 != first


@pytest.mark.parametrize("broken", GIVEN["broken"], ids=lambda broken: broken["message"])
def test_a_malformed_question_is_named_by_file_and_line(tmp_path: Path, broken: dict[str, Any]) -> None:
    question = {**GIVEN[broken["of"]], **broken["change"]}
    path = folder(tmp_path, [json.dumps({**SINGLE, "id": "other"}), json.dumps(question)])
    with pytest.raises(InputError) as raised:
        load_questions(path)
    assert str(raised.value).startswith(f"{path / 'single_step.jsonl'}, line 2: {broken['message']}")


@pytest.mark.parametrize("field", sorted(SINGLE))
def test_a_missing_field_is_named(tmp_path: Path, field: str) -> None:
    line = json.dumps({name: value for name, value in SINGLE.items() if name != field})
    with pytest.raises(InputError, match=rf"single_step\.jsonl, line 1: field '{field}' is missing"):
        load_questions(folder(tmp_path, [line]))


@pytest.mark.parametrize("line", [b"{", b"[1]", b"nonsense", b'"text"', b'{"id": "\xff"}'])
def test_a_line_that_is_no_object_is_named(tmp_path: Path, line: bytes) -> None:
    path = folder(tmp_path, [])
    (path / "single_step.jsonl").write_bytes(json.dumps(SINGLE).encode() + b"\n" + line + b"\n")
    with pytest.raises(InputError, match=r"single_step\.jsonl, line 2: "):
        load_questions(path)


def test_a_duplicate_id_names_both_lines(tmp_path: Path) -> None:
    path = folder(tmp_path, [json.dumps(SINGLE)], [json.dumps({**MULTI, "id": SINGLE["id"]})])
    with pytest.raises(
        InputError, match=r"multi_step\.jsonl, line 1: duplicate id .* first used at .*line 1"
    ):
        load_questions(path)


def test_a_folder_without_questions_or_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no questions"):
        load_questions(folder(tmp_path, []))
    with pytest.raises(InputError, match="no such folder"):
        load_questions(tmp_path / "absent")
    (folder(tmp_path, [json.dumps(SINGLE)]) / "manifest.json").unlink()
    with pytest.raises(InputError, match=r"manifest\.json: cannot be read"):
        load_questions(tmp_path)


@pytest.mark.parametrize(
    ("manifest", "message"), [("{", "not valid JSON"), ("{}", "names no graph_fingerprint")]
)
def test_a_manifest_that_names_no_graph_is_refused(tmp_path: Path, manifest: str, message: str) -> None:
    with pytest.raises(InputError, match=rf"manifest\.json: {message}"):
        load_questions(folder(tmp_path, [json.dumps(SINGLE)], manifest=manifest))


@pytest.mark.parametrize("name", ["conditions", "products", "between"])
def test_every_wording_of_a_question_that_is_read_can_be_asked(tmp_path: Path, name: str) -> None:
    question = GIVEN[name]
    lines = {question["setting"]: [json.dumps(question)]}
    path = folder(tmp_path, lines.get("single_step", []), lines.get("multi_step"))
    (found,) = load_questions(path).questions
    texts = {paraphrase(found, number).text for number in range(1, PARAPHRASE_COUNT + 1)}
    assert len(texts) == PARAPHRASE_COUNT


def described(path: Path, **entries: Any) -> Path:
    """Write a set of two questions with the manifest that a build would write, some entries changed."""
    folder(path, [json.dumps(SINGLE)], [json.dumps(MULTI)])
    files = {
        name: hashlib.sha256((path / name).read_bytes()).hexdigest()
        for name in ("single_step.jsonl", "multi_step.jsonl")
    }
    counts = {"precursors": 1, "conditions agents": 0, "chains_to_target 2 steps": 1}
    manifest = {"graph_fingerprint": "f1", "questions": 2, "counts": counts, "files": files, **entries}
    kept = {name: value for name, value in manifest.items() if value is not None}
    (path / "manifest.json").write_text(json.dumps(kept))
    return path


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({"files": {"single_step.jsonl": "0" * 64}}, "single_step.jsonl and multi_step.jsonl not as"),
        ({"files": {}}, "not as described"),
        ({"files": "none"}, "not as described"),
        ({"questions": 3}, "2 questions, the manifest speaks of 3"),
        ({"questions": "two"}, "2 questions, the manifest speaks of two"),
        ({"counts": {"precursors": 2}}, "other numbers of questions of each task"),
        ({"counts": {"precursors": 1, "conditions agents": "1"}}, "other numbers of questions of each task"),
        ({"counts": 2}, "other numbers of questions of each task"),
    ],
)
def test_a_manifest_that_describes_other_files_is_refused(
    tmp_path: Path, entries: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=r"manifest\.json does not fit the questions beside it") as raised:
        load_questions(described(tmp_path, **entries))
    assert said in str(raised.value)
    assert "take the entries files, questions and counts out" in str(raised.value)


def test_a_question_changed_or_lost_after_the_build_is_noticed(tmp_path: Path) -> None:
    assert len(load_questions(described(tmp_path)).questions) == 2
    single = tmp_path / "single_step.jsonl"
    for change in (lambda: single.write_text(json.dumps({**SINGLE, "text": "other"}) + "\n"), single.unlink):
        change()
        with pytest.raises(InputError, match=r"questions beside it: single_step\.jsonl not as"):
            load_questions(tmp_path)
    described(tmp_path, files=None, questions=None, counts=None)
    single.write_text("")
    assert len(load_questions(tmp_path).questions) == 1
