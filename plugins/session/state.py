"""What a run has measured so far."""

from dataclasses import dataclass, field
from pathlib import Path

from retrocypher.kg.execution.recovery import ExclusiveRerunStats
from retrocypher.plugins.analysis.gate_decision import GateResult
from retrocypher.plugins.analysis.ledger import Ledger
from retrocypher.plugins.analysis.summary import Summary, Usage
from retrocypher.plugins.runs.record import InfrastructureError, Record
from retrocypher.plugins.session.plan import Plan
from retrocypher.plugins.session.resume import ResumeState
from retrocypher.prompts.models.calls import Stop


@dataclass(slots=True)
class RunState:
    """The measurements of a run so far, from which its closing lines, gate and summary are made."""

    plan: Plan
    path: Path
    """The run directory."""
    resumed: ResumeState | None
    """The earlier part of the run; None for a new run."""
    ledger: Ledger
    usage: Usage
    summary: Summary = field(default_factory=Summary)
    selected: int = 0
    """Number of cases that pytest selected."""
    crashed: dict[str, str] = field(default_factory=dict)
    """By id of a test that crashed with its worker or in the harness, what pytest says of it."""
    faults: dict[str, list[str]] = field(default_factory=dict)
    """Messages of infrastructure errors, by stage and kind."""
    answer_faults: dict[str, list[str]] = field(default_factory=dict)
    """Messages of what kept written answers from being whole, by stage and kind."""
    standstill: ExclusiveRerunStats = field(default_factory=lambda: ExclusiveRerunStats(0, 0.0))
    """What runaway queries cost the run."""
    unpriced: dict[str, str] = field(default_factory=dict)
    """By label of a model, the name of the one that plays its roles, if that has no list price."""
    gate: GateResult | None = None
    """The verdict of the gate; None without one."""
    stop: Stop | None = None
    """Why the run could not go on with its models; None if it could."""
    failure: str = ""
    """Why the run cannot be written to; empty if it can."""
    case_to_show: str = ""
    """Id of the first case that failed; of the first case if none did; empty before the first record."""
    _shows_failed: bool = False

    @property
    def complete(self) -> bool:
        """Whether every case that was selected has a score and all that was asked for."""
        whole = self.selected > 0 and self.summary.cases == self.selected
        return whole and not self.faults and not self.answer_faults and not self.failure

    def add(self, record: Record) -> None:
        """Add the record of a case that ended now."""
        self.count(record)
        if (error := record.infrastructure_error) is not None:
            self.faults.setdefault(_kind(error), []).append(error.message)
        elif (error := record.answer_fault) is not None:
            self.answer_faults.setdefault(_kind(error), []).append(error.message)

    def count(self, record: Record) -> None:
        """Add the record of a case that was whole before this session, or that `add` adds."""
        self.summary.add(record)
        self.ledger.add(record)
        self.usage.add(record)
        failed = record.was_run and not record.passed
        if not self.case_to_show or (failed and not self._shows_failed):
            self.case_to_show, self._shows_failed = record.case_id, failed


def _kind(error: InfrastructureError) -> str:
    return f"{error.stage} {error.kind}"
