"""The trial of the schema validator: its counts, and what the validator reaches on a sample of the bank."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from retrocypher.benchmarks.instruments.validator import ValidatorCounts, validate_bank, validator_command
from retrocypher.kg.errors import InputError
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.mutations.operator import MutationKind
from retrocypher.kg.questions.question import PARAPHRASE_COUNT, paraphrase
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.judge.bank import Bank, read_entries, write_bank
from retrocypher.plugins.judge.bank_candidates import BankEntry
from retrocypher.plugins.runs.record import Scores
from retrocypher.prompts.validation.finding import Finding, QuestionIntent, Validation
from retrocypher.prompts.validation.validator import SchemaValidator

DATA = Path(__file__).parents[2] / "data" / "bank"
QUESTIONS = load_questions().questions
QUESTION = QUESTIONS[0]
PASSED = Validation(True, (), QuestionIntent(None), "")
BLAMED = replace(PASSED, valid=False, findings=(Finding("limit", "", 0, 0),))


class Suspicious:
    """Finds a wrong limit in queries that hold a word, and remembers what it was asked."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.asked: list[str] = []

    def validate(self, query: str, question: str) -> Validation:
        self.asked.append(question)
        return BLAMED if self.word in query else PASSED


def entry(operator: str, kind: MutationKind, label: str | None, cypher: str) -> BankEntry:
    question = (QUESTION.id, QUESTION.task)
    return BankEntry(*question, operator, 0, kind, label, "", cypher, Execution("ok"), Scores(f1=0.0), False)


ENTRIES = (
    entry("add_limit", "error", "limit", "RETURN 1 LIMIT 1"),
    entry("change_length", "error", "path_length", "RETURN 2 LIMIT 1"),
    entry("drop_component", "error", "missing_component:agents", "RETURN 3"),
    entry("drop_distinct", "style", "duplicate_or_incomplete", "RETURN 4 LIMIT 1"),
    entry("one_line", "neutral", None, "RETURN 5"),
    entry("one_line+add_comment", "neutral", None, "RETURN 6 // LIMIT"),
)


def test_errors_found_and_false_alarms_are_counted_by_what_was_planted() -> None:
    validator = Suspicious("LIMIT")
    plain = replace(QUESTION, reference_cypher="RETURN 7")
    counts = validate_bank(validator, ENTRIES, [plain], [1, 2])
    assert counts.errors == {"limit": 2, "path_length": 2, "missing_component": 2}
    assert +counts.found == {"limit": 2, "path_length": 2}
    assert +counts.named == {"limit": 2}
    assert counts.missed == {"drop_component": 2}
    assert counts.right == {"reference": 2, "neutral": 2, "composition": 2}
    assert +counts.alarms == {"composition": 2}
    assert counts.blamed == {("one_line+add_comment", "limit"): 2}
    assert len(set(validator.asked)) == 2


@pytest.mark.parametrize("phrasing", range(1, PARAPHRASE_COUNT + 1))
@pytest.mark.parametrize("part", ["development", "held_out"])
def test_the_schema_validator_finds_errors_and_raises_no_false_alarms(part: str, phrasing: int) -> None:
    """The aims are those of docs/errors-and-loops.md, here on a sample of the bank."""
    validator = SchemaValidator(default_schema(), "benchmark")
    counts = ValidatorCounts()
    by_id = {question.id: question for question in QUESTIONS}
    for each in read_entries(DATA / f"{part}.jsonl.gz"):
        counts.add(validator, each, paraphrase(by_id[each.question_id], phrasing).text)
    for question in QUESTIONS[phrasing::20]:
        counts.add_reference(validator, paraphrase(question, phrasing))
    assert counts.errors.total() >= 60
    assert counts.found.total() >= 0.9 * counts.errors.total(), counts.missed
    assert counts.alarms.total() <= 0.01 * counts.right.total(), counts.blamed


def run(bank: Path, *options: str) -> Result:
    return CliRunner().invoke(validator_command, ["--bank", str(bank), *options], env={"COLUMNS": "80"})


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A bank of six, and no more questions than it needs."""
    some = replace(load_questions(), questions=QUESTIONS[:2])
    monkeypatch.setattr("retrocypher.benchmarks.instruments.validator.load_questions", lambda: some)
    write_bank(Bank(ENTRIES, {}, frozenset(), frozenset(), seed=0), tmp_path)
    return tmp_path


def test_the_command_says_what_was_measured_and_found(few: Path) -> None:
    result = run(few, "--misses", "3")
    assert result.exit_code == 0, result.output
    lines = " ".join(result.output.split())
    assert f"part of {few}, 6 entries, and 2 reference queries; questions in paraphrase 1;" in lines
    assert re.search(r"^reference +2 +0 +0\.00 %", result.output, re.MULTILINE)
    assert re.search(r"^missing_component +1 +1 +100\.00 % ", result.output, re.MULTILINE)
    assert "Most frequent misses and false alarms:" in result.output
    assert "of CPU a query (median)" in result.output
    assert "…" not in result.output
    assert all(len(line) <= 80 for line in result.output.splitlines())


def test_misses_are_not_named_where_none_are_wanted(few: Path) -> None:
    assert run(few, "--misses", "0").output.rstrip().endswith("of CPU a query (median)")
    assert "[default: 15" in CliRunner().invoke(validator_command, ["--help"]).output


def test_paraphrases_are_named_as_in_a_run(few: Path) -> None:
    shown = run(few, "--phrasing", "1,3", "--phrasing", "2").output
    assert "questions in paraphrases 1, 3, 2;" in " ".join(shown.split())
    assert isinstance(run(few, "--phrasing", "9").exception, InputError)
