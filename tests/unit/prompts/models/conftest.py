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
    return Question(
        id="precursors-001",
        task="precursors",
        setting="single_step",
        steps=1,
        text="How is it made?",
        slots={"target": "CC(=O)[O-]"},
        reference_cypher=REFERENCE,
        gold=[],
        target="CC(=O)[O-]",
        discriminating=True,
    )


@pytest.fixture
def ask(question: Question) -> Callable[..., Request]:
    def make(*, exemplar: Exemplar | None = None, **case: str) -> Request:
        where = {"prompt": "P1", "shot": "ZS", "loop": "none", **case}
        return Request([{"role": "user", "content": question.text}], question, exemplar, where)

    return make
