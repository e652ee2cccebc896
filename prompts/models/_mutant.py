"""The model with a known error."""

from collections.abc import Sequence
from dataclasses import dataclass

from prompts.models._interface import Answer, Request
from prompts.models.mutations import Operator, mutate


@dataclass(frozen=True, slots=True)
class MutantModel:
    """Answers with the reference Cypher after one known change.

    Attributes:
        label: Name in ids and tables.
        operators: What to choose from: all errors where none is named.
        seed: Seed of the choice; the same question gets the same change for every prompt and shot.
    """

    label: str
    operators: Sequence[Operator]
    seed: int

    def answer(self, request: Request) -> Answer:
        """Return the changed query; no query where none of the operators applies to the reference."""
        question = request.question
        mutant = mutate(question.reference_cypher, self.operators, seed=self.seed, key=question.id)
        if mutant is None:
            return Answer("", details={"no_answer": "no operator applies"}, verbatim=True)
        details = {
            "operator": mutant.operator,
            "place": mutant.place,
            "kind": mutant.kind,
            "label": mutant.label,
        }
        return Answer(mutant.query, details=details, verbatim=True)

    def close(self) -> None:
        """Nothing is held."""
