"""A run judged from its records, after it has ended."""

from plugins.judging._judge_run import INCOMPLETE, JudgedRun, judge_run
from plugins.judging._render import render_judged
from plugins.judging._request import NO_CACHE, JudgeRequest, judge_request, run_judge

__all__ = [
    "INCOMPLETE",
    "NO_CACHE",
    "JudgeRequest",
    "JudgedRun",
    "judge_request",
    "judge_run",
    "render_judged",
    "run_judge",
]
