"""The side of the session that runs cases: every xdist worker, or the one process without xdist."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from retrocypher.kg.questions.question import Setting
from retrocypher.plugins.reporting.case_view import CaseError, CaseFailedError, failure_repr
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.session.context import Outcome, WorkerContext
from retrocypher.plugins.session.plan import Case, Plan
from retrocypher.plugins.session.resume import ResumedCase, numbers

RECORD_FIELD = "retrocypher_record"
MESSAGES_FIELD = "retrocypher_messages"
ERROR_FIELD = "retrocypher_error"
FORESEEN_FIELD = "retrocypher_foreseen"
STOP = "stop"
"""A file of this name in the folder that all workers share ends each of them after its case."""


class Worker:
    """Parametrizes the tests and sends each case's record along with its report.

    Args:
        context: What the controller started; None while only collecting.
    """

    def __init__(self, plan: Plan, context: WorkerContext | None = None) -> None:
        self.plan = plan
        self.context = context
        self._outcome: Outcome | None = None
        self._resumed: ResumedCase | None = None

    def parametrize(self, metafunc: pytest.Metafunc) -> None:
        """Give a test that takes ``case`` the cases of its setting."""
        if "case" not in metafunc.fixturenames:
            return
        single_step = metafunc.definition.get_closest_marker("single_step")
        setting: Setting = "single_step" if single_step else "multi_step"
        cases = list(self.plan.cases(setting))
        metafunc.parametrize("case", cases, ids=[case.id for case in cases])

    def keep(self, outcome: Outcome) -> None:
        """Keep the outcome of the running case for its report."""
        self._outcome = outcome

    def resume(self, case: Case) -> ResumedCase | None:
        """Return the running case as the earlier part of the run has it; None if it is to be asked."""
        self._resumed = self.context.resumed.get(case.id) if self.context else None
        return self._resumed

    def annotate(self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        """Put a case's record on the report of its call, and shorten what failed cases print."""
        if report.when != "call":
            return
        if call.excinfo is not None and isinstance(call.excinfo.value, CaseFailedError | CaseError):
            report.longrepr = failure_repr(str(call.excinfo.value), report.location)
            setattr(report, ERROR_FIELD, isinstance(call.excinfo.value, CaseError))
            setattr(report, FORESEEN_FIELD, True)
        if self._stopped():
            item.session.shouldstop = "the controller stopped the run"
        resumed, self._resumed = self._resumed, None
        if resumed is not None:
            report.duration = resumed.time_s
            _add_scores(item, report, resumed.scores)
        outcome, self._outcome = self._outcome, None
        if outcome is None:
            return
        record = outcome.record
        setattr(report, RECORD_FIELD, json_line(record))
        setattr(report, MESSAGES_FIELD, json_line(outcome.messages))
        _add_scores(item, report, numbers(record))

    def _stopped(self) -> bool:
        return self.context is not None and (Path(self.context.coordination) / STOP).exists()


def case_of(item: pytest.Item) -> Case | None:
    """Return the case an item runs, None where it is some other test."""
    spec: Any = getattr(item, "callspec", None)
    case = spec.params.get("case") if spec else None
    return case if isinstance(case, Case) else None


def is_empty(item: pytest.Item) -> bool:
    """Tell whether an item stands for a parametrization without cases."""
    spec: Any = getattr(item, "callspec", None)
    return spec is not None and "case" in spec.params and case_of(item) is None


def _add_scores(item: pytest.Item, report: pytest.TestReport, scores: Mapping[str, float]) -> None:
    item.user_properties.extend(scores.items())
    report.user_properties = list(item.user_properties)
