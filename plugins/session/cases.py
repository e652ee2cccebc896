"""The cases of a run: every combination of question, paraphrase, prompt, shot, loop and model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from retrocypher.kg.questions.question import Question, Setting, paraphrase


@dataclass(frozen=True, slots=True, repr=False)
class Case:
    """One pytest test.

    Attributes:
        id: Question, paraphrase other than the first (``w2``), repeat other than the first (``r2``), prompt,
            shot, loop and model, with dashes.
        repeat: How many times the case has been asked with this one.
    """

    id: str
    question: Question
    phrasing: int
    prompt: str
    shot: str
    loop: str
    model: str
    repeat: int = 1

    def __repr__(self) -> str:
        return self.id


def cases_of(
    setting: Setting,
    questions: Sequence[Question],
    paraphrases: Sequence[int],
    prompts: Sequence[str],
    shots: Sequence[str],
    loops: Sequence[str],
    models: Sequence[str],
    repeats: int = 1,
) -> Iterator[Case]:
    """Yield the cases of one setting, each asked ``repeats`` times.

    Questions vary slowest, so that an interrupted run has whole questions rather than whole prompts.
    """
    combinations = [
        (f"-{prompt}-{shot}-{loop}-{model}", prompt, shot, loop, model)
        for prompt in prompts
        for shot in shots
        for loop in loops
        for model in models
    ]
    for question in questions:
        if question.setting == setting:
            for number in paraphrases:
                asked = paraphrase(question, number)
                name = question.id if number == 1 else f"{question.id}-w{number}"
                for repeat in range(1, repeats + 1):
                    again = "" if repeat == 1 else f"-r{repeat}"
                    for suffix, prompt, shot, loop, model in combinations:
                        yield Case(name + again + suffix, asked, number, prompt, shot, loop, model, repeat)
