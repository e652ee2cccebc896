"""A model that judges queries, and is itself to be measured."""

from plugins.judge._case import OWN_FAULTS, VARIANTS, JudgeCase, Judgement, Variant
from plugins.judge._criteria import Criteria, Grade, load_criteria
from plugins.judge._deepeval import deepeval
from plugins.judge._facts import judge_facts
from plugins.judge._judge import Judge
from plugins.judge._on_record import case_to_judge, fault_of, judgements_of, on_record
from plugins.judge._open import open_judge, open_judge_model
from plugins.judge._panel import Panel, Task, open_panel
from plugins.judge._rendering import characters
from plugins.judge._spec import as_set, judge_environment, judge_spec

__all__ = [
    "OWN_FAULTS",
    "VARIANTS",
    "Criteria",
    "Grade",
    "Judge",
    "JudgeCase",
    "Judgement",
    "Panel",
    "Task",
    "Variant",
    "as_set",
    "case_to_judge",
    "characters",
    "deepeval",
    "fault_of",
    "judge_environment",
    "judge_facts",
    "judge_spec",
    "judgements_of",
    "load_criteria",
    "on_record",
    "open_judge",
    "open_judge_model",
    "open_panel",
]
