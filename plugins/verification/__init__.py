"""Answers judged by what the graph says of their claims, and how well that finds planted falsehoods."""

from plugins.verification._asked import Requirements, requirements_of
from plugins.verification._graph_sample import GraphSample
from plugins.verification._judge import judge_answer
from plugins.verification._trial import TRIED, Miss, Tally, Trial, run_trial, true_answers
from plugins.verification._trial_table import trial_table
from plugins.verification._verdict import ANSWER_VERDICTS, AnswerVerdict, Overall, Thresholds

__all__ = [
    "ANSWER_VERDICTS",
    "TRIED",
    "AnswerVerdict",
    "GraphSample",
    "Miss",
    "Overall",
    "Requirements",
    "Tally",
    "Thresholds",
    "Trial",
    "judge_answer",
    "requirements_of",
    "run_trial",
    "trial_table",
    "true_answers",
]
