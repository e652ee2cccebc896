"""A judge: a query in, a judgement out."""

from plugins.judge._case import JudgeCase, Judgement, Variant
from plugins.judge._criteria import Criteria
from plugins.judge._metric import Call, CallError, Metric
from plugins.judge._reading import UnreadableError
from prompts.models import ModelError, TextModel


class Judge:
    """Judges queries; one thread at a time.

    Args:
        model: Who is asked.
        criteria: What to judge by.
    """

    def __init__(self, model: TextModel, criteria: Criteria) -> None:
        self.criteria = criteria
        self._model = model
        self._metrics: dict[Variant, Metric] = {}

    @property
    def label(self) -> str:
        """Name of the judge's model in tables."""
        return self._model.label

    def judge(self, case: JudgeCase, variant: Variant, repeat: int = 0) -> Judgement:
        """Return what the judge makes of a case; failures are told in it, and never a score.

        Args:
            case: The case.
            variant: Whether the judge is shown the reference query.
            repeat: How often it judged the same before: it is asked again, and not answered from the cache.
        """
        if variant not in self._metrics:
            self._metrics[variant] = Metric(variant, self.criteria, self._model)
        call = Call(case, repeat)
        try:
            score: float | None = self._metrics[variant].measure(call)
        except CallError:
            score = None
        return self._judgement(call, variant, score)

    def close(self) -> None:
        """Release what the model holds in this process."""
        self._model.close()

    def _judgement(self, call: Call, variant: Variant, score: float | None) -> Judgement:
        answer, read = call.answer, call.read
        told = dict(answer.details) if answer else {}
        told.pop("numbers", None)
        return Judgement(
            model=self.label,
            variant=variant,
            score=score,
            weighted=score is not None and read is not None and bool(read.likely),
            reason=read.reason if read else "",
            error=None if call.failure is None else _error(call.failure, told),
            tokens=answer.tokens if answer else None,
            cost=answer.cost if answer else None,
            time_s=answer.time_s if answer else 0.0,
            cached=bool(answer and answer.cached),
            criteria=self.criteria.sha256,
            rating=read.score if read else None,
            asked_sha256=call.asked_sha256,
            details=told,
        )


def _error(failure: Exception, told: dict[str, object]) -> dict[str, str]:
    if isinstance(failure, UnreadableError):
        # Why the text is empty is known to the model alone: a filter, a refusal, a context too short.
        why = told.get("no_answer") if failure.kind == "no_answer" else None
        return {"kind": failure.kind, "message": str(why or failure)}
    if isinstance(failure, ModelError):
        return {"kind": failure.kind, "message": str(failure)}
    return {"kind": "harness", "message": repr(failure)}
