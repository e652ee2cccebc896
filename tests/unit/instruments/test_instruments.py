"""The trials of the error labels, of the schema validator and of the verification of answers."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec import structs
from support.calibrated import BANK
from support.suite import CHECKOUT

from retrocypher.benchmarks.instruments import verification
from retrocypher.benchmarks.instruments.labels import LabelCounts, label_bank, labels_command
from retrocypher.benchmarks.instruments.validator import ValidatorCounts, validate_bank, validator_command
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.mutations.operator import MutationKind
from retrocypher.kg.questions.question import PARAPHRASE_COUNT, paraphrase
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.judge.bank import Bank, load_bank, read_entries, write_bank
from retrocypher.plugins.judge.bank_candidates import BankEntry
from retrocypher.plugins.runs.record import Scores
from retrocypher.plugins.validation.validator import SchemaValidator
from retrocypher.prompts.validation.finding import Finding, QuestionIntent, Validation

CASES = [
    ("drop_agents", "missing_component:agents", ["missing_component:agents", "empty_result"]),
    ("drop_agents", "missing_component:agents", ["missing_component:solvents"]),
    ("reverse", "traversal_direction", ["endpoint_anchoring", "traversal_direction"]),
    ("invent", "schema_violation", ["schema_violation:type"]),
    ("lose", "path_length", ["other"]),
]
QUESTIONS = load_questions().questions
QUESTION = QUESTIONS[0]


def entry(operator: str, kind: MutationKind, label: str | None, cypher: str) -> BankEntry:
    result, scores = Execution("ok", columns=["id"]), Scores(f1=0.0, row_f1=0.0, per_key={})
    return BankEntry(QUESTION.id, QUESTION.task, operator, 0, kind, label, "", cypher, result, scores, False)


TURNED_QUERY = QUESTION.reference_cypher.replace("-[:PRODUCES]->(target", "<-[:PRODUCES]-(target")
TURNED = entry("reverse_arrow", "error", "traversal_direction", TURNED_QUERY)
MISNAMED = structs.replace(TURNED, operator="other", label="path_length")
NEUTRAL = structs.replace(TURNED, operator="rename", kind="neutral", label=None)
HELD_OUT = structs.replace(TURNED, held_out=True)


def label_counts(cases: list[tuple[str, str, list[str]]]) -> LabelCounts:
    counts = LabelCounts()
    for case in cases:
        counts.add(*case)
    return counts


def labelled(bank: Path, *options: str) -> Result:
    return CliRunner().invoke(labels_command, ["--bank", str(bank), *options], env={"COLUMNS": "80"})


def test_a_planted_detail_has_to_be_found_and_one_that_was_not_may_be_given() -> None:
    counts = label_counts(CASES)
    assert (counts.cases, counts.right, counts.named, counts.found) == (5, 2, 3, 4)
    assert counts.primary("other") == 1
    assert counts.confusion["traversal_direction", "endpoint_anchoring"] == 1


@pytest.mark.parametrize("part", ["development", "held_out"])
def test_the_primary_label_is_the_planted_one(part: str) -> None:
    """The aims are those of docs/errors-and-loops.md, here on a sample of the bank."""
    counts = label_bank(load_bank(part, BANK))  # type: ignore[arg-type]
    assert counts.cases >= 150
    assert counts.right >= 0.95 * counts.cases, counts.misses.most_common(10)
    assert counts.primary("other") < 0.02 * counts.cases, counts.misses.most_common(10)
    for label in counts.labels():
        assert counts.confusion[label, label] >= 0.9 * counts.planted(label), label


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    entries = (TURNED, MISNAMED, NEUTRAL, HELD_OUT)
    write_bank(Bank(entries, {}, frozenset(), frozenset(), seed=0), tmp_path)
    return tmp_path


def test_the_planted_errors_of_the_development_part_are_labelled(bank: Path) -> None:
    result = labelled(bank)
    assert result.exit_code == 0
    assert "planted error is the primary label           50.00 % of 2" in result.output
    assert "1  other: path_length was labelled traversal_direction, empty_result" in result.output
    assert "ms a case" in result.output
    # The held-out part is labelled only where it is asked for.
    found = json.loads(labelled(bank, "--held-out", "--json").output)
    assert (found["part"], found["cases"], found["right"]) == ("held_out", 1, 1)


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


@pytest.mark.parametrize("part", ["development", "held_out"])
def test_the_schema_validator_finds_errors_and_raises_no_false_alarms(part: str) -> None:
    """The aims are those of docs/errors-and-loops.md, here on a sample of the bank, the phrasings in turn."""
    validator = SchemaValidator(default_schema(), "benchmark")
    counts = ValidatorCounts()
    by_id = {question.id: question for question in QUESTIONS}
    for place, each in enumerate(read_entries(BANK / f"{part}.jsonl.gz")):
        counts.add(validator, each, paraphrase(by_id[each.question_id], 1 + place % PARAPHRASE_COUNT).text)
    for place, question in enumerate(QUESTIONS[::20]):
        counts.add_reference(validator, paraphrase(question, 1 + place % PARAPHRASE_COUNT))
    assert counts.errors.total() >= 60
    assert counts.found.total() >= 0.9 * counts.errors.total(), counts.missed
    assert counts.alarms.total() <= 0.01 * counts.right.total(), counts.blamed


def validated(bank: Path, *options: str) -> Result:
    return CliRunner().invoke(validator_command, ["--bank", str(bank), *options], env={"COLUMNS": "80"})


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A bank of six, and no more questions than it needs."""
    some = replace(load_questions(), questions=QUESTIONS[:2])
    monkeypatch.setattr("retrocypher.benchmarks.instruments.validator.load_questions", lambda: some)
    write_bank(Bank(ENTRIES, {}, frozenset(), frozenset(), seed=0), tmp_path)
    return tmp_path


def test_the_command_says_what_was_measured_and_found(few: Path) -> None:
    result = validated(few, "--misses", "3")
    assert result.exit_code == 0, result.output
    lines = " ".join(result.output.split())
    assert f"part of {few}, 6 entries, and 2 reference queries; questions in paraphrase 1;" in lines
    assert re.search(r"^reference +2 +0 +0\.00 %", result.output, re.MULTILINE)
    assert re.search(r"^missing_component +1 +1 +100\.00 % ", result.output, re.MULTILINE)
    assert "Most frequent misses and false alarms:" in result.output
    assert "of CPU a query (median)" in result.output
    assert "…" not in result.output
    assert all(len(line) <= 80 for line in result.output.splitlines())


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=CHECKOUT, capture_output=True, text=True)


def test_an_error_for_the_user_is_one_line_and_status_2(tmp_path: Path) -> None:
    done = python("-m", "retrocypher.benchmarks.instruments", "labels", "--bank", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {tmp_path}: holds no bank")


def test_pytest_collects_none_of_them() -> None:
    done = python("-m", "pytest", "benchmarks", "--collect-only", "-q", "--sample", "2", "--model", "oracle")
    assert "::test_" in done.stdout
    assert "instruments" not in done.stdout


@pytest.mark.parametrize(
    ("options", "named"),
    [(["--verified", "0.5", "--partial", "0.7"], "--partial"), (["--tolerance", "nan"], "nan")],
)
def test_thresholds_are_checked_before_a_server_starts(options: list[str], named: str) -> None:
    result = CliRunner().invoke(verification.verification_command, options)
    assert result.exit_code
    assert named in f"{result.exception}{result.output}"
