"""The committed sample of the bank, development part: what it holds is what the operators make."""

from collections import Counter
from pathlib import Path

import pytest

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.labels import is_label, name_of
from retrocypher.kg.mutations.registry import OPERATORS, mutations_of
from retrocypher.kg.questions.question import TASKS
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.judge.bank import load_bank, read_entries, read_manifest, sample
from retrocypher.plugins.judge.bank_candidates import BankEntry, is_right
from retrocypher.plugins.scoring.score import score

FILE = Path(__file__).parents[2] / "data" / "bank" / "development.jsonl.gz"


@pytest.fixture(scope="module")
def entries() -> tuple[BankEntry, ...]:
    return read_entries(FILE)


def test_it_has_all_kinds_tasks_and_labels_and_nothing_that_is_held_out(
    entries: tuple[BankEntry, ...],
) -> None:
    assert FILE.stat().st_size < 1_000_000
    assert not any(entry.held_out for entry in entries)
    assert {entry.task for entry in entries} == set(TASKS)
    errors = [entry for entry in entries if entry.kind == "error"]
    assert len({entry.operator for entry in errors}) >= 25
    assert {name_of(entry.label or "") for entry in errors} == {
        operator.label for operator in OPERATORS.values() if operator.kind == "error"
    }
    assert Counter(entry.kind for entry in entries).keys() == {"error", "style", "neutral"}
    assert sum("+" in entry.operator for entry in entries) >= 40
    assert len({(entry.question_id, entry.cypher) for entry in entries}) == len(entries)


def test_it_can_be_read_as_a_bank(entries: tuple[BankEntry, ...]) -> None:
    held_out = load_bank("held_out", FILE.parent)
    assert load_bank(folder=FILE.parent) == entries
    manifest = read_manifest(FILE.parent)
    assert manifest["entries"] == len(entries) + len(held_out)
    aside = (set(manifest["held_out_operators"]), set(manifest["held_out_questions"]))
    assert all(entry.operator in aside[0] or entry.question_id in aside[1] for entry in held_out)
    assert not any(entry.operator in aside[0] or entry.question_id in aside[1] for entry in entries)


def test_the_operators_still_make_it(entries: tuple[BankEntry, ...]) -> None:
    references = {question.id: question.reference_cypher for question in load_questions().questions}
    for entry in entries:
        if entry.base or "+" in entry.operator:
            continue
        made = mutations_of(OPERATORS[entry.operator], parse(references[entry.question_id]))[entry.place]
        assert (made.query, made.label, made.kind) == (entry.cypher, entry.label, entry.kind)
        assert entry.label is None or is_label(entry.label)


def test_it_behaves_as_its_kind_says(entries: tuple[BankEntry, ...]) -> None:
    questions = {question.id: question for question in load_questions().questions}
    for entry in entries:
        assert is_right(entry.status, entry.scores) == (entry.kind != "error")
        result = entry.execution
        if result.row_count == len(result.rows) and not result.truncated:
            again = score(questions[entry.question_id], result, entry.cypher, text_metrics=False)
            cut = any(len(value) == 40 for row in result.rows for value in row if isinstance(value, list))
            assert cut or again == entry.scores


def test_a_sample_takes_some_of_each_operator_and_many_tasks(entries: tuple[BankEntry, ...]) -> None:
    few = sample(entries, 1)
    counts = Counter(entry.operator for entry in few if "+" not in entry.operator)
    assert set(counts.values()) == {1}
    assert counts.keys() == {entry.operator for entry in entries if "+" not in entry.operator}
    assert sample(entries, 1) == few
    assert len({entry.task for entry in few}) == len(TASKS)
