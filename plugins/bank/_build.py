"""Building a bank."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from kg.questions import QuestionSet
from kg.server import Endpoint
from plugins.bank._check import Checked
from plugins.bank._entry import BankEntry
from plugins.bank._held_out import held_out_operators, held_out_questions
from plugins.bank._plan import Cell, Size, plan
from plugins.bank._workers import check_all
from prompts.models.mutations import OPERATORS

_LINES = 20
"""How often the build says how far it is."""


@dataclass(frozen=True, slots=True)
class Bank:
    """A bank of known errors.

    Attributes:
        entries: Development and held-out entries, by operator and task in a fixed order.
        dropped: By operator and reason, how many candidates did not behave as declared.
        held_out_questions: Ids of the questions that are set aside.
        held_out_operators: Names of the operators that are set aside.
        seed: Seed of every choice.
    """

    entries: tuple[BankEntry, ...]
    dropped: dict[str, dict[str, int]]
    held_out_questions: frozenset[str]
    held_out_operators: frozenset[str]
    seed: int


def build_bank(
    question_set: QuestionSet,
    endpoint: Endpoint,
    seed: int = 0,
    *,
    size: Size | None = None,
    workers: int = 2,
    announce: Callable[[str], None] = print,
) -> Bank:
    """Plant errors in reference queries, run each mutant, and keep those that behave as declared.

    Args:
        question_set: The questions.
        endpoint: A server that holds their graph.
        seed: Seed of every choice; the same seed gives the same bank.
        size: How large it is to be.
        workers: Processes that run mutants.
        announce: Is told, a line at a time, how far it is.

    Raises:
        GraphError: The server or a process is lost.
    """
    operators = tuple(OPERATORS.values())
    cells = plan(operators, question_set.questions, size or Size())
    found: dict[Cell, Checked] = {}
    for checked in check_all(cells, question_set.questions, endpoint, seed, workers):
        found[checked.cell] = checked
        if len(found) * _LINES // len(cells) > (len(found) - 1) * _LINES // len(cells):
            kept = sum(len(each.kept) for each in found.values())
            announce(f"{len(found):,} of {len(cells):,} operators × tasks, {kept:,} mutants")
    questions = held_out_questions(question_set.questions, seed)
    names = held_out_operators(operators, seed)
    dropped: dict[str, Counter[str]] = {}
    for cell in cells:
        dropped.setdefault(cell.operator, Counter()).update(found[cell].dropped)
    entries = _once(found[cell] for cell in cells)
    return Bank(
        entries=tuple(
            replace(entry, held_out=entry.question_id in questions or entry.operator in names)
            for entry in entries
        ),
        dropped={name: dict(sorted(counts.items())) for name, counts in dropped.items() if counts},
        held_out_questions=questions,
        held_out_operators=names,
        seed=seed,
    )


def _once(checked: Iterable[Checked]) -> Sequence[BankEntry]:
    """Each text once a question: what two operators come to is the first one's."""
    entries: dict[tuple[str, str], BankEntry] = {}
    for each in checked:
        for entry in each.kept:
            entries.setdefault((entry.question_id, entry.cypher), entry)
    return list(entries.values())
