"""Which candidates are kept, seen with a graph that answers as it is told."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.mutations.operator import MutationKind
from retrocypher.kg.mutations.registry import Mutant
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.judge.bank_candidates import BankEntry, Candidate, Cell, check, shortened

REFERENCE = "MATCH (r) RETURN r.id AS id, r.name AS reactants, r.name AS products"
COLUMNS = ["id", "reactants", "products"]
RIGHT: list[list[Any]] = [[1, ["A"], ["P"]], [2, ["B"], ["P"]]]
CELL = Cell("reverse_arrow", "precursors", wanted=5, tried=8)
GOLD = [{"id": number, "reactants": [name], "products": ["P"]} for number, name in ((1, "A"), (2, "B"))]
QUESTION = Question(
    "precursors-001", "precursors", "single_step", 1, "", {"target": "P"}, REFERENCE, GOLD, "P", True
)


class Told:
    """Answers each text with what it is told, and the reference with the right rows."""

    def __init__(self, answers: dict[str, Execution]) -> None:
        self.answers = {REFERENCE: rows(RIGHT), **answers}
        self.asked: list[str | None] = []

    def run(self, cypher: str | None) -> Execution:
        self.asked.append(cypher)
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
        (candidate("x", label="syntax_error"), WRONG, "other status"),
        (candidate("x", label="refused"), Execution("refused"), None),
        (candidate("x"), rows(RIGHT[::-1]), "no effect"),
        (candidate("x"), TWICE, "score stays"),
        (candidate("x", base="one_line"), WRONG, None),
        (candidate("x", base="add_comment"), WRONG, "base differs"),
        (candidate("x", "style"), TWICE, None),
        (candidate("x", "style"), rows(RIGHT), "no effect"),
        (candidate("x", "style"), WRONG, "score falls"),
        (candidate("x", "neutral", None), rows(RIGHT), None),
        (candidate("x", "neutral", None), TWICE, None),
        (candidate("x", "neutral", None), WRONG, "score falls"),
        (candidate("x", "neutral", None), Execution("timeout"), "score falls"),
    ],
)
def test_what_is_kept_and_why_not(made: Candidate, execution: Execution, reason: str | None) -> None:
    varied = rows(RIGHT) if made.base == "one_line" else Execution("syntax_error")
    checked = check(CELL, [made], Told({"x": execution, "varied": varied}))
    assert dict(checked.dropped) == ({reason: 1} if reason else {})
    assert [entry.cypher for entry in checked.kept] == ([] if reason else ["x"])


def test_enough_is_enough() -> None:
    graph = Told({f"wrong {n}": WRONG for n in range(20)} | {f"right {n}": rows(RIGHT) for n in range(20)})
    assert len(check(CELL, [candidate(f"wrong {n}") for n in range(20)], graph).kept) == 5
    mixed = [candidate(f"{'right' if n % 2 else 'wrong'} {n}") for n in range(20)]
    checked = check(CELL, mixed, graph)
    assert (len(checked.kept), checked.dropped["no effect"]) == (4, 4)


def test_an_entry_tells_what_came_of_it() -> None:
    (entry,) = check(CELL, [candidate("x")], Told({"x": WRONG})).kept
    assert (entry.status, entry.row_f1, entry.label) == ("ok", 2 / 3, "set_logic")
    assert entry.f1 < 1
    assert entry.execution.rows == WRONG.rows
    assert msgspec.convert(msgspec.to_builtins(entry), BankEntry) == entry


@pytest.mark.parametrize(
    ("make", "kept"),
    [
        (lambda: [[n] for n in range(500)], 120),
        (lambda: [["x" * 30_000], ["y" * 30_000]], 1),
        (lambda: [["x" * 90_000]], 1),
    ],
)
def test_long_results_are_cut_short(make: Callable[[], list[list[Any]]], kept: int) -> None:
    values = make()
    short = shortened(rows(values))
    assert short.rows == values[:kept]
    assert short.row_count == len(values)


def test_long_lists_within_rows_are_cut_short() -> None:
    nested = [[1, [{"$path": {"nodes": list(range(100))}}]]]
    assert shortened(rows(nested)).rows == [[1, [{"$path": {"nodes": list(range(40))}}]]]
