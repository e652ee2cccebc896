"""The cases of a run: every combination of question, wording, prompt, shot, loop and model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kg.questions import Question, Setting, phrase


@dataclass(frozen=True, slots=True, repr=False)
class Case:
    """One pytest test.

    Attributes:
        id: Readable and stable: question, wording where it is not the first (``w2``), prompt, shot, loop and
            model, joined by dashes.
        question: The question asked, in the wording asked.
        phrasing: Number of the wording, from 1.
        prompt: Prompt name.
        shot: Shot name.
        loop: What happens after the first answer.
        model: Label of the model.
    """

    id: str
    question: Question
    phrasing: int
    prompt: str
    shot: str
    loop: str
    model: str

    def __repr__(self) -> str:
        return self.id


def cases_of(
    setting: Setting,
    questions: Sequence[Question],
    phrasings: Sequence[int],
    prompts: Sequence[str],
    shots: Sequence[str],
    loops: Sequence[str],
    models: Sequence[str],
) -> Iterator[Case]:
    """Yield the cases of one setting.

    Questions vary slowest, so that an interrupted run has whole questions rather than whole prompts.

    Args:
        setting: The setting.
        questions: Selected questions of both settings.
        phrasings: Selected wordings, by number.
        prompts: Selected prompts of this setting.
        shots: Selected shots.
        loops: Selected loops, by name.
        models: Model labels.
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
            for phrasing in phrasings:
                asked = phrase(question, phrasing)
                name = question.id if phrasing == 1 else f"{question.id}-w{phrasing}"
                for suffix, prompt, shot, loop, model in combinations:
                    yield Case(name + suffix, asked, phrasing, prompt, shot, loop, model)
