"""One query of the bank."""

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from msgspec import Struct, structs

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.mutations.operator import MutationKind, Operator
from retrocypher.kg.mutations.registry import OPERATORS, Mutant, compose, mutations_of, operators_of
from retrocypher.kg.questions.question import TASKS, Question
from retrocypher.plugins.runs.record import Scores
from retrocypher.plugins.scoring.score import score


class BankManifest(Struct, frozen=True):
    """What `manifest.json` of a bank says of it."""

    seed: int
    entries: int
    held_out_operators: list[str]
    held_out_questions: list[str]
    dropped: dict[str, dict[str, int]]
    """Number of dropped mutants by operator and reason; those of compositions are together."""


class BankEntry(Struct, frozen=True):
    """A changed reference query, with what running it on the graph gave."""

    question_id: str
    """The question whose reference was changed."""
    task: str
    operator: str
    """Name of the operator; several neutral ones, in turn, are joined by ``+``."""
    place: int
    """Which of the operator's changes it is, from 0."""
    kind: MutationKind
    """``error``, ``style`` or ``neutral``, and so it behaves (see ``docs/errors-and-loops.md``)."""
    label: str | None
    """The planted error as in ``kg.labels``, with its detail; None for neutral entries."""
    base: str
    """Neutral operators, joined by ``+``, that changed the reference before; empty for most."""
    cypher: str
    execution: Execution
    """What running it gave, with rows and lists cut short. ``row_count`` is that of the whole result."""
    scores: Scores
    """Its scores, of the whole result, without text metrics."""
    held_out: bool
    """Whether it is set aside for the final figures."""

    @property
    def status(self) -> str:
        """How the query ended."""
        return self.execution.status

    @property
    def f1(self) -> float:
        """Its F1."""
        return self.scores.f1

    @property
    def row_f1(self) -> float | None:
        """Its F1 over whole reactions; None for multi-step questions."""
        return self.scores.row_f1


_Thing = TypeVar("_Thing")


def seeded_rng(seed: int, *names: object) -> random.Random:
    """Return the random generator of a seed and names, the same on every machine."""
    return random.Random(":".join(map(str, (seed, *names))))


def shuffled(things: Iterable[_Thing], seed: int, *names: object) -> list[_Thing]:
    """Return things in the random order of a seed and names."""
    found = list(things)
    seeded_rng(seed, *names).shuffle(found)
    return found


_MOST_ROWS = 120
"""More than any question's gold has."""

_MOST_VALUES = 40
_MOST_CHARACTERS = 40_000


def shortened(execution: Execution) -> Execution:
    """Return an execution with the first rows and values; ``row_count`` stays that of the whole result."""
    rows: list[list[Any]] = []
    left = _MOST_CHARACTERS
    for row in execution.rows[:_MOST_ROWS]:
        short = _short(row)
        left -= len(json.dumps(short))
        if left < 0 and rows:
            break
        rows.append(short)
    return structs.replace(execution, rows=rows, time_s=0.0)


def _short(value: Any) -> Any:
    if isinstance(value, list):
        return [_short(each) for each in value[:_MOST_VALUES]]
    if isinstance(value, dict):
        return {name: _short(each) for name, each in value.items()}
    return value


COMPOSITION = "composition"


@dataclass(frozen=True, slots=True)
class Cell:
    """One operator at the questions of one task."""

    operator: str
    """Its name; `COMPOSITION` for several neutral operators in turn."""
    task: str
    wanted: int
    tried: int
    """Candidates to run at most."""
    composed: int = 0
    """How many neutral operators a composition has."""
    varied: bool = False
    """Whether the reference of some candidates is first changed by neutral operators."""
    most_steps: int | None = None
    """Questions with more steps are left out; None for no bound."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a bank is to be."""

    errors: int = 140
    """Entries wanted of an operator that plants errors, over all tasks."""
    style: int = 60
    neutral: int = 60
    compositions: int = 400
    """Compositions wanted of each number of operators, over all tasks."""
    composed: tuple[int, ...] = (2, 3, 4)


_COSTLY = {
    "anchor_apart": 0.4,
    "drop_anchor": 0.4,
    "drop_arrow": 0.4,
    "double_length": 1.0,
    "drop_type": 0.6,
    "extra_match": 0.5,
    "more_types": 0.4,
    "other_reaction": 0.5,
    "unbounded_length": 0.15,
}
"""Operators whose queries take long: a smaller share of them, and of routes the shortest only."""

_SHORT = 2
_MOST_OF_A_CELL = 90
_TRIES = 2


def plan(operators: Sequence[Operator], questions: Iterable[Question], size: Size) -> list[Cell]:
    """Return the cells of a bank, such that operators have about as many entries as each other."""
    first: dict[str, Question] = {}
    for question in questions:
        first.setdefault(question.task, question)
    parsed = {task: parse(question.reference_cypher) for task, question in first.items()}
    cells = []
    for operator in operators:
        tasks = [task for task, query in parsed.items() if mutations_of(operator, query)] or list(first)
        cells += [_cell(operator, task, len(tasks), size) for task in tasks]
    per_task = -(-size.compositions // len(TASKS))
    return cells + [
        Cell(COMPOSITION, task, per_task, _TRIES * per_task, count)
        for task in first
        for count in size.composed
    ]


def _cell(operator: Operator, task: str, tasks: int, size: Size) -> Cell:
    total: dict[Literal["error", "style", "neutral"], int] = {
        "error": size.errors,
        "style": size.style,
        "neutral": size.neutral,
    }
    share = total[operator.kind] * _COSTLY.get(operator.name, 1.0) / tasks
    wanted = max(1, min(round(share), _MOST_OF_A_CELL))
    return Cell(
        operator.name,
        task,
        wanted,
        _TRIES * wanted,
        varied=operator.kind == "error",
        most_steps=_SHORT if operator.name in _COSTLY else None,
    )


_VARIED = 0.06
"""Share of errors that are planted in a variation of the reference."""

_PASSES = 3
"""How often a cell comes back to a question for another of its places."""

# The server takes twenty times as long for a query of a new form, which it has to plan, as for one of a form
# it knows. So the questions of a cell share a few forms, and other cells have others.
_PLACES = (1, 3)
"""How many of an operator's places a cell uses at least and at most, one for each `_PER_PLACE` entries."""

_PER_PLACE = 10

_BASES = 4
"""How many variations of a task's reference errors are planted in, for one and for two neutral changes."""

_RECIPES = 12
"""How many compositions there are of a task and a number of neutral changes."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A mutant that is not yet known to behave as it should."""

    question: Question
    base: str
    """The neutral operators, joined by ``+``, that changed the reference before; empty for none."""
    base_cypher: str
    """The query in which it was planted."""
    mutant: Mutant


def candidates(cell: Cell, questions: Sequence[Question], seed: int) -> Iterator[Candidate]:
    """Yield the candidates of a cell in a seeded order, without bound on how many are of use."""
    fitting = [each for each in questions if cell.most_steps is None or each.steps <= cell.most_steps]
    order = shuffled(fitting, seed, cell.operator, cell.task, cell.composed)
    seen: set[str] = set()
    for number in range(_PASSES):
        for question in order:
            made = _candidate(cell, question, seed, number)
            if made and made.mutant.query not in seen:
                seen.add(made.mutant.query)
                yield made


def _candidate(cell: Cell, question: Question, seed: int, number: int) -> Candidate | None:
    rng = seeded_rng(seed, cell.operator, cell.composed, question.id, number)
    if cell.operator == COMPOSITION:
        mutant = _varied(cell, question.reference_cypher, cell.composed, seed, rng.randrange(_RECIPES))
        return Candidate(question, "", question.reference_cypher, mutant) if mutant else None
    base, query = "", question.reference_cypher
    if cell.varied and rng.random() < _VARIED:
        varied = _varied(cell, query, rng.choice((1, 2)), seed, rng.randrange(_BASES))
        if varied:
            base, query = varied.operator, varied.query
    found = mutations_of(OPERATORS[cell.operator], query)
    least, most = _PLACES
    count = max(least, min(cell.wanted // _PER_PLACE, most))
    places = shuffled(range(len(found)), seed, cell.operator, cell.task)[:count]
    return Candidate(question, base, query, found[rng.choice(places)]) if found else None


def _varied(cell: Cell, query: str, count: int, seed: int, recipe: int) -> Mutant | None:
    # The same for all operators, so that a variation is planned once.
    return compose(
        query, operators_of("neutral"), count=count, seed=seed, key=f"{cell.task}:{count}:{recipe}"
    )


_ENDINGS = ("syntax_error", "runtime_error", "refused", "no_query")
"""Labels that are statuses too."""


class Executor(Protocol):
    """Runs a query under guard."""

    def run(self, cypher: str | None) -> Execution:
        """Run a query; raises GraphError where the graph cannot be asked."""


@dataclass(slots=True)
class Checked:
    """The result of a cell."""

    cell: Cell
    kept: list[BankEntry] = field(default_factory=list)
    """The candidates that behave, as entries none of which is held out yet."""
    dropped: Counter[str] = field(default_factory=Counter)
    """How many of the others there were, by reason: ``no effect`` (an error or a matter of style after which
    the result is as before), ``score stays`` (an error after which only rows differ), ``score falls`` (a
    change that should not matter), ``other status`` (an error that shows as one of another label, as a syntax
    error does), ``base differs`` (the variation in which an error was planted does not score 1 itself)."""


def check(cell: Cell, candidates: Iterable[Candidate], executor: Executor) -> Checked:
    """Run candidates until enough behave or enough were tried."""
    checked = Checked(cell)
    for candidate in candidates:
        if len(checked.kept) >= cell.wanted or checked.dropped.total() + len(checked.kept) >= cell.tried:
            break
        execution = executor.run(candidate.mutant.query)
        scores = score(candidate.question, execution, candidate.mutant.query, text_metrics=False)
        reason = _reason(candidate, execution, scores, executor)
        if reason:
            checked.dropped[reason] += 1
        else:
            checked.kept.append(_entry(candidate, execution, scores))
    return checked


def is_right(status: str, scores: Scores) -> bool:
    """Whether a result is right as the bank takes it: ``f1`` and ``row_f1`` are 1."""
    return status == "ok" and scores.is_perfect


def _reason(candidate: Candidate, execution: Execution, scores: Scores, executor: Executor) -> str | None:
    right, kind = is_right(execution.status, scores), candidate.mutant.kind
    if kind == "neutral":
        return None if right else "score falls"
    if kind == "style" and not right:
        return "score falls"
    label = candidate.mutant.label
    if kind == "error" and execution.status not in ((label,) if label in _ENDINGS else ("ok", "timeout")):
        return "other status"
    if kind == "error" and not right:
        return "base differs" if candidate.base and not _base_is_right(candidate, executor) else None
    same = _result(execution) == _result(executor.run(candidate.question.reference_cypher))
    if same:
        return "no effect"
    return None if kind == "style" else "score stays"


def _base_is_right(candidate: Candidate, executor: Executor) -> bool:
    execution = executor.run(candidate.base_cypher)
    scores = score(candidate.question, execution, candidate.base_cypher, text_metrics=False)
    return is_right(execution.status, scores)


def _result(execution: Execution) -> tuple[list[str], list[str]]:
    return execution.columns, sorted(map(repr, execution.rows))


def _entry(candidate: Candidate, execution: Execution, scores: Scores) -> BankEntry:
    question: Question = candidate.question
    mutant = candidate.mutant
    return BankEntry(
        question_id=question.id,
        task=question.task,
        operator=mutant.operator,
        place=mutant.place,
        kind=mutant.kind,
        label=mutant.label,
        base=candidate.base,
        cypher=mutant.query,
        execution=shortened(execution),
        scores=scores,
        held_out=False,
    )
