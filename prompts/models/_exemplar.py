"""The model that copies: the exemplar's query about the question's molecules."""

from dataclasses import dataclass

from prompts.exemplars import fill
from prompts.models._interface import Answer, Request


@dataclass(frozen=True, slots=True)
class ExemplarModel:
    """Answers with the exemplar's Cypher, molecules and step count filled in.

    What a model scores above it is more than copying.
    """

    label: str

    def answer(self, request: Request) -> Answer:
        """Return the filled query; no query where the question lacks something the exemplar needs."""
        exemplar, question = request.exemplar, request.question
        if exemplar is None:
            return Answer("", details={"no_answer": "no exemplar was shown"}, verbatim=True)
        query = fill(exemplar, question.slots)
        if query is None:
            reason = f"the question has nothing for a placeholder of {exemplar.id}"
            return Answer("", details={"no_answer": reason}, verbatim=True)
        return Answer(query, verbatim=True)

    def close(self) -> None:
        """Nothing is held."""
