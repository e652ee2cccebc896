"""The queries of a run, judged from its records."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.judge import (
    VARIANTS,
    Judgement,
    Task,
    Variant,
    case_to_judge,
    fault_of,
    judgements_of,
    on_record,
)
from plugins.judging._before import Before
from plugins.judging._progress import Progress
from plugins.judging._request import JudgeRequest
from plugins.judging._scores import judge_means
from plugins.records import json_line, read_manifest, read_records, read_summary, read_targets, was_run
from plugins.rescoring import write_in_place
from plugins.summary import Summary

INCOMPLETE = 16
"""Exit status of a run, and of judging one, where something could not be asked."""


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """What came of it.

    Attributes:
        run: The run directory.
        judge: Who judged, as the manifest says it.
        cases: How many cases the run has.
        judged: How many of them were judged; the others have no scores, or their judge could not be asked.
        kept: How many judgements were on record already.
        asked: How many answers were asked for now.
        from_cache: How many were had before.
        cost: What those asked for cost in USD, at list prices; None where no price is known.
        summary: The ``judge`` of the run's summary.
        means: Mean scores with their intervals, of all cases and by task, as ``to_json`` tells them.
        written: Whether it was put on the records: not where it would replace judgements and is incomplete.
        why: What the first judge that could not be asked ran into, and what to do; empty where all could.
    """

    run: Path
    judge: Mapping[str, Any]
    cases: int
    judged: int
    kept: int
    asked: int
    from_cache: int
    cost: float | None
    summary: Mapping[str, Any]
    means: list[dict[str, Any]]
    written: bool
    why: str = ""

    @property
    def faults(self) -> int:
        """How many cases have a judge that could not be asked."""
        return int(self.summary.get("faults", 0))

    def to_json(self) -> dict[str, Any]:
        """Return what ``retrocypher judge RUN --json`` prints."""
        counts = ("judge", "cases", "judged", "kept", "asked", "from_cache", "cost")
        told = (*counts, "summary", "means", "written")
        return {"run": str(self.run), **{name: getattr(self, name) for name in told}}


def judge_run(
    run: Path,
    request: JudgeRequest,
    announce: Callable[[str], None] = lambda _: None,
    *,
    replace: bool = False,
) -> JudgedRun:
    """Have the queries of a run judged, and put what comes of it on its records.

    Judgements that this judge made before, by the same criteria, are kept. Records, summary and manifest are
    replaced at the end, all at once; ended before, they stay as they were, and the cache has the answers. So
    they do where judgements would be replaced and the judge could not be asked about all cases.

    Args:
        run: The run directory.
        request: Who judges, and how.
        announce: Told how it gets on.
        replace: Whether all is judged anew, and takes the place of judgements on record.

    Raises:
        InputError: If the run cannot be used or holds judgements of another judge, another process holds it,
            or the judge cannot be started.
    """
    manifest = read_manifest(run)
    if "graph" not in manifest or "options" not in manifest:
        raise InputError(f"{run}: there is no manifest of a run here; name the folder of a run")
    told = request.to_json()
    targets = read_targets(run)
    earlier = Before(run, manifest.get("judge"), told, replace)
    now: dict[str, dict[Variant, Judgement]] = defaultdict(dict)
    summary, scored = Summary(), []
    cases = judged = kept = 0
    why = ""
    with write_in_place(run) as written:
        with request.panel() as panel:
            progress = Progress(announce)
            for task, judgement in panel.judge(_tasks(run, manifest, request, earlier)):
                now[task.case.case_id][task.variant] = judgement
                progress.add()
        for record in read_records(run):
            cases += 1
            if was_run(record) and record["scores"] is not None:
                before = earlier.kept(record)
                judgements = {**before, **now.get(record["case_id"], {})}
                fault = fault_of(judgements)
                why = why or (fault or {}).get("message", "")
                record = {
                    **record,
                    "judge": on_record(request.spec.label, request.criteria.sha256, judgements),
                    "infrastructure_error": fault,
                }
                judged, kept = judged + (fault is None), kept + len(before)
            written.records.write(json_line(record).encode() + b"\n")
            summary.add(record)
            scored.append(_scores(record))
        answers = [each for case in now.values() for each in case.values()]
        costs = [each.cost for each in answers if each.cost is not None]
        told_of = summary.to_json().get("judge", {})
        done = JudgedRun(
            run=run,
            judge=told,
            cases=cases,
            judged=judged,
            kept=kept,
            asked=sum(not each.cached and each.time_s > 0 for each in answers),
            from_cache=sum(each.cached for each in answers),
            cost=math.fsum(costs) if costs else None,
            summary=told_of,
            means=judge_means(scored, targets),
            written=not (earlier.at_stake and told_of.get("faults")),
            why=why,
        )
        if not done.written:
            return done
        totals = {**read_summary(run), **summary.to_json()}
        counts = {name: getattr(done, name) for name in ("asked", "from_cache", "kept", "cost")}
        written.finish(
            {**manifest, "judge": told, "exit_status": _status(manifest, totals)},
            totals,
            told_as="judged_from",
            more=counts,
        )
    return done


def _status(manifest: Mapping[str, Any], totals: Mapping[str, Any]) -> Any:
    """The exit status of a run; one that lacked judgements alone and has them now is whole."""
    status = manifest.get("exit_status")
    lacks = totals["infrastructure_errors_by_stage"] or totals.get("lost_cases")
    short = totals["cases"] < totals.get("selected_cases", 0) or (totals.get("answers") or {}).get("failed")
    return status if status != INCOMPLETE or lacks or short else int(totals["failed"] > 0)


def _tasks(run: Path, manifest: Mapping[str, Any], request: JudgeRequest, earlier: Before) -> Iterator[Task]:
    schema = manifest["graph"]["schema"]
    for record in read_records(run):
        case = case_to_judge(record, schema, request.criteria)
        if case is not None:
            before = earlier.kept(record)
            yield from (Task(case, variant) for variant in VARIANTS if variant not in before)


def _scores(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record as a table of scores takes it, the judge's among them."""
    # SciPy takes its time, which the help of the command should not pay.
    scores: dict[str, float | None] = {variant: each.score for variant, each in judgements_of(record)}
    scores["f1"] = (record["scores"] or {}).get("f1")
    from plugins.statistics import DIMENSIONS

    told = {name: record.get(name) or 1 if name == "phrasing" else record[name] for name in DIMENSIONS}
    return {"question_id": record["question_id"], **told, "scores": scores}
