"""The bank on a real Neo4j: its sample behaves as it says, and a small one is built from nothing."""

from pathlib import Path

import pytest

from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.questions.reading import QuestionSet, load_questions
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.judge.bank import LIMITS, build_bank, read_entries, sample
from retrocypher.plugins.judge.bank_candidates import BankEntry, Size, is_right
from retrocypher.plugins.scoring.score import score

FILE = Path(__file__).parents[2] / "data" / "bank" / "development.jsonl.gz"


@pytest.fixture(scope="module")
def entries() -> tuple[BankEntry, ...]:
    return sample(read_entries(FILE), 1)


def test_each_entry_behaves_as_it_says(
    endpoint: Endpoint, entries: tuple[BankEntry, ...], tmp_path: Path
) -> None:
    questions = {question.id: question for question in load_questions().questions}
    different = []
    with GuardedExecutor(endpoint, LIMITS, tmp_path) as executor:
        for entry in entries:
            if entry.status == "timeout":
                continue
            execution = executor.run(entry.cypher)
            scores = score(questions[entry.question_id], execution, entry.cypher, text_metrics=False)
            same = (execution.status, execution.columns, execution.code) == (
                entry.status,
                entry.execution.columns,
                entry.execution.code,
            )
            right = is_right(execution.status, scores) == (entry.kind != "error")
            if not (same and right and scores.f1 == entry.f1):
                different.append((entry.operator, entry.cypher, execution.status, scores.f1))
    assert not different


@pytest.mark.scale
def test_a_bank_is_built_the_same_by_any_number_of_processes(endpoint: Endpoint, logged: list[str]) -> None:
    whole = load_questions()
    few = tuple(question for question in whole.questions if question.task in ("best_yield", "intermediates"))[
        ::50
    ]
    questions = QuestionSet(few, whole.fingerprint, whole.sha256, whole.manifest)
    size = Size(errors=2, style=2, neutral=2, compositions=10, composed=(2,))
    alone = build_bank(questions, endpoint, size=size, workers=1)
    together = build_bank(questions, endpoint, size=size, workers=2)
    assert alone == together
    done, _, rest = logged[-1].partition(" of ")
    assert rest.startswith(f"{done} operators × tasks, ")
    kinds = {entry.kind for entry in alone.entries}
    assert kinds == {"error", "style", "neutral"}
    assert all(is_right(entry.status, entry.scores) == (entry.kind != "error") for entry in alone.entries)
    assert any(entry.held_out for entry in alone.entries)
    assert any("+" in entry.operator for entry in alone.entries)
