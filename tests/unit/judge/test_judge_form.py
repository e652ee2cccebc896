"""What a model that is held to a form can say is a score."""

import json

from hypothesis import given
from hypothesis import strategies as st

from retrocypher.plugins.judge.criteria import JudgeCase, answer_form, load_criteria
from retrocypher.plugins.judge.judge import Judge
from retrocypher.plugins.judge.reading import read_answer
from retrocypher.prompts.models.interface import Chat, Completion, Request

FORM = answer_form(load_criteria())
SCORE = FORM["properties"]["score"]


class Said:
    """Notes what it is asked."""

    label = "said"

    def __init__(self) -> None:
        self.asked: list[Chat] = []

    def answer(self, request: Request | Chat) -> Completion:
        assert isinstance(request, Chat)
        self.asked.append(request)
        return Completion('{"reason": "It is right.", "score": 7}')

    def close(self) -> None:
        """Nothing is held."""


@given(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=FORM["properties"]["reason"]["maxLength"]),
    st.integers(SCORE["minimum"], SCORE["maximum"]),
)
def test_an_answer_of_the_form_is_read(reason: str, score: int) -> None:
    if reason.strip():
        read = read_answer(json.dumps({"reason": reason, "score": score}), load_criteria().scale)
        assert (read.score, read.reason) == (score, reason.strip())


def test_a_judge_says_what_its_requests_share() -> None:
    model = Said()
    judge = Judge(model, load_criteria())
    for question in ("What makes CCO?", "What of {case} and (:Molecule)?"):
        case = JudgeCase("c", question, "(:Molecule)", "RETURN 1", "RETURN 2")
        assert judge.judge(case, "with_reference").score == 0.7
    contents = [chat.messages[0]["content"] for chat in model.asked]
    assert {len(chat.messages) for chat in model.asked} == {1}
    ((begin, end),) = {
        (text[: chat.common], text[: chat.common].splitlines()[-2])
        for text, chat in zip(contents, model.asked, strict=True)
    }
    # All that is the same for all cases, up to the end of the schema, and nothing of a question.
    assert end == "(:Molecule)"
    assert '"score"' in begin
    assert "CCO" not in begin
    assert all(text[len(begin) :].startswith("\n<<< question ") for text in contents)
