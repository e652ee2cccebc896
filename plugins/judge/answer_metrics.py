"""Faithfulness and answer relevancy of a written answer."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, get_args

from retrocypher.kg.errors import RetroCypherError
from retrocypher.plugins.judge.metric import deepeval
from retrocypher.plugins.runs.record import MeasuredAnswer
from retrocypher.prompts.extraction.candidates import visible_text
from retrocypher.prompts.extraction.extract import sole_json
from retrocypher.prompts.loops.interface import Step
from retrocypher.prompts.models.interface import Chat, Message, ModelError, TextModel


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
            read = schema.model_validate(_object(visible_text(answer.text)))
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


Name = Literal["faithfulness", "answer_relevancy"]
METRICS: tuple[Name, ...] = get_args(Name)
_CLASSES: Mapping[Name, str] = {
    "faithfulness": "FaithfulnessMetric",
    "answer_relevancy": "AnswerRelevancyMetric",
}
_TAKEN_APART: Mapping[Name, str] = {"faithfulness": "claims", "answer_relevancy": "statements"}
ROLE = "answer:judge:"


class AnswerMetrics:
    """Measures written answers by a judge; serves one thread.

    DeepEval asks and counts; what the judge replies is read by us, and strictly. The metrics ask for no
    reasons, which would be one more call each.
    """

    def __init__(self, model: TextModel) -> None:
        self._model = model
        self._asked = asked_class()(model)
        metrics = deepeval("metrics")
        settings = {"model": self._asked, "include_reason": False, "async_mode": False}
        self._metrics = {name: getattr(metrics, _CLASSES[name])(**settings) for name in METRICS}

    @property
    def label(self) -> str:
        """Name of the judge's model in tables."""
        return self._model.label

    def measure(
        self,
        case_id: str,
        question: str,
        answer: str,
        given: Sequence[str],
        note: Callable[[Step], None],
    ) -> dict[str, MeasuredAnswer]:
        """Return what each metric says; a failure is told there, and never a score."""
        case = deepeval("test_case").LLMTestCase(
            input=question, actual_output=answer, retrieval_context=list(given)
        )
        self._asked.case_id, self._asked.note = case_id, note
        return {name: self._measured(name, case) for name in METRICS}

    def close(self) -> None:
        """Release what the model holds in this process."""
        self._model.close()

    def _measured(self, name: Name, case: Any) -> MeasuredAnswer:
        self._asked.role, self._asked.failure = f"{ROLE}{name}", None
        metric = self._metrics[name]
        try:
            score = float(metric.measure(case, _show_indicator=False))
        except Exception as error:
            failure = self._asked.failure or UnreadError("harness", repr(error))
            return MeasuredAnswer(None, error={"kind": failure.kind, "message": str(failure)})
        parts = len(getattr(metric, _TAKEN_APART[name]))
        if not parts:
            # DeepEval gives such an answer full marks.
            return MeasuredAnswer(
                None, error={"kind": "nothing_claimed", "message": "the judge finds no claim"}
            )
        if len(metric.verdicts) != parts:
            said = f"{len(metric.verdicts)} verdicts on {parts}"
            return MeasuredAnswer(None, parts, {"kind": "malformed", "message": said})
        return MeasuredAnswer(score, parts)
