"""The model that is always right."""

from dataclasses import dataclass

from prompts.models._interface import Answer, Request


@dataclass(frozen=True, slots=True)
class OracleModel:
    """Answers with the reference Cypher: a run of it must score 1 everywhere."""

    label: str

    def answer(self, request: Request) -> Answer:
        """Return the question's reference query."""
        return Answer(request.question.reference_cypher, verbatim=True)

    def close(self) -> None:
        """Nothing is held."""
