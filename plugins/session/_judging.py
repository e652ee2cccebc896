"""The judge of a session: who it is, and how a case gets its judgements."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from plugins.judge import (
    VARIANTS,
    Criteria,
    Judge,
    Judgement,
    case_to_judge,
    fault_of,
    judge_spec,
    judgements_of,
    load_criteria,
    on_record,
)
from plugins.records import Record
from plugins.session._options import Options
from plugins.terminal import counted
from prompts.models import ModelSpec


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """Who judges the cases of a run, and by what.

    Attributes:
        spec: The judge's model.
        criteria: What it judges by.
    """

    spec: ModelSpec
    criteria: Criteria


@dataclass(frozen=True, slots=True)
class CaseJudge:
    """Judges cases that have their scores.

    Attributes:
        plan: Who judges, and by what.
        schema: Schema text of the graph.
        judge: Who is asked.
        recorded: Returns the record of the same case in a run that is replayed, where the same judge judged
            it by the same criteria; None where nothing is replayed.
    """

    plan: JudgePlan
    schema: str
    judge: Judge
    recorded: Callable[[str], Mapping[str, Any] | None] | None = None

    def put_on(self, record: Record) -> None:
        """Put the judgements of a case on its record; also that the judge could not be asked."""
        case = case_to_judge(record.to_json(), self.schema, self.plan.criteria)
        if case is None:
            return
        before = self._before(record)
        judgements = {
            variant: before[variant] if variant in before else self.judge.judge(case, variant)
            for variant in VARIANTS
        }
        record.judge = on_record(self.plan.spec.label, self.plan.criteria.sha256, judgements)
        record.infrastructure_error = fault_of(judgements)

    def _before(self, record: Record) -> dict[str, Judgement]:
        """Return what a replayed run has of the same query."""
        there = None if self.recorded is None else self.recorded(record.case_id)
        if there is None or (there.get("judge") or {}).get("criteria") != self.plan.criteria.sha256:
            return {}
        now = record.to_json()
        same = all(there.get(name) == now[name] for name in ("question", "cypher", "reference_cypher"))
        if not same or (self.plan.criteria.rows and _rows(there) != _rows(now)):
            return {}
        return {
            variant: replace(each, model=self.plan.spec.label, cached=True, cost=None)
            for variant, each in judgements_of(there)
            if not each.is_fault
        }


def judge_lines(plan: JudgePlan | None, options: Options) -> list[str]:
    """Return the lines of the terminal's header that say who judges.

    Args:
        plan: Who judges, and by what; None for nobody.
        options: What the user asked for.
    """
    if plan is not None:
        rows = f", shown up to {counted(plan.criteria.rows, 'row')}" if plan.criteria.rows else ""
        return [f"judge: {plan.spec.label}, criteria {plan.criteria.sha256[:8]}{rows}"]
    if options.judge_rows:
        return [f"note: --judge-rows {options.judge_rows} has no effect: there is no judge"]
    return []


def judge_plan(options: Options, environment: Mapping[str, str]) -> JudgePlan | None:
    """Resolve and check ``--judge`` and ``--judge-rows``; None without a judge.

    Args:
        options: What the user asked for.
        environment: Where keys are looked up.

    Raises:
        InputError: If the model cannot judge, or the criteria cannot be read.
    """
    if options.judge is None:
        return None
    return JudgePlan(judge_spec(options.judge, environment), load_criteria(options.judge_rows))


def _rows(record: Mapping[str, Any]) -> Any:
    execution = record["execution"] or {}
    return execution.get("columns"), execution.get("rows")
