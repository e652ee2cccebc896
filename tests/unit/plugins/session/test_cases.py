"""Cases: every combination once, ids stable, readable and unique."""

from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.sampling import paraphrases_of
from retrocypher.plugins.session.plan import cases_of


def question(number: int, setting: str = "single_step") -> Question:
    return Question(
        id=f"{'precursors' if setting == 'single_step' else 'intermediates'}-{number:03}",
        task="precursors" if setting == "single_step" else "intermediates",
        setting=setting,  # type: ignore[arg-type]
        steps=1 if setting == "single_step" else 2,
        text="?",
        slots={"target": "C", "steps": 2},
        reference_cypher="RETURN 1",
        gold=[],
        target="C",
        discriminating=False,
    )


def test_an_id_says_question_prompt_shot_loop_and_model() -> None:
    (case,) = cases_of("single_step", [question(7)], [1], ["P5"], ["1S-D-S"], ["none"], ["oracle"])
    assert case.id == "precursors-007-P5-1S-D-S-none-oracle"
    assert repr(case) == case.id


def test_another_wording_is_in_the_id_and_in_the_text() -> None:
    first, second = cases_of("single_step", [question(7)], [1, 2], ["P5"], ["ZS"], ["none"], ["oracle"])
    assert first.id == "precursors-007-P5-ZS-none-oracle"
    assert second.id == "precursors-007-w2-P5-ZS-none-oracle"
    assert (first.phrasing, second.phrasing) == (1, 2)
    assert first.question.text == "?"
    assert second.question.text == paraphrases_of("precursors").text({"target": "C"}, 2)


def test_the_loop_is_in_the_id() -> None:
    first, second = cases_of("single_step", [question(7)], [1], ["P5"], ["ZS"], ["none", "cove"], ["m"])
    assert (first.id, second.id) == ("precursors-007-P5-ZS-none-m", "precursors-007-P5-ZS-cove-m")
    assert (first.loop, second.loop) == ("none", "cove")


@given(
    st.integers(0, 5),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_every_combination_comes_once(
    questions: int, phrasings: int, prompts: int, shots: int, loops: int, models: int
) -> None:
    asked = [question(n) for n in range(questions)] + [question(n, "multi_step") for n in range(3)]
    cases = list(
        cases_of(
            "single_step",
            asked,
            range(1, phrasings + 1),
            [f"P{n}" for n in range(1, prompts + 1)],
            ["ZS", "1S-S", "1S-D-R", "1S-D-S"][:shots],
            [f"l{n}" for n in range(loops)],
            [f"m{n}" for n in range(models)],
        )
    )
    assert len({case.id for case in cases}) == len(cases)
    assert len(cases) == questions * phrasings * prompts * shots * loops * models
    assert all(case.question.setting == "single_step" for case in cases)
