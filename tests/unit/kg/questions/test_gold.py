"""Gold by hand, reference queries, the texts of questions, and question files."""

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec import to_builtins

from retrocypher.kg.cypher.clauses import relationship_patterns
from retrocypher.kg.cypher.edits import string_literals
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.questions.gold import ReactionNetwork, reference_query, traverse
from retrocypher.kg.questions.question import (
    MULTI_STEP_TASKS,
    PARAPHRASE_COUNT,
    SINGLE_STEP_TASKS,
    TASKS,
    paraphrase,
    paraphrases_of,
)
from retrocypher.kg.questions.reading import load_questions

REACTIONS = (
    Reaction(1, ("A", "B"), ("C", "D"), ("K",), (), (50.0, None)),
    Reaction(2, ("E", "D", "A"), ("F",), (), ("S",), (None,)),
    Reaction(3, ("F",), ("G",), (), (), (30.0,)),
    Reaction(4, ("B",), ("D",), (), (), (80.0,)),
    Reaction(5, ("F",), ("G",), ("K",), (), (90.0,)),
)
NETWORK = ReactionNetwork.of(REACTIONS)

ODD = r"F/C=C\F'$target`\u0041"


def row(identifier: int, **more: Any) -> dict[str, Any]:
    reaction = REACTIONS[identifier - 1]
    roles = ("reactants", "products", "agents", "solvents")
    return {"id": identifier, **{role: sorted(getattr(reaction, role)) for role in roles}, **more}


@pytest.mark.parametrize(
    ("task", "slots", "gold"),
    [
        ("precursors", {"target": "D"}, [row(1), row(4)]),
        ("producing_reactions", {"target": "D"}, [row(1), row(4)]),
        ("conditions", {"target": "D", "role": "agents"}, [row(1), row(4)]),
        # Molecules of a role are in alphabetical order.
        ("precursors", {"target": "F"}, [row(2)]),
        ("precursors", {"target": "Z"}, []),
        # The yield of the target counts; an unknown one does not.
        ("best_yield", {"target": "D"}, [row(4, target_yield=80.0)]),
        ("best_yield", {"target": "G"}, [row(5, target_yield=90.0)]),
        ("best_yield", {"target": "F"}, []),
        ("multi_product", {"products": ["D", "C"]}, [row(1)]),
        ("multi_product", {"products": ["D", "G"]}, []),
        ("co_products", {"target": "D"}, [row(1, co_products=["C"]), row(4, co_products=[])]),
    ],
)
def test_gold_of_one_step(task: str, slots: dict[str, Any], gold: list[dict[str, Any]]) -> None:
    assert traverse(NETWORK, task, slots) == gold


@pytest.mark.parametrize(
    ("task", "slots", "routes"),
    [
        # A and B both start reaction 1: different molecules, the same route
        ("chains_to_target", {"target": "G", "steps": 3}, [[1, 2, 3], [1, 2, 5], [4, 2, 3], [4, 2, 5]]),
        ("intermediates", {"target": "G", "steps": 2}, [[2, 3], [2, 5]]),
        ("multi_step_precursors", {"target": "G", "steps": 4}, []),
        ("chains_to_target", {"target": "Z", "steps": 2}, []),
        ("chains_between", {"start": "A", "target": "F", "steps": 2}, [[1, 2]]),
        ("chains_between", {"start": "B", "target": "F", "steps": 2}, [[1, 2], [4, 2]]),
        ("chains_between", {"start": "E", "target": "F", "steps": 2}, []),
    ],
)
def test_routes_are_sequences_of_reactions_once_each(
    task: str, slots: dict[str, Any], routes: list[list[int]]
) -> None:
    assert [each["route"] for each in traverse(NETWORK, task, slots)] == routes


def slots_of(task: str, name: str = ODD) -> dict[str, Any]:
    every = {"target": name, "start": name, "role": "agents", "steps": 3, "products": [name, "C", "CC"]}
    return {slot: every[slot] for slot in paraphrases_of(task).slots}


@pytest.mark.parametrize("task", TASKS)
def test_a_reference_is_valid_cypher_with_every_molecule_in_place(task: str) -> None:
    slots = slots_of(task)
    cypher = reference_query(task, slots)
    assert not parse(cypher).errors
    expected = [slots["start"]] if "start" in slots else []
    expected += slots.get("products", [slots.get("target")])
    assert [literal.value for literal in string_literals(cypher)] == expected
    if task in SINGLE_STEP_TASKS:
        assert all(
            f" AS {column}" in cypher for column in ("id", "reactants", "products", "agents", "solvents")
        )


@pytest.mark.parametrize("task", MULTI_STEP_TASKS)
@pytest.mark.parametrize("steps", [2, 3, 4])
def test_a_route_of_n_reactions_has_two_n_relationships(task: str, steps: int) -> None:
    cypher = reference_query(task, {**slots_of(task), "steps": steps})
    assert f"[:REACTS_IN|PRODUCES*{2 * steps}]" in cypher
    assert len(relationship_patterns(parse(cypher))) == 1


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("number", range(1, PARAPHRASE_COUNT + 1))
def test_a_text_names_every_slot_once(task: str, number: int) -> None:
    slots = slots_of(task, "CCO")
    slots |= {"start": "CCN"} if "start" in slots else {}
    slots |= {"products": ["CCO", "CCC", "CCCl"]} if "products" in slots else {}
    text = paraphrases_of(task).text(slots, number)
    assert text == text.strip(" ,;:")
    for value in slots.values():
        for each in value if isinstance(value, list) else [value]:
            assert len(re.findall(rf"(?<!\w){each}(?!\w)", text)) == 1


def test_a_list_of_molecules_reads_as_one() -> None:
    text = paraphrases_of("multi_product").text({"products": ["CCO", "CC", "C"]})
    assert "CCO, CC and C together" in text


def test_every_task_has_all_wordings_and_none_twice() -> None:
    texts = [text for task in TASKS for text in paraphrases_of(task).texts]
    assert len(set(texts)) == len(texts) == PARAPHRASE_COUNT * len(TASKS)


def test_another_wording_than_the_questions_own_changes_the_text_alone() -> None:
    for question in load_questions().questions[::50]:
        assert paraphrase(question, 1) is question
        assert question.text == paraphrases_of(question.task).text(question.slots)
        other = paraphrase(question, 2)
        assert other.text != question.text
        assert replace(other, text=question.text) == question


@pytest.mark.parametrize("number", [0, PARAPHRASE_COUNT + 1])
def test_a_wording_that_is_not_there_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=f"paraphrase {number}"):
        paraphrase(load_questions().questions[0], number)


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
    expected = [{**each, "carried_share": None} for each in (SINGLE, MULTI)]
    assert [to_builtins(each) for each in found.questions] == expected


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
