"""What DeepEval's metrics ask, answered by our models and read strictly."""

from collections.abc import Callable
from functools import cache
from typing import Any

from kg.errors import RetroCypherError
from plugins.judge import deepeval
from prompts.extraction import said_aloud, sole_json
from prompts.loops import Step
from prompts.models import Chat, Message, ModelError, TextModel


class UnreadError(RetroCypherError):
    """A call gave nothing that can be scored.

    Attributes:
        kind: Short name of why: that of a `ModelError`, or ``malformed``.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class _Asked:
    """A model of DeepEval's kind that asks one of ours; serves one thread and one metric at a time."""

    def __init__(self, model: TextModel) -> None:
        self._model = model
        self.case_id = ""
        self.role = ""
        self.note: Callable[[Step], None] = lambda step: None
        self.failure: UnreadError | None = None
        super().__init__(model.label)  # type: ignore[call-arg]

    def load_model(self) -> Any:
        return self

    def get_model_name(self) -> str:
        return self._model.label

    def generate(self, *_: Any, **__: Any) -> Any:
        raise UnreadError("malformed", "metrics ask for JSON alone")

    async def a_generate(self, *_: Any, **__: Any) -> Any:
        raise UnreadError("malformed", "metrics ask one thing after another")

    def generate_with_schema(self, prompt: str, schema: Any = None, **_: Any) -> Any:
        """Ask, and return what the schema makes of the reply."""
        messages: list[Message] = [{"role": "user", "content": prompt}]
        try:
            answer = self._model.answer(Chat(messages, self.case_id))
        except ModelError as error:
            fault = {"error": {"stage": "judge", "kind": error.kind, "message": str(error)}}
            self.note(Step(self.role, None, "error", [fault], messages=messages))
            raise self._failed(error.kind, str(error)) from error
        try:
            read = schema.model_validate(_object(said_aloud(answer.text)))
        except ValueError as error:
            why = " ".join(str(error).split())[:200]
            self.note(
                Step(self.role, None, "malformed", [{"malformed": why}], messages=messages, answer=answer)
            )
            raise self._failed("malformed", why) from error
        self.note(Step(self.role, None, "read", messages=messages, answer=answer))
        return read

    def _failed(self, kind: str, message: str) -> UnreadError:
        self.failure = UnreadError(kind, message)
        return self.failure


@cache
def asked_class() -> Any:
    """Return the class, which needs DeepEval loaded."""
    return type("_AskedByMetrics", (_Asked, deepeval("models").DeepEvalBaseLLM), {})


def _object(reply: str) -> dict[str, Any]:
    found = sole_json(reply)
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")
    return found
