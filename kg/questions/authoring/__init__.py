"""Making question sets: what is asked, and gold computed twice. Apart, for it needs RDKit and a driver."""

from kg.questions.authoring._choose import read_plan
from kg.questions.authoring._question_set import BuiltQuestions, build_questions
from kg.questions.authoring._reference import GoldDifferenceError, ask, check_gold

__all__ = ["BuiltQuestions", "GoldDifferenceError", "ask", "build_questions", "check_gold", "read_plan"]
