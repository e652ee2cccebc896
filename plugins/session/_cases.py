"""The cases of a run: every combination of question, prompt, shot, loop and model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kg.questions import Question, Setting

LOOP = "none"


@dataclass(frozen=True, slots=True, repr=False)
class Case:
    """One pytest test.

    Attributes:
        id: Readable and stable: question, prompt, shot, loop and model, joined by dashes.
        question: The question asked.
        prompt: Prompt name.
        shot: Shot name.
        loop: What happens after the first answer.
        model: Label of the model.
    """

    id: str
    question: Question
    prompt: str
    shot: str
    loop: str
    model: str

    def __repr__(self) -> str:
        return self.id


def cases_of(
    setting: Setting,
    questions: Sequence[Question],
    prompts: Sequence[str],
    shots: Sequence[str],
    models: Sequence[str],
) -> Iterator[Case]:
    """Yield the cases of one setting.

    Questions vary slowest, so that an interrupted run has whole questions rather than whole prompts.

    Args:
        setting: The setting.
        questions: Selected questions of both settings.
        prompts: Selected prompts of this setting.
        shots: Selected shots.
        models: Model labels.
    """
    combinations = [
        (f"-{prompt}-{shot}-{LOOP}-{model}", prompt, shot, model)
        for prompt in prompts
        for shot in shots
        for model in models
    ]
    for question in questions:
        if question.setting == setting:
            for suffix, prompt, shot, model in combinations:
                yield Case(question.id + suffix, question, prompt, shot, LOOP, model)
