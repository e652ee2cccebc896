"""Metrics of DeepEval: G-Eval for queries; faithfulness and relevancy for written answers."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

from retrocypher.kg.errors import RetroCypherError
from retrocypher.plugins.judge.criteria import Criteria, JudgeCase
from retrocypher.plugins.judge.reading import Read, read_answer
from retrocypher.plugins.runs.record import Variant
from retrocypher.plugins.runs.written_answer import ANSWER_METRICS, AnswerMetric, JudgeError, MeasuredAnswer
from retrocypher.prompts.extraction.candidates import visible_text
from retrocypher.prompts.extraction.extract import sole_json
from retrocypher.prompts.loops.interface import Step
from retrocypher.prompts.models.interface import Chat, Completion, Message, ModelError, TextModel
from retrocypher.prompts.templates.template import fill_slots

_SETTINGS = {
    # No counting of users, and no look for a newer version.
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_UPDATE_WARNING_OPT_IN": "0",
    # No settings and no keys from files in the working directory.
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_DISABLE_LEGACY_KEYFILE": "1",
    # Nothing printed, and no page opened.
    "DEEPEVAL_VERBOSE_MODE": "0",
    "CONFIDENT_OPEN_BROWSER": "0",
    "CONFIDENT_TRACE_VERBOSE": "0",
    # Nothing sent to its makers' service, were its key in the environment.
    "CONFIDENT_TRACE_FLUSH": "0",
    "CONFIDENT_TRACE_SAMPLE_RATE": "0",
}


def deepeval(module: str) -> ModuleType:
    """Return a module of DeepEval, which reads its settings from the environment as it is imported."""
    os.environ.update(_SETTINGS)
    return import_module(f"deepeval.{module}")


_NO_QUERY = "(there is none)"
_MARK = 12


@dataclass(frozen=True, slots=True)
class Shown:
    """The parts of a case."""

    common: str
    """The schema, with which `asked` begins: it is the same for all cases."""
    asked: str
    answered: str
    expected: str | None
    """The reference; None where it is not shown."""


def shown(case: JudgeCase, variant: Variant, criteria: Criteria) -> Shown:
    """Return what a judge is shown.

    Each text stands between marks made of a hash over all of them, so that none can hold its own end; the
    schema, which comes first, between marks of its own hash, so that it is the same for all cases.
    """
    parts = {
        "schema": case.schema.strip(),
        "question": case.question,
        "query": _NO_QUERY if case.cypher is None else case.cypher,
    }
    if case.rows is not None and criteria.rows:
        parts["rows"] = "\n".join(_rows(case, criteria))
    if variant == "with_reference":
        parts["reference query"] = case.reference
    # DeepEval takes this for a picture in its store.
    parts = {name: text.replace("[DEEPEVAL:", "[DEEPEVAL :") for name, text in parts.items()}
    mark = _mark("\0".join(parts.values()))
    marks = dict.fromkeys(parts, mark) | {"schema": _mark(parts["schema"])}
    marked = {name: f"<<< {name} {marks[name]}\n{text}\n>>> {marks[name]}" for name, text in parts.items()}
    answered = [marked[name] for name in ("query", "rows") if name in marked]
    return Shown(
        common=marked["schema"],
        asked=f"{marked['schema']}\n{marked['question']}",
        answered="\n".join(answered),
        expected=marked.get("reference query"),
    )


def characters(case: JudgeCase, variant: Variant, criteria: Criteria) -> int:
    """Return about how long the prompt about a case is, in characters."""
    parts = shown(case, variant, criteria)
    grades = (grade.meaning for grade in criteria.rubric)
    texts = (criteria.prompt, *criteria.steps[variant], *grades, parts.asked, parts.answered)
    return sum(map(len, texts)) + len(parts.expected or "")


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]


def _rows(case: JudgeCase, criteria: Criteria) -> Iterator[str]:
    rows = case.rows or ()
    yield json.dumps(list(case.columns or ()), ensure_ascii=False)
    for row in rows[: criteria.rows]:
        line = json.dumps(row, ensure_ascii=False)
        cut = len(line) - criteria.row_length
        yield line if cut <= 0 else f"{line[: criteria.row_length]}… ({cut} more characters)"
    if len(rows) > criteria.rows:
        yield f"… ({len(rows) - criteria.rows} more rows)"
    if not rows:
        yield "(no rows)"


LOGPROBS = 20
"""Numbers that might have stood in the score's place; as many as G-Eval takes samples."""


@dataclass(slots=True)
class Call:
    """One call of a judge, as it goes."""

    case: JudgeCase
    repeat: int
    common: str = ""
    """What the case has in common with others, as it is shown; empty before."""
    asked_sha256: str = ""
    answer: Completion | None = None
    read: Read | None = None
    failure: Exception | None = None
    """Why there is no score."""


class CallError(RetroCypherError):
    """A call that gave no score; why is in the call."""


class Metric:
    """G-Eval for one variant and one call.

    DeepEval numbers the steps, builds the case's text, and takes the mean over the numbers that the judge
    might have said; the answer is read before it sees it.
    """

    def __init__(self, variant: Variant, criteria: Criteria, model: TextModel) -> None:
        params = deepeval("test_case").SingleTurnParams
        rubric = deepeval("metrics.g_eval").Rubric
        self._variant: Variant = variant
        self._criteria = criteria
        self._asked = _deepeval_class(_QueryJudge)(model)
        self._asked.scale = criteria.scale
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
        """Return the score of a call in [0, 1]; raise CallError if there is none."""
        self._asked.call = call
        try:
            parts = shown(call.case, self._variant, self._criteria)
            call.common = parts.common
            case = self._case(input=parts.asked, actual_output=parts.answered, expected_output=parts.expected)
            return float(self._metric.measure(case, _show_indicator=False))
        except Exception as error:
            call.failure = call.failure or error
            raise CallError(str(call.failure)) from error


class _Model:
    """One of our models for DeepEval. Apart from its own class, whose methods it would trace."""

    def __init__(self, model: TextModel) -> None:
        self._model = model
        super().__init__(model.label)  # type: ignore[call-arg]

    def load_model(self) -> Any:
        return self

    def get_model_name(self) -> str:
        return self._model.label

    def generate(self, *_: Any, **__: Any) -> Any:
        raise CallError("a judge is asked once, and for JSON alone")

    async def a_generate(self, *_: Any, **__: Any) -> Any:
        raise CallError("a judge is asked one thing after another")


@cache
def _deepeval_class(mixin: type[_Model]) -> Any:
    return type(f"{mixin.__name__}ForDeepEval", (mixin, deepeval("models").DeepEvalBaseLLM), {})


class _QueryJudge(_Model):
    """Asks G-Eval's question once."""

    call: Call
    scale: tuple[int, int]

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
            call.read = read_answer(call.answer.text, self.scale, numbers, cut=cut)
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
            return fill_slots(criteria.prompt, values)

    return Template


class UnreadError(RetroCypherError):
    """A call gave nothing that can be scored; ``kind`` is that of a `ModelError`, or ``malformed``."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class _AnswerJudge(_Model):
    """Asks what metrics of written answers ask; serves one metric at a time."""

    case_id = role = ""
    note: Callable[[Step], None]
    failure: UnreadError | None = None

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


def _object(reply: str) -> dict[str, Any]:
    found = sole_json(reply)
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")
    return found


_CLASSES: Mapping[AnswerMetric, str] = {
    "faithfulness": "FaithfulnessMetric",
    "answer_relevancy": "AnswerRelevancyMetric",
}
_TAKEN_APART: Mapping[AnswerMetric, str] = {"faithfulness": "claims", "answer_relevancy": "statements"}
ROLE = "answer:judge:"


class AnswerMetrics:
    """Measures written answers by a judge.

    DeepEval asks and counts; what the judge replies is read by us, and strictly. The metrics ask for no
    reasons, which would be one more call each.
    """

    def __init__(self, model: TextModel) -> None:
        self._model = model

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
        """Return what each metric says; a failure is stated there, and never a score."""
        case = deepeval("test_case").LLMTestCase(
            input=question, actual_output=answer, retrieval_context=list(given)
        )
        asked = _deepeval_class(_AnswerJudge)(self._model)
        asked.case_id, asked.note = case_id, note
        return {name: self._measured(name, asked, case) for name in ANSWER_METRICS}

    def close(self) -> None:
        """Release what the model holds in this process."""
        self._model.close()

    def _measured(self, name: AnswerMetric, asked: Any, case: Any) -> MeasuredAnswer:
        asked.role, asked.failure = f"{ROLE}{name}", None
        # Made anew, because DeepEval keeps the state of a measurement in it, and cases overlap.
        metric = getattr(deepeval("metrics"), _CLASSES[name])(
            model=asked, include_reason=False, async_mode=False
        )
        try:
            score = float(metric.measure(case, _show_indicator=False))
        except Exception as error:
            failure = asked.failure or UnreadError("harness", repr(error))
            return MeasuredAnswer(None, error=JudgeError(failure.kind, str(failure)))
        parts = len(getattr(metric, _TAKEN_APART[name]))
        if not parts:
            # DeepEval gives such an answer full marks.
            return MeasuredAnswer(None, error=JudgeError("nothing_claimed", "the judge finds no claim"))
        if len(metric.verdicts) != parts:
            said = f"{len(metric.verdicts)} verdicts on {parts}"
            return MeasuredAnswer(None, parts, JudgeError("malformed", said))
        return MeasuredAnswer(score, parts)
