"""Judges the queries of a run from its records."""

import logging
import math
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping

from msgspec import Struct

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.scores import (
    CaseScores,
    ScoreTable,
    SliceMean,
    labelled,
    slice_means,
)
from retrocypher.plugins.analysis.summary import Summary
from retrocypher.plugins.formatting.progress import throttled
from retrocypher.plugins.formatting.text import counted, one_line
from retrocypher.plugins.judge.criteria import (
    case_to_judge,
    fault_of,
    judge_spec,
    load_criteria,
)
from retrocypher.plugins.judge.judge import JudgeRequest, Task
from retrocypher.plugins.operations.rescore import write_in_place
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import JudgeEntry, ModelEntry
from retrocypher.plugins.runs.record import VARIANTS, Judgement, JudgeRatings, Record, Variant, fields_of
from retrocypher.plugins.runs.summary import JudgeSummary, RunSummary
from retrocypher.prompts.models.pool import open_cache
from retrocypher.prompts.models.sides import with_any_key

_logger = logging.getLogger(__name__)


def judge_request(
    model: str,
    *,
    rows: int = 0,
    concurrency: int = 8,
    seed: int = 0,
    cache: str | None = None,
    offline: bool = False,
    environment: Mapping[str, str] = os.environ,
    of_tables: bool = False,
) -> JudgeRequest:
    """Check who is to judge, and open the cache; raise InputError if either cannot be used.

    Args:
        of_tables: Whether the run is of a suite of table questions.
    """
    if offline:
        environment = with_any_key(environment)
    spec = judge_spec(model, environment)
    file = open_cache(cache, offline=offline)
    return JudgeRequest(
        spec, load_criteria(rows, of_tables=of_tables), concurrency, seed, file, offline, environment
    )


def named_judge(judge: JudgeEntry) -> str:
    """Return the judge of a run as ``--judge`` takes it."""
    model = judge.model
    spec = {"openai": model.argument, "gguf": f"gguf:{model.argument}"}.get(model.kind, model.kind)
    return f"{model.label}={spec}"


class EarlierJudgements:
    """The judgements on record; raises InputError if they are another judge's and are not to be replaced."""

    def __init__(self, run: RunLog, now: JudgeEntry, replace: bool) -> None:
        judge = run.manifest.judge
        self._same_judge = judge == now and not replace
        self.at_stake = not self._same_judge and any(_judgements(record) for record in run.records())
        """Whether judgements on record would be replaced."""
        if self.at_stake and not replace:
            whose = one_line(judge.model.label) if judge else "another judge"
            differs = "; ".join(_differences(judge, now)) if judge else ""
            raise InputError(
                f"{run} holds judgements of {whose}, which this judge would replace: "
                f"{differs or 'its manifest does not say how it judged'}. Judge as the run was judged, to "
                "fill gaps only; judge a copy of the folder; or give --replace. Old judgements stay in the "
                "response cache, if they came from there."
            )

    def kept(self, record: Record) -> dict[Variant, Judgement]:
        """Return the judgements on a record that need not be made again."""
        return _judgements(record) if self._same_judge else {}


def _judgements(record: Record) -> dict[Variant, Judgement]:
    """Return the judgements on a record of a judge that could be asked."""
    found = record.judge.judgements if record.judge else {}
    return {variant: each for variant, each in found.items() if not each.is_fault}


def _differences(before: JudgeEntry, now: JudgeEntry) -> Iterator[str]:
    names = [_name(each.model) for each in (before, now)]
    if names[0] != names[1]:
        yield f"model {names[0]}, now {names[1]}"
    elif before.model != now.model:
        yield "another file of its model"
    if before.api != now.api:
        yield f"API {one_line(before.api or 'none')}, now {one_line(now.api or 'none')}"
    if before.rows != now.rows:
        yield f"shown {before.rows} rows, now {now.rows}"
    elif before.criteria != now.criteria:
        yield "other criteria"


def _name(model: ModelEntry) -> str:
    return one_line(model.label if model.argument in ("", model.label) else f"{model.label}={model.argument}")


JUDGED_RUN_METRICS = ("f1", *VARIANTS)
"""Scores whose means are shown of a judged run."""

INCOMPLETE = 16
"""Exit status of a run, and of judging one, if something could not be asked."""


class JudgedRun(Struct, frozen=True, kw_only=True):
    """What judging a run gave."""

    run: str
    judge: JudgeEntry
    cases: int
    judged: int
    """Number of cases judged; the others have no scores, or their judge could not be asked."""
    kept: int
    """Number of judgements that were on record already."""
    asked: int
    """Completions requested."""
    from_cache: int
    cost: float | None
    """Cost of those requested in USD, at list prices; None if no price is known."""
    summary: JudgeSummary
    """The ``judge`` of the run's summary."""
    means: list[SliceMean]
    """Means of `JUDGED_RUN_METRICS`, of all cases and by task."""
    written: bool
    """Whether the judgements are on the records; not if they would replace others and are incomplete."""


def judge_run(
    run: RunLog,
    request: JudgeRequest,
    *,
    replace: bool = False,
) -> tuple[JudgedRun, str]:
    """Judge the queries of a run, and add the judgements to its records.

    Judgements that this judge made before, by the same criteria, are kept. Records, summary and manifest are
    replaced together at the end. After an interruption they are as before, and the cache has the completions;
    so too if judgements would be replaced and the judge could not be asked about all cases.

    Raises InputError if the run cannot be used or has judgements of another judge, another process holds it,
    or the judge cannot be started.

    Args:
        replace: Judge everything anew, and replace judgements on record.

    Returns:
        The result, and why the judge could not be asked first; empty if it always could.
    """
    graph = run.manifest.graph
    if graph is None or not run.manifest.options:
        raise InputError(f"{run}: there is no manifest of a run here; name the folder of a run")
    judge = request.entry()
    clusters = run.clusters
    earlier = EarlierJudgements(run, judge, replace)
    now: dict[str, dict[Variant, Judgement]] = defaultdict(dict)
    summary, scored = Summary(), []
    cases = judged = kept = 0
    why = ""
    with write_in_place(run.path) as written:
        with request.pool() as pool:
            say, tasks = throttled(_logger), _tasks(run, graph.schema, request, earlier)
            for number, (task, judgement) in enumerate(pool.judge(tasks), 1):
                now[task.case.case_id][task.variant] = judgement
                say(counted(number, "judgement"))
        for line in run.record_lines():
            cases += 1
            record, raw = line.record, line.raw
            if record.was_run:
                before = earlier.kept(record)
                judgements = {**before, **now.get(record.case_id, {})}
                fault = fault_of(judgements)
                why = why or (fault.message if fault else "")
                record.judge = JudgeRatings(request.spec.label, request.criteria.sha256, **judgements)
                record.infrastructure_error = fault
                value = {**line.value, "judge": record.judge, "infrastructure_error": fault}
                raw = json_line(value).encode() + b"\n"
                judged, kept = judged + (fault is None), kept + len(before)
            written.records.write(raw)
            summary.add(record)
            scored.append(_measured(record))
        made = [each for case in now.values() for each in case.values()]
        costs = [each.cost for each in made if each.cost is not None]
        totals = summary.run_summary()
        totals.selected_cases = run.summary.selected_cases
        totals.lost_cases = run.summary.lost_cases
        of_judge = totals.judge or JudgeSummary()
        table = ScoreTable(scored, clusters, JUDGED_RUN_METRICS)
        done = JudgedRun(
            run=str(run),
            judge=judge,
            cases=cases,
            judged=judged,
            kept=kept,
            asked=sum(not each.cached and each.time_s > 0 for each in made),
            from_cache=sum(each.cached for each in made),
            cost=math.fsum(costs) if costs else None,
            summary=of_judge,
            means=[mean for by in ((), ("task",)) for mean in slice_means(table, by, JUDGED_RUN_METRICS)],
            written=not (earlier.at_stake and of_judge.faults),
        )
        if done.written:
            status = final_status(run.manifest.exit_status, totals)
            written.finish(
                {**run.manifest_json, "judge": judge, "exit_status": status},
                {**run.summary_json, **fields_of(totals)},
                origin="judged_from",
                more={name: getattr(done, name) for name in ("asked", "from_cache", "kept", "cost")},
            )
    return done, why


def final_status(status: int | None, totals: RunSummary) -> int | None:
    """Return the exit status of a judged run; one that lacked nothing but judgements is complete now."""
    lacks = totals.infrastructure_errors_by_stage or totals.lost_cases
    short = totals.cases < (totals.selected_cases or 0) or (totals.answers and totals.answers.failed)
    return status if status != INCOMPLETE or lacks or short else int(totals.failed > 0)


def _tasks(run: RunLog, schema: str, request: JudgeRequest, earlier: EarlierJudgements) -> Iterator[Task]:
    for record in run.records():
        case = case_to_judge(record, schema, request.criteria)
        if case is not None:
            before = earlier.kept(record)
            yield from (Task(case, variant) for variant in VARIANTS if variant not in before)


def _measured(record: Record) -> CaseScores:
    scores: dict[str, float | None] = {"f1": record.scores.f1 if record.scores else None}
    if record.judge:
        scores |= {variant: each.score for variant, each in record.judge.judgements.items()}
    return labelled(record, scores)
