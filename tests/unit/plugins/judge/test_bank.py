"""Banks of known errors: what they hold, what is held out, their files, and the committed sample."""

import gzip
import itertools
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec import structs
from support.calibrated import BANK

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.errors import InputError
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.labels.error_labels import is_label, name_of
from retrocypher.kg.mutations.operator import MutationKind
from retrocypher.kg.mutations.registry import OPERATORS, Mutant, mutations_of
from retrocypher.kg.questions.question import TASKS, Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.cli.bank import bank_build_command, bank_sample_command, bank_show_command
from retrocypher.plugins.judge.bank import (
    MANIFEST,
    Bank,
    bank_folder,
    bank_key,
    held_out_operators,
    held_out_questions,
    load_bank,
    read_entries,
    read_manifest,
    sample,
    write_bank,
)
from retrocypher.plugins.judge.bank_candidates import (
    COMPOSITION,
    BankEntry,
    Candidate,
    Cell,
    Size,
    candidates,
    check,
    is_right,
    plan,
    shortened,
)
from retrocypher.plugins.runs.record import Scores
from retrocypher.plugins.scoring.score import score

SAMPLE = BANK / "development.jsonl.gz"
ENTRY = BankEntry(
    question_id="precursors-001",
    task="precursors",
    operator="reverse_arrow",
    place=2,
    kind="error",
    label="traversal_direction",
    base="",
    cypher="MATCH (a)\u2028 RETURN 'ü'",
    execution=Execution("ok", columns=["a"], rows=[["\u2028"]], row_count=1),
    scores=Scores(f1=0.0, row_f1=0.0),
    held_out=False,
)
KEPT = Bank(
    entries=(ENTRY, structs.replace(ENTRY, question_id="precursors-002", held_out=True)),
    dropped={"reverse_arrow": {"no effect": 3}},
    held_out_questions=frozenset({"precursors-002"}),
    held_out_operators=frozenset(),
    seed=0,
)


def test_the_parts_lie_in_files_of_their_own(tmp_path: Path) -> None:
    write_bank(KEPT, tmp_path)
    assert load_bank(folder=tmp_path) == (ENTRY,)
    assert load_bank("held_out", tmp_path) == (KEPT.entries[1],)
    assert read_manifest(tmp_path).dropped == KEPT.dropped
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    write_bank(KEPT, tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_bank_that_is_not_there_is_an_error_with_the_remedy(tmp_path: Path) -> None:
    for read in (lambda: load_bank(folder=tmp_path), lambda: read_manifest(tmp_path)):
        with pytest.raises(InputError, match="holds no bank of known errors") as raised:
            read()
        assert "`retrocypher bank build`, which takes about 7 minutes" in str(raised.value)
        assert "`--bank tests/data/bank`" in str(raised.value)


@pytest.mark.parametrize("name", ["development.jsonl.gz", MANIFEST])
@pytest.mark.parametrize("damage", ["none", "half", "other", "values"])
def test_a_damaged_bank_is_an_error_with_file_and_remedy(tmp_path: Path, name: str, damage: str) -> None:
    write_bank(KEPT, tmp_path)
    file = tmp_path / name
    whole = file.read_bytes()
    made = {"none": b"", "half": whole[: len(whole) // 2], "other": b"\xff\xfe not gzip"}
    file.write_bytes(made.get(damage, gzip.compress(b'{"task": 1}\n') if "gz" in name else b"[]"))
    with pytest.raises(InputError, match=rf"{name}: missing or damaged.*`retrocypher bank build`"):
        read_manifest(tmp_path) if name == MANIFEST else load_bank(folder=tmp_path)
    file.unlink()
    with pytest.raises(InputError):
        load_bank(folder=tmp_path)


def test_another_seed_question_or_server_is_another_bank(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    questions = load_questions()
    keys = {
        bank_key(questions),
        bank_key(questions, 1),
        bank_key(questions, server="5.27.0"),
        bank_key(replace(questions, sha256="0" * 64)),
        bank_key(replace(questions, fingerprint="0" * 64)),
    }
    assert len(keys) == 5
    assert bank_key(questions, server="5.26.99") == bank_key(questions)
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    assert bank_folder(questions) == tmp_path / "bank" / bank_key(questions)[:16]


def show(bank: Path, *options: str) -> str:
    shown = CliRunner().invoke(bank_show_command, ["--bank", str(bank), *options], env={"COLUMNS": "80"})
    assert shown.exit_code == 0, shown.output
    return shown.output


def test_the_command_shows_counts_and_writes_a_sample_that_is_a_bank(tmp_path: Path) -> None:
    write_bank(KEPT, tmp_path / "bank")
    shown = show(tmp_path / "bank")
    assert re.search(r"reverse_arrow +error +traversal_direction +2 +1 +3$", shown, re.MULTILINE)
    assert "Dropped: 3 no effect." in shown
    assert "2 entries: 2 error (1 operator); 1 of them held out" in shown
    arguments = ["--bank", str(tmp_path / "bank"), "--to", str(tmp_path / "sample")]
    assert CliRunner().invoke(bank_sample_command, arguments).exit_code == 0
    assert load_bank(folder=tmp_path / "sample") == (ENTRY,)
    assert load_bank("held_out", tmp_path / "sample") == KEPT.entries[1:]
    assert "2 entries" in show(tmp_path / "sample")
    assert re.search(r"reverse_arrow +2 +2$", show(tmp_path / "bank", "--by-task"), re.MULTILINE)
    assert "1=precursors, 2=producing_reactions" in show(tmp_path / "bank", "--by-task")
    assert re.search(r"reverse_arrow +3$", show(tmp_path / "bank", "--dropped"), re.MULTILINE)


@pytest.mark.parametrize("options", [[], ["--by-task"], ["--dropped"]])
def test_nothing_is_cut_off_at_80_columns(tmp_path: Path, options: list[str]) -> None:
    labels = {each.name: each.label for each in OPERATORS.values()}
    entries = [
        structs.replace(ENTRY, operator=name, label=label, kind=OPERATORS[name].kind)
        for name, label in labels.items()
    ]
    reasons = ("no effect", "score stays", "score falls", "other status", "base differs")
    dropped = {name: dict.fromkeys(reasons, 999) for name in OPERATORS}
    most = replace(KEPT, entries=tuple(entries) * 12, dropped=dropped)
    write_bank(most, tmp_path)
    shown = show(tmp_path, *options)
    assert "…" not in shown
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert all(re.search(rf"^{name} ", shown, re.MULTILINE) for name in OPERATORS)
    assert options or all(label in shown for label in labels.values() if label)


def test_a_bank_in_the_cache_is_not_built_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    folder = bank_folder(load_questions())
    write_bank(KEPT, folder)
    built = CliRunner().invoke(bank_build_command, [])
    assert built.exit_code == 0
    assert f"already built: {folder}" in built.output
    assert load_bank() == (ENTRY,)


@pytest.fixture(scope="module")
def entries() -> tuple[BankEntry, ...]:
    return read_entries(SAMPLE)


def test_the_committed_sample_has_all_kinds_tasks_and_labels(entries: tuple[BankEntry, ...]) -> None:
    assert SAMPLE.stat().st_size < 1_000_000
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


def test_the_committed_sample_can_be_read_as_a_bank(entries: tuple[BankEntry, ...]) -> None:
    held_out = load_bank("held_out", BANK)
    assert load_bank(folder=BANK) == entries
    manifest = read_manifest(BANK)
    assert manifest.entries == len(entries) + len(held_out)
    aside = (set(manifest.held_out_operators), set(manifest.held_out_questions))
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


def test_an_entry_behaves_as_its_kind_says(entries: tuple[BankEntry, ...]) -> None:
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


REFERENCE = "MATCH (r) RETURN r.id AS id, r.name AS reactants, r.name AS products"
COLUMNS = ["id", "reactants", "products"]
RIGHT: list[list[Any]] = [[1, ["A"], ["P"]], [2, ["B"], ["P"]]]
CELL = Cell("reverse_arrow", "precursors", wanted=5, tried=8)
GOLD = [{"id": number, "reactants": [name], "products": ["P"]} for number, name in ((1, "A"), (2, "B"))]
QUESTION = Question(
    "precursors-001", "precursors", "single_step", 1, "", {"target": "P"}, REFERENCE, GOLD, "P", True
)


class Graph:
    """Answers each query as its test says, and the reference with the right rows."""

    def __init__(self, answers: dict[str, Execution]) -> None:
        self.answers = {REFERENCE: rows(RIGHT), **answers}

    def run(self, cypher: str | None) -> Execution:
        return self.answers[cypher or ""]


def rows(values: list[list[Any]]) -> Execution:
    return Execution("ok", columns=COLUMNS, rows=values, row_count=len(values))


def candidate(
    query: str, kind: MutationKind = "error", label: str | None = "set_logic", base: str = ""
) -> Candidate:
    mutant = Mutant(query, "reverse_arrow", 0, kind, label)
    return Candidate(QUESTION, base, "varied" if base else REFERENCE, mutant)


WRONG = rows([[1, ["A"], ["P"]]])
TWICE = rows([*RIGHT, *RIGHT])


@pytest.mark.parametrize(
    ("made", "execution", "reason"),
    [
        (candidate("x"), WRONG, None),
        (candidate("x"), Execution("timeout"), None),
        (candidate("x"), Execution("syntax_error"), "other status"),
        (candidate("x", label="syntax_error"), Execution("syntax_error"), None),
        (candidate("x", label="refused"), Execution("refused"), None),
        (candidate("x"), rows(RIGHT[::-1]), "no effect"),
        (candidate("x"), TWICE, "score stays"),
        (candidate("x", base="one_line"), WRONG, None),
        (candidate("x", base="add_comment"), WRONG, "base differs"),
        (candidate("x", "style"), TWICE, None),
        (candidate("x", "style"), rows(RIGHT), "no effect"),
        (candidate("x", "style"), WRONG, "score falls"),
        (candidate("x", "neutral", None), rows(RIGHT), None),
        (candidate("x", "neutral", None), WRONG, "score falls"),
        (candidate("x", "neutral", None), Execution("timeout"), "score falls"),
    ],
)
def test_what_is_kept_and_why_not(made: Candidate, execution: Execution, reason: str | None) -> None:
    varied = rows(RIGHT) if made.base == "one_line" else Execution("syntax_error")
    checked = check(CELL, [made], Graph({"x": execution, "varied": varied}))
    assert dict(checked.dropped) == ({reason: 1} if reason else {})
    assert [entry.cypher for entry in checked.kept] == ([] if reason else ["x"])


def test_enough_is_enough() -> None:
    graph = Graph({f"wrong {n}": WRONG for n in range(20)} | {f"right {n}": rows(RIGHT) for n in range(20)})
    assert len(check(CELL, [candidate(f"wrong {n}") for n in range(20)], graph).kept) == 5
    mixed = [candidate(f"{'right' if n % 2 else 'wrong'} {n}") for n in range(20)]
    checked = check(CELL, mixed, graph)
    assert (len(checked.kept), checked.dropped["no effect"]) == (4, 4)


def test_long_results_are_cut_short() -> None:
    for made, kept in (
        ([[n] for n in range(500)], 120),
        ([["x" * 30_000], ["y" * 30_000]], 1),
        ([["x" * 90_000]], 1),
    ):
        short = shortened(rows(made))
        assert (short.rows, short.row_count) == (made[:kept], len(made))
    nested = [[1, [{"$path": {"nodes": list(range(100))}}]]]
    assert shortened(rows(nested)).rows == [[1, [{"$path": {"nodes": list(range(40))}}]]]


ALL = tuple(OPERATORS.values())


@pytest.fixture(scope="module")
def questions() -> tuple[Question, ...]:
    return load_questions().questions


def test_a_tenth_of_every_stratum_is_held_out(questions: tuple[Question, ...]) -> None:
    held_out = held_out_questions(questions, 0)
    assert len(held_out) == 240
    counts = Counter((each.task, each.steps) for each in questions if each.id in held_out)
    assert set(counts.values()) == {20, 10}
    assert held_out == held_out_questions(reversed(list(reversed(questions))), 0)
    assert held_out != held_out_questions(questions, 1)


@pytest.mark.parametrize("seed", range(5))
def test_a_fifth_of_the_operators_is_held_out_and_no_label_with_all_of_its_own(seed: int) -> None:
    held_out = held_out_operators(ALL, seed)
    errors = [operator for operator in ALL if operator.kind == "error"]
    assert len(held_out) == round(len(errors) / 5)
    assert held_out <= {operator.name for operator in errors}
    left = {operator.label for operator in errors if operator.name not in held_out}
    assert left == {operator.label for operator in errors}
    assert held_out == held_out_operators(ALL, seed)


def test_operators_have_about_as_many_entries_as_each_other(questions: tuple[Question, ...]) -> None:
    cells = plan(ALL, questions, Size())
    wanted = Counter[str]()
    for cell in cells:
        wanted[cell.operator] += cell.wanted
    errors = {name: wanted[name] for name, operator in OPERATORS.items() if operator.kind == "error"}
    assert sum(errors.values()) >= 8_000
    assert max(errors.values()) <= 0.02 * sum(errors.values())
    assert {cell.task for cell in cells} == set(TASKS)
    neutral = sum(wanted[name] for name, operator in OPERATORS.items() if operator.kind == "neutral")
    assert neutral + wanted[COMPOSITION] >= 2_000


@pytest.mark.parametrize(
    "cell",
    [
        Cell("reverse_arrow", "precursors", 5, 10, varied=True),
        Cell("smiles_stereo", "chains_between", 5, 10, varied=True),
        Cell(COMPOSITION, "multi_product", 5, 10, composed=3),
    ],
    ids=lambda cell: cell.operator,
)
def test_candidates_depend_on_seed_and_cell_alone(questions: tuple[Question, ...], cell: Cell) -> None:
    own = [question for question in questions if question.task == cell.task]

    def first(seed: int) -> list[Candidate]:
        return list(itertools.islice(candidates(cell, own, seed), 20))

    assert first(0) == first(0)
    assert first(0) != first(1)
    assert len({each.mutant.query for each in first(0)}) == 20
    if cell.composed:
        assert {each.mutant.operator.count("+") for each in first(0)} == {cell.composed - 1}
    else:
        assert {each.mutant.operator for each in first(0)} == {cell.operator}
        assert any(each.base for each in itertools.islice(candidates(cell, own, 0), 60))
