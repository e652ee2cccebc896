import json
from pathlib import Path
from typing import Any

import pytest

from kg.errors import InputError
from kg.questions import load_questions

SINGLE: dict[str, Any] = {
    "id": "precursors-001",
    "task": "precursors",
    "setting": "single_step",
    "steps": 1,
    "text": "From which direct precursors is CCO made?",
    "slots": {"target": "CCO"},
    "reference_cypher": "RETURN 1",
    "gold": [{"id": 1, "reactants": ["C=C"], "products": ["CCO"], "agents": [], "solvents": []}],
    "target": "CCO",
    "discriminating": False,
}
MULTI: dict[str, Any] = {
    **SINGLE,
    "id": "chains_to_target-001",
    "task": "chains_to_target",
    "setting": "multi_step",
    "steps": 2,
    "gold": [{"route": [1, 2]}],
}


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


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"task": "syntheses"}, "unknown task 'syntheses'"),
    ({"setting": "multi_step"}, "setting of precursors must be 'single_step'"),
    ({"steps": 2}, "steps of precursors must be 1, not 2"),
    ({"steps": True}, "field 'steps' must be of type int"),
    ({"id": ""}, "field 'id' is empty"),
    ({"slots": []}, "field 'slots' must be of type dict"),
    ({"discriminating": "yes"}, "field 'discriminating' must be of type bool"),
    ({"gold": []}, "gold is empty"),
    ({"gold": ["CCO"]}, "gold must be a list of objects"),
    ({"gold": [{**SINGLE["gold"][0], "id": "1"}]}, "gold: each row needs a reaction id"),
    ({"gold": [{**SINGLE["gold"][0], "agents": [1]}]}, "gold: each row needs 'agents'"),
    ({"task": "best_yield"}, "gold: each row needs 'target_yield'"),
    ({"task": "co_products"}, "gold: each row needs 'co_products'"),
    ({"task": "conditions"}, "slots of conditions must name the role"),
    ({**MULTI, "steps": 5}, "steps of chains_to_target must be 2 or 3 or 4, not 5"),
    ({**MULTI, "gold": [{"route": [1]}]}, "gold: each row needs a route of 2 reaction ids"),
    ({**MULTI, "gold": [{"route": [1, "2"]}]}, "gold: each row needs a route of 2 reaction ids"),
]


@pytest.mark.parametrize(("change", "message"), BROKEN, ids=[message for _, message in BROKEN])
def test_a_malformed_question_is_named_by_file_and_line(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = folder(tmp_path, [json.dumps({**SINGLE, "id": "other"}), json.dumps({**SINGLE, **change})])
    with pytest.raises(InputError) as raised:
        load_questions(path)
    assert str(raised.value).startswith(f"{path / 'single_step.jsonl'}, line 2: {message}")


@pytest.mark.parametrize("field", sorted(SINGLE))
def test_a_missing_field_is_named(tmp_path: Path, field: str) -> None:
    line = json.dumps({name: value for name, value in SINGLE.items() if name != field})
    with pytest.raises(InputError, match=rf"single_step\.jsonl, line 1: field '{field}' is missing"):
        load_questions(folder(tmp_path, [line]))


@pytest.mark.parametrize("line", ["{", "[1]", "nonsense", '"text"'])
def test_broken_json_is_named_by_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match=r"single_step\.jsonl, line 2: "):
        load_questions(folder(tmp_path, [json.dumps(SINGLE), line]))


def test_bytes_that_are_not_text_are_named_by_line(tmp_path: Path) -> None:
    path = folder(tmp_path, [])
    (path / "single_step.jsonl").write_bytes(b'{"id": "\xff"}\n')
    with pytest.raises(InputError, match=r"single_step\.jsonl, line 1: not valid JSON"):
        load_questions(path)


def test_a_duplicate_id_names_both_lines(tmp_path: Path) -> None:
    path = folder(tmp_path, [json.dumps(SINGLE)], [json.dumps({**MULTI, "id": SINGLE["id"]})])
    with pytest.raises(
        InputError, match=r"multi_step\.jsonl, line 1: duplicate id .* first used at .*line 1"
    ):
        load_questions(path)


def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no questions"):
        load_questions(folder(tmp_path, []))
    with pytest.raises(InputError, match="no such folder"):
        load_questions(tmp_path / "absent")


@pytest.mark.parametrize(
    ("manifest", "message"), [("{", "not valid JSON"), ("{}", "names no graph_fingerprint")]
)
def test_a_manifest_that_names_no_graph_is_refused(tmp_path: Path, manifest: str, message: str) -> None:
    with pytest.raises(InputError, match=rf"manifest\.json: {message}"):
        load_questions(folder(tmp_path, [json.dumps(SINGLE)], manifest=manifest))


def test_a_missing_manifest_is_refused(tmp_path: Path) -> None:
    (folder(tmp_path, [json.dumps(SINGLE)]) / "manifest.json").unlink()
    with pytest.raises(InputError, match=r"manifest\.json: cannot be read"):
        load_questions(tmp_path)
