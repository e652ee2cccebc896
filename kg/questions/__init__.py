"""Questions and gold: templates, reference Cypher, sampling, and the two ways gold is computed."""

from kg.questions._model import (
    MULTI_STEP_TASKS,
    SINGLE_STEP_TASKS,
    TASKS,
    Question,
    Setting,
    setting_of,
)
from kg.questions._read import QuestionSet, load_questions
from kg.questions._sampling import select

__all__ = [
    "MULTI_STEP_TASKS",
    "SINGLE_STEP_TASKS",
    "TASKS",
    "Question",
    "QuestionSet",
    "Setting",
    "load_questions",
    "select",
    "setting_of",
]
