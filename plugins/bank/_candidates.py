"""The candidates of a cell, one after another."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kg.questions import Question
from plugins.bank._chance import chance, shuffled
from plugins.bank._plan import COMPOSITION, Cell
from prompts.models.mutations import OPERATORS, Mutant, compose, mutations_of, operators_of

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
    """A mutant that is not yet known to behave as it should.

    Attributes:
        question: Its question.
        base: The neutral operators, joined by ``+``, that changed the reference before; empty for none.
        base_cypher: The query in which it was planted.
        mutant: The changed query.
    """

    question: Question
    base: str
    base_cypher: str
    mutant: Mutant


def candidates(cell: Cell, questions: Sequence[Question], seed: int) -> Iterator[Candidate]:
    """Yield the candidates of a cell in a seeded order, without bound on how many are of use.

    Args:
        cell: The cell.
        questions: The questions of its task.
        seed: With the names of operator, task and question all that decides.
    """
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
    lot = chance(seed, cell.operator, cell.composed, question.id, number)
    if cell.operator == COMPOSITION:
        mutant = _varied(cell, question.reference_cypher, cell.composed, seed, lot.randrange(_RECIPES))
        return Candidate(question, "", question.reference_cypher, mutant) if mutant else None
    base, query = "", question.reference_cypher
    if cell.varied and lot.random() < _VARIED:
        varied = _varied(cell, query, lot.choice((1, 2)), seed, lot.randrange(_BASES))
        if varied:
            base, query = varied.operator, varied.query
    found = mutations_of(OPERATORS[cell.operator], query)
    least, most = _PLACES
    count = max(least, min(cell.wanted // _PER_PLACE, most))
    places = shuffled(range(len(found)), seed, cell.operator, cell.task)[:count]
    return Candidate(question, base, query, found[lot.choice(places)]) if found else None


def _varied(cell: Cell, query: str, count: int, seed: int, recipe: int) -> Mutant | None:
    # The same for all operators, so that a variation is planned once.
    return compose(
        query, operators_of("neutral"), count=count, seed=seed, key=f"{cell.task}:{count}:{recipe}"
    )
