"""Questions and requests to ask models with."""

from collections.abc import Callable

import pytest

from retrocypher.kg.questions.question import Question
from retrocypher.prompts.models.interface import Request
from retrocypher.prompts.templates.exemplars import Exemplar

REFERENCE = (
    "MATCH (reaction:Reaction)-[:PRODUCES]->(target:Molecule {name: 'CC(=O)[O-]->x'})\n"
    "OPTIONAL MATCH (reactant:Molecule)-[:REACTS_IN]->(reaction)\n"
    "RETURN reaction.id AS id, collect(reactant.name) AS reactants"
)


@pytest.fixture
def question() -> Question:
    target = "CC(=O)[O-]"
    slots = {"target": target}
    how = "How is it made?"
    return Question("precursors-001", "precursors", "single_step", 1, how, slots, REFERENCE, [], target, True)


@pytest.fixture
def ask(question: Question) -> Callable[..., Request]:
    def make(*, exemplar: Exemplar | None = None, **case: str) -> Request:
        where = {"prompt": "P1", "shot": "ZS", "loop": "none", **case}
        return Request([{"role": "user", "content": question.text}], question, exemplar, where)

    return make
