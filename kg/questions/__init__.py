"""Questions: what they are, reading them, and choosing which to ask; `kg.questions.authoring` makes them."""

from kg.questions._model import (
    MULTI_STEP_TASKS,
    SINGLE_STEP_TASKS,
    TASKS,
    Question,
    Setting,
    setting_of,
)
from kg.questions._phrasings import PHRASINGS, Wordings, phrase, phrasings_named, wordings_of
from kg.questions._read import DEFAULT_QUESTIONS, QuestionSet, load_questions
from kg.questions._sampling import seeded_rank, select
from kg.questions._validation import MalformedQuestionError, question_of

__all__ = [
    "DEFAULT_QUESTIONS",
    "MULTI_STEP_TASKS",
    "PHRASINGS",
    "SINGLE_STEP_TASKS",
    "TASKS",
    "MalformedQuestionError",
    "Question",
    "QuestionSet",
    "Setting",
    "Wordings",
    "load_questions",
    "phrase",
    "phrasings_named",
    "question_of",
    "seeded_rank",
    "select",
    "setting_of",
    "wordings_of",
]
