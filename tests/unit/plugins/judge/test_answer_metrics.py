"""Faithfulness and relevancy of a written answer, by a judge that plays a script."""

import json

import pytest
from support.records import record_of

from retrocypher.plugins.judge.metric import AnswerMetrics
from retrocypher.plugins.runs.record import InfrastructureError, Round
from retrocypher.plugins.runs.written_answer import JudgeError, MeasuredAnswer
from retrocypher.prompts.loops.interface import Step
from retrocypher.prompts.models.interface import Chat, Completion, ModelError, Request

FACTS = ['{"id": 5, "products": ["CCO"]}', '{"id": 6, "products": ["CCN"]}']
ANSWER = "Reaction 5 makes CCO. Reaction 6 makes CCN."


def listed(name: str, *values: str) -> str:
    return json.dumps({name: list(values)})


def verdicts(*said: str) -> str:
    return json.dumps({"verdicts": [{"verdict": each} for each in said]})


GOOD = (
    listed("truths", "Reaction 5 makes CCO.", "Reaction 6 makes CCN."),
    listed("claims", "Reaction 5 makes CCO.", "Reaction 6 makes CCN."),
    verdicts("yes", "no"),
    listed("statements", "Reaction 5 makes CCO.", "Reaction 6 makes CCN."),
    verdicts("yes", "yes"),
)


class Scripted:
    """Says its lines in turn; an error is raised."""

    label = "scripted"

    def __init__(self, *says: str | ModelError) -> None:
        self._says = list(says)
        self.asked: list[str] = []
        self.steps: list[Step] = []

    def answer(self, request: Request | Chat) -> Completion:
        self.asked.append(request.messages[0]["content"])
        said = self._says.pop(0)
        if isinstance(said, ModelError):
            raise said
        return Completion(said, tokens={"prompt": 9, "completion": 4}, time_s=0.1)

    def close(self) -> None:
        """Nothing is held."""

    def measure(self) -> dict[str, MeasuredAnswer]:
        return AnswerMetrics(self).measure("c", "What makes CCO?", ANSWER, FACTS, self.steps.append)


def _kind(found: MeasuredAnswer) -> str | None:
    return found.error.kind if found.error else None


def test_both_metrics_are_shares_of_what_the_judge_finds() -> None:
    judge = Scripted(*GOOD)
    shares = {"faithfulness": MeasuredAnswer(0.5, 2), "answer_relevancy": MeasuredAnswer(1.0, 2)}
    assert judge.measure() == shares
    roles = ["answer:judge:faithfulness"] * 3 + ["answer:judge:answer_relevancy"] * 2
    assert [step.role for step in judge.steps] == roles
    assert {step.verdict for step in judge.steps} == {"read"}
    assert all(fact in judge.asked[0] for fact in FACTS)
    assert ANSWER in judge.asked[1]
    assert "What makes CCO?" in judge.asked[4]


@pytest.mark.parametrize(
    "reply",
    [
        "I am sure that it is faithful.",
        "",
        '{"claims": ["a"]',
        '[{"claims": ["a"]}]',
        'Here: {"claims": ["a"]}',
        '{"claims": ["a"]} {"claims": []}',
        '{"claims": ["a"], "claims": []}',
        '{"claims": "a"}',
        '{"claims": [1]}',
        '{"verdicts": []}',
        "[" * 100_000,
    ],
)
def test_a_reply_of_another_form_gives_no_score(reply: str) -> None:
    judge = Scripted(GOOD[0], reply, *GOOD[3:])
    found = judge.measure()
    assert found["faithfulness"].score is None
    assert _kind(found["faithfulness"]) == "malformed"
    assert judge.steps[1].verdict == "malformed"
    # One metric that fails leaves the other.
    assert found["answer_relevancy"] == MeasuredAnswer(1.0, 2)


@pytest.mark.parametrize("said", [("yes",), (), ("yes", "yes", "yes"), ("maybe", "yes"), ("10", "yes")])
def test_verdicts_must_be_one_for_each_claim(said: tuple[str, ...]) -> None:
    found = Scripted(*GOOD[:2], verdicts(*said), *GOOD[3:]).measure()
    assert found["faithfulness"].score is None
    assert _kind(found["faithfulness"]) == "malformed"


def test_an_answer_that_claims_nothing_has_no_share() -> None:
    found = Scripted(GOOD[0], listed("claims"), listed("statements")).measure()
    assert [each.score for each in found.values()] == [None, None]
    assert set(map(_kind, found.values())) == {"nothing_claimed"}


def test_a_judge_that_cannot_be_asked_is_told() -> None:
    judge = Scripted(ModelError("timeout", "too long"), *GOOD[3:])
    found = judge.measure()
    assert found["faithfulness"] == MeasuredAnswer(None, 0, JudgeError("timeout", "too long"))
    assert found["answer_relevancy"].score == 1.0
    (failed, *_) = judge.steps
    record = record_of(rounds=[Round(failed.role, None, "", None, failed.verdict, failed.findings)])
    assert record.answer_fault == InfrastructureError("judge", "timeout", "too long")
