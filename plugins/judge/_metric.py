"""DeepEval's G-Eval, asked with our words and answered by our models."""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

from kg.errors import RetroCypherError
from plugins.judge._case import JudgeCase, Variant
from plugins.judge._criteria import Criteria
from plugins.judge._deepeval import deepeval
from plugins.judge._reading import Read, read_answer
from plugins.judge._rendering import shown
from prompts.models import Answer, Chat, Message, TextModel
from prompts.templates import fill

LOGPROBS = 20
"""Numbers that might have stood in the score's place; as many as G-Eval takes samples."""


@dataclass(slots=True)
class Call:
    """One call of a judge, as it goes.

    Attributes:
        case: What is judged.
        repeat: How often the same was judged before.
        common: What the case has in common with others, as it is shown; empty before.
        asked_sha256: Hash of what was asked; empty before.
        answer: The answer; None before.
        read: What is in it; None before, and where it cannot be read.
        failure: Why there is no score.
    """

    case: JudgeCase
    repeat: int
    common: str = ""
    asked_sha256: str = ""
    answer: Answer | None = None
    read: Read | None = None
    failure: Exception | None = None


class CallError(RetroCypherError):
    """A call that gave no score; why is in the call."""


class Metric:
    """G-Eval for one variant; serves one thread.

    DeepEval numbers the steps, builds the case's text, and takes the mean over the numbers that the judge
    might have said; the answer is read before it sees it.

    Args:
        variant: Whether the reference is shown.
        criteria: What to judge by.
        model: The judge.
    """

    def __init__(self, variant: Variant, criteria: Criteria, model: TextModel) -> None:
        params = deepeval("test_case").SingleTurnParams
        rubric = deepeval("metrics.g_eval").Rubric
        self._variant: Variant = variant
        self._criteria = criteria
        self._asked = _asked_class()(model, criteria)
        self._case = deepeval("test_case").LLMTestCase
        expected = [params.EXPECTED_OUTPUT] if variant == "with_reference" else []
        self._metric = deepeval("metrics").GEval(
            criteria.name,
            evaluation_params=[params.INPUT, params.ACTUAL_OUTPUT, *expected],
            criteria=criteria.criteria,
            evaluation_steps=list(criteria.steps[variant]),
            rubric=[
                rubric(score_range=(grade.low, grade.high), expected_outcome=grade.meaning)
                for grade in criteria.rubric
            ],
            model=self._asked,
            top_logprobs=LOGPROBS,
            async_mode=False,
            evaluation_template=_template(criteria),
        )

    def measure(self, call: Call) -> float:
        """Return the score of a call in [0, 1].

        Raises:
            CallError: There is none.
        """
        self._asked.call = call
        try:
            parts = shown(call.case, self._variant, self._criteria)
            call.common = parts.common
            case = self._case(input=parts.asked, actual_output=parts.answered, expected_output=parts.expected)
            return float(self._metric.measure(case, _show_indicator=False))
        except Exception as error:
            call.failure = call.failure or error
            raise CallError(str(call.failure)) from error


class _Answers:
    """What DeepEval asks. Apart from its own class, whose methods it would trace."""

    call: Call

    def __init__(self, model: TextModel, criteria: Criteria) -> None:
        self._model = model
        self._criteria = criteria
        super().__init__(model.label)  # type: ignore[call-arg]

    def load_model(self) -> Any:
        return self

    def get_model_name(self) -> str:
        return self._model.label

    def generate(self, *_: Any, **__: Any) -> str:
        raise CallError("a judge is asked once")

    async def a_generate(self, *_: Any, **__: Any) -> str:
        raise CallError("a judge is asked once")

    def generate_raw_response(self, prompt: str, top_logprobs: int) -> tuple[Any, None]:
        """Ask, and return what was read in the form of a chat completion.

        Nothing but `CallError` is raised: after some others DeepEval asks again, which would be paid again.
        """
        call = self.call
        try:
            messages: list[Message] = [{"role": "user", "content": prompt}]
            call.asked_sha256 = hashlib.sha256(json.dumps(messages).encode()).hexdigest()
            common = prompt.index(call.common) + len(call.common)
            chat = Chat(messages, call.case.case_id, call.repeat, common)
            call.answer = self._model.answer(chat)
            numbers = call.answer.details.get("numbers", ())
            cut = call.answer.details.get("finish_reason") == "length"
            call.read = read_answer(call.answer.text, self._criteria.scale, numbers, cut=cut)
        except Exception as error:
            call.failure = error
            raise CallError(str(error)) from error
        return _completion(call.read), None


def _completion(read: Read) -> Any:
    """What DeepEval looks at: the score's token with what might have stood there, and no other number."""
    likely = [SimpleNamespace(token=str(number), logprob=logprob) for number, logprob in read.likely]
    token = SimpleNamespace(token=str(read.score), top_logprobs=likely)
    content = json.dumps({"reason": read.reason, "score": read.score})
    choice = SimpleNamespace(
        message=SimpleNamespace(content=content),
        logprobs=SimpleNamespace(content=[token]) if likely else None,
    )
    return SimpleNamespace(choices=[choice])


def _template(criteria: Criteria) -> type:
    class Template:
        @staticmethod
        def generate_evaluation_results(
            evaluation_steps: str, test_case_content: str, rubric: str, score_range: tuple[int, int]
        ) -> str:
            low, high = score_range
            values = {
                "steps": evaluation_steps,
                "rubric": rubric,
                "low": str(low),
                "high": str(high),
                "case": test_case_content.strip(),
            }
            return fill(criteria.prompt, values)

    return Template


@cache
def _asked_class() -> Any:
    base = deepeval("models").DeepEvalBaseLLM
    return type("_Asked", (_Answers, base), {})
