"""The model that reads its answers from a file."""

from dataclasses import dataclass

from prompts.models._interface import Answer, Request
from prompts.models._predictions import Predictions


@dataclass(frozen=True, slots=True)
class FileModel:
    """Answers with the predictions of a file, each query as it stands there."""

    label: str
    predictions: Predictions

    def answer(self, request: Request) -> Answer:
        """Return the prediction for the case; no query where there is none."""
        found = self.predictions.find(request.question.id, {**request.case, "model": self.label})
        if found is None:
            return Answer("", details={"no_answer": "no prediction for this case"}, verbatim=True)
        return Answer(found.cypher or "", details={"line": found.line}, verbatim=True)

    def close(self) -> None:
        """Nothing is held."""
