"""Faithfulness and answer relevancy of a written answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from plugins.answer_metrics._asked import UnreadError, asked_class
from plugins.judge import deepeval
from prompts.loops import Step
from prompts.models import TextModel

Name = Literal["faithfulness", "answer_relevancy"]
METRICS: tuple[Name, ...] = get_args(Name)
_CLASSES: Mapping[Name, str] = {
    "faithfulness": "FaithfulnessMetric",
    "answer_relevancy": "AnswerRelevancyMetric",
}
_TAKEN_APART: Mapping[Name, str] = {"faithfulness": "claims", "answer_relevancy": "statements"}
ROLE = "answer:judge:"


@dataclass(frozen=True, slots=True)
class Measured:
    """What a metric says of an answer.

    Attributes:
        score: Share of its claims that what it was written from does not contradict, or of its statements
            that bear on the question, in [0, 1]; None where there is none.
        parts: How many claims or statements the judge found.
        error: ``kind`` and ``message`` of why there is no score; None where there is one.
    """

    score: float | None
    parts: int = 0
    error: dict[str, str] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return asdict(self)


class AnswerMetrics:
    """Measures written answers by a judge; serves one thread.

    DeepEval asks and counts; what the judge replies is read by us, and strictly. The metrics ask for no
    reasons, which would be one more call each.

    Args:
        model: The judge.
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
    ) -> dict[str, Measured]:
        """Return what each metric says; a failure is told there, and never a score.

        Args:
            case_id: The case.
            question: Its question.
            answer: Its written answer.
            given: What the answer was written from: rows and passages.
            note: Puts a call on the record.
        """
        case = deepeval("test_case").LLMTestCase(
            input=question, actual_output=answer, retrieval_context=list(given)
        )
        self._asked.case_id, self._asked.note = case_id, note
        return {name: self._measured(name, case) for name in METRICS}

    def close(self) -> None:
        """Release what the model holds in this process."""
        self._model.close()

    def _measured(self, name: Name, case: Any) -> Measured:
        self._asked.role, self._asked.failure = f"{ROLE}{name}", None
        metric = self._metrics[name]
        try:
            score = float(metric.measure(case, _show_indicator=False))
        except Exception as error:
            failure = self._asked.failure or UnreadError("harness", repr(error))
            return Measured(None, error={"kind": failure.kind, "message": str(failure)})
        parts = len(getattr(metric, _TAKEN_APART[name]))
        if not parts:
            # DeepEval gives such an answer full marks.
            return Measured(None, error={"kind": "nothing_claimed", "message": "the judge finds no claim"})
        if len(metric.verdicts) != parts:
            said = f"{len(metric.verdicts)} verdicts on {parts}"
            return Measured(None, parts, {"kind": "malformed", "message": said})
        return Measured(score, parts)
