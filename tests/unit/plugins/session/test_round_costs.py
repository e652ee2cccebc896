"""What a round costs, on its record."""

from typing import Any

from support.records import record_of

from retrocypher.plugins.session.context import Outcome
from retrocypher.prompts.loops.interface import Step
from retrocypher.prompts.models.interface import Completion

ASKED = [{"role": "user", "content": "What makes it?"}]
TOLD = Completion("```\nRETURN 1\n```", tokens={"prompt": 100, "completion": 20}, cost=72e-6)


def outcome() -> Outcome:
    return Outcome(record_of(loop="review"))


def costs(kept: Outcome) -> list[Any]:
    return [turn.cost for turn in kept.record.rounds]


def test_the_first_answer_and_each_role_have_their_cost() -> None:
    kept = outcome()
    kept.add_completion(ASKED, TOLD, "RETURN 1")
    kept.add(Step("corrector", "RETURN 1", "taken", messages=ASKED, answer=TOLD))
    assert costs(kept) == [72e-6, 72e-6]


def test_what_nobody_was_asked_for_or_has_no_price_costs_null() -> None:
    kept = outcome()
    kept.add_completion(ASKED, Completion("RETURN 1", verbatim=True), "RETURN 1")
    kept.add(Step("explain", "RETURN 1", "ok"))
    kept.add(
        Step("corrector", None, "no_query", messages=ASKED, answer=Completion("No.", tokens=TOLD.tokens))
    )
    kept.add(
        Step("analyst", None, "made", messages=ASKED, answer=Completion("Molecules react."), cached=True)
    )
    assert costs(kept) == [None] * 4


def test_an_answer_had_before_costs_the_case_nothing() -> None:
    kept = outcome()
    kept.add(Step("analyst", None, "made", messages=ASKED, answer=TOLD, cached=True))
    assert costs(kept) == [None]
