"""Written answers judged by what the graph says of their claims."""

from plugins.verification._asked import Requirements, requirements_of
from plugins.verification._judge import judge_answer
from plugins.verification._verdict import ANSWER_VERDICTS, AnswerVerdict, Overall, Thresholds

__all__ = [
    "ANSWER_VERDICTS",
    "AnswerVerdict",
    "Overall",
    "Requirements",
    "Thresholds",
    "judge_answer",
    "requirements_of",
]
