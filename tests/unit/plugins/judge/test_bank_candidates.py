"""What a bank is to hold, which candidates are kept, and what is held out."""

import itertools
from collections import Counter
from typing import Any

import msgspec
import pytest

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.mutations.operator import MutationKind
from retrocypher.kg.mutations.registry import OPERATORS, Mutant
from retrocypher.kg.questions.question import TASKS, Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.judge.bank import held_out_operators, held_out_questions
from retrocypher.plugins.judge.bank_candidates import (
    COMPOSITION,
    BankEntry,
    Candidate,
    Cell,
    Size,
    candidates,
    check,
    plan,
    shortened,
)

REFERENCE = "MATCH (r) RETURN r.id AS id, r.name AS reactants, r.name AS products"
COLUMNS = ["id", "reactants", "products"]
RIGHT: list[list[Any]] = [[1, ["A"], ["P"]], [2, ["B"], ["P"]]]
CELL = Cell("reverse_arrow", "precursors", wanted=5, tried=8)
GOLD = [{"id": number, "reactants": [name], "products": ["P"]} for number, name in ((1, "A"), (2, "B"))]
QUESTION = Question(
    "precursors-001", "precursors", "single_step", 1, "", {"target": "P"}, REFERENCE, GOLD, "P", True
)


class Graph:
    """Answers each query as told, and the reference with the right rows."""

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


def test_an_entry_tells_what_came_of_it() -> None:
    (entry,) = check(CELL, [candidate("x")], Graph({"x": WRONG})).kept
    assert (entry.status, entry.row_f1, entry.label) == ("ok", 2 / 3, "set_logic")
    assert entry.f1 < 1
    assert entry.execution.rows == WRONG.rows
    assert msgspec.convert(msgspec.to_builtins(entry), BankEntry) == entry


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
