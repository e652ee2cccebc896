"""Cases: every combination once, ids stable, readable and unique."""

from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.questions.question import Question, setting_of
from retrocypher.kg.questions.sampling import paraphrases_of
from retrocypher.plugins.session.plan import cases_of

COUNTS = st.integers(1, 3)


def question(number: int, task: str = "precursors") -> Question:
    slots = {"target": "C", "steps": 2}
    steps = 1 if task == "precursors" else 2
    name = f"{task}-{number:03}"
    return Question(name, task, setting_of(task), steps, "?", slots, "RETURN 1", [], "C", False)


def test_an_id_says_question_wording_prompt_shot_loop_and_model() -> None:
    cases = [*cases_of("single_step", [question(7)], [1, 2], ["P5"], ["1S-D-S"], ["none", "cove"], ["m"])]
    assert {case.id: (case.phrasing, case.loop, case.question.text) for case in cases} == {
        f"precursors-007{wording}-P5-1S-D-S-{loop}-m": (phrasing, loop, text)
        for loop in ("none", "cove")
        for phrasing, wording, text in (
            (1, "", "?"),
            (2, "-w2", paraphrases_of("precursors").text({"target": "C"}, 2)),
        )
    }
    assert repr(cases[0]) == cases[0].id


@given(st.integers(0, 5), COUNTS, COUNTS, st.integers(1, 4), COUNTS, COUNTS)
def test_every_combination_comes_once(
    questions: int, phrasings: int, prompts: int, shots: int, loops: int, models: int
) -> None:
    asked = [question(n) for n in range(questions)] + [question(n, "intermediates") for n in range(3)]
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
