"""From a case to a score: G-Eval over HTTP, with and without log-probabilities."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from support.roles_api import RolesApi, Said, always

from retrocypher.plugins.judge.criteria import JudgeCase
from retrocypher.plugins.judge.judge import Judge
from retrocypher.plugins.judge.metric import deepeval
from retrocypher.plugins.runs.record import VARIANTS

Opened = Callable[..., Judge]
BEFORE = ('{"reason": "step 3 of 7 is right", "score": ', {})
LIKELY = {"7": 0.5, "10": 0.3, "95": 0.1, "0": 0.005, " 7": 0.05}


def said(score: str, likely: dict[str, float]) -> Said:
    return Said(tokens=[BEFORE, (score, likely), ("}", {})])


def test_a_score_is_weighted_by_what_might_have_been_said(
    api: RolesApi, opened: Opened, case: JudgeCase
) -> None:
    api.players["judge"] = always(said("7", LIKELY))
    judge = opened()
    for variant in VARIANTS:
        found = judge.judge(case, variant)
        # 95 is not on the scale, and what is under 1 % is left out.
        assert found.score == pytest.approx((7 * 0.55 + 10 * 0.3) / 0.85 / 10)
        assert (found.weighted, found.rating, found.error) == (True, 7, None)
        assert found.reason == "step 3 of 7 is right"
        assert (found.tokens, found.cached) == ({"prompt": 100, "completion": 20}, False)
        assert found.cost is not None
        assert found.details["model"] == "scripted-1"
        assert "numbers" not in found.details
    asked = [body["messages"][0]["content"] for body in api.bodies]
    assert [case.reference in text for text in asked] == [True, False]
    assert all(text.count(case.question) == text.count(str(case.cypher)) == 1 for text in asked)
    assert {body["top_logprobs"] for body in api.bodies} == {20}


def test_the_mean_is_deepevals_own(api: RolesApi, opened: Opened, case: JudgeCase) -> None:
    likely = {"7": 0.5, "8": 0.2, "6": 0.2, "5": 0.009}
    api.players["judge"] = always(said("7", likely))
    tops = [SimpleNamespace(token=name, logprob=math.log(share)) for name, share in likely.items()]
    token = SimpleNamespace(token="7", top_logprobs=tops)
    choice = SimpleNamespace(logprobs=SimpleNamespace(content=[token]))
    compute: Any = deepeval("metrics.g_eval.utils").calculate_weighted_summed_score
    expected = compute(7, SimpleNamespace(choices=[choice])) / 10
    assert opened().judge(case, "with_reference").score == pytest.approx(expected)


def test_without_log_probabilities_it_is_the_number_and_asked_once(
    api: RolesApi, opened: Opened, case: JudgeCase
) -> None:
    api.players["judge"] = always('{"reason": "near", "score": 7}')
    found = opened().judge(case, "with_reference")
    assert (found.score, found.weighted) == (0.7, False)
    assert len(api.asked) == 1


def test_a_number_in_the_reason_is_not_the_score(api: RolesApi, opened: Opened, case: JudgeCase) -> None:
    after = (', "reason": "molecule ', {}), ("2", {"2": 0.5, "10": 0.5}), (' is reversed"}', {})
    api.players["judge"] = always(Said(tokens=[('{"score": ', {}), ("2", {"2": 0.9, "3": 0.1}), *after]))
    found = opened().judge(case, "with_reference")
    assert (found.score, found.weighted) == (pytest.approx(0.21), True)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (403, "You are not allowed to request logprobs from this model"),
        (400, "'logprobs' is not supported with this model."),
        (422, "top_logprobs: must be at most 5"),
    ],
)
def test_an_api_without_log_probabilities_is_asked_without(
    api: RolesApi, opened: Opened, case: JudgeCase, status: int, message: str
) -> None:
    def player(_: str) -> Said:
        if "logprobs" in api.bodies[-1]:
            return Said(status=status, error={"message": message})
        return Said('{"reason": "right", "score": 10}')

    api.players["judge"] = player
    judge = opened()
    for variant in VARIANTS:
        found = judge.judge(case, variant)
        assert (found.score, found.weighted, found.error) == (1.0, False, None)
        assert found.details["without"] == ["logprobs", "top_logprobs"]
    # Refused once, and never asked again.
    assert len(api.asked) == 3


def test_answers_are_kept_with_their_weights(
    api: RolesApi, opened: Opened, case: JudgeCase, tmp_path: Any
) -> None:
    api.players["judge"] = always(said("7", LIKELY))
    cache = tmp_path / "answers.sqlite"
    first = opened(cache).judge(case, "with_reference")
    again = opened(cache).judge(case, "with_reference")
    assert len(api.asked) == 1
    assert (again.score, again.weighted, again.cached, again.cost) == (first.score, True, True, None)
    # The next of several tries is another question.
    assert not opened(cache).judge(case, "with_reference", repeat=1).cached
    api.stop()
    offline = opened(cache, offline=True)
    assert offline.judge(case, "with_reference").score == first.score
    missing = offline.judge(case, "without_reference")
    assert (missing.score, missing.is_fault) == (None, True)
    assert missing.error is not None
    assert missing.error["kind"] == "not_cached"
    assert "case-1" in missing.error["message"]


def test_the_judges_own_key_goes_to_its_own_api(api: RolesApi, opened: Opened, case: JudgeCase) -> None:
    api.players["judge"] = always('{"reason": "your key is own-key-0001", "score": 1}')
    found = opened(RETROCYPHER_JUDGE_API_KEY="own-key-0001").judge(case, "with_reference")
    assert api.keys == ["Bearer own-key-0001"]
    assert "own-key-0001" not in found.reason
    opened().judge(case, "with_reference")
    assert api.keys[-1] == "Bearer usual-key-1"
