"""The pytest session: options, plan, cases, controller and workers."""

from plugins.session._answer_plan import AnswerPlan
from plugins.session._cases import Case
from plugins.session._context import Context
from plugins.session._declared import add_options
from plugins.session._failures import CaseError, CaseFailedError, raise_unless_passed
from plugins.session._far import look
from plugins.session._judging import CaseJudge, JudgePlan
from plugins.session._once import OnceInFolder
from plugins.session._plan import Plan
from plugins.session._rounds import Outcome
from plugins.session._run_case import run_case
from plugins.session._selection import is_unasked_speed
from plugins.session._session import SESSION, SuiteSession
from plugins.session._told import Told, retold_of, told_of
from plugins.session._tools import Answering, Graphs, LiveGraph, Tools
from plugins.session._worker import Worker

__all__ = [
    "SESSION",
    "AnswerPlan",
    "Answering",
    "Case",
    "CaseError",
    "CaseFailedError",
    "CaseJudge",
    "Context",
    "Graphs",
    "JudgePlan",
    "LiveGraph",
    "OnceInFolder",
    "Outcome",
    "Plan",
    "SuiteSession",
    "Told",
    "Tools",
    "Worker",
    "add_options",
    "is_unasked_speed",
    "look",
    "raise_unless_passed",
    "retold_of",
    "run_case",
    "told_of",
]
