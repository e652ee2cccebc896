"""The queries of a run, judged from its records."""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.summary import Summary
from retrocypher.plugins.formatting.text import counted, counted_table, one_line, usd
from retrocypher.plugins.judge.criteria import case_to_judge, fault_of, judgements_of, on_record
from retrocypher.plugins.judge.judge import Task
from retrocypher.plugins.judge.judgement import VARIANTS, Judgement, Variant
from retrocypher.plugins.operations.judge_request import JudgeRequest
from retrocypher.plugins.operations.rescore import write_in_place
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.runs.log import read_manifest, read_records, read_summary, read_targets
from retrocypher.plugins.runs.record import was_run


class Before:
    """What a run that is to be judged has on record.

    Args:
        run: The run directory.
        judge: What its manifest says of its judge; None without one.
        now: What it will say.
        replace: Whether all is judged anew.
    """

    def __init__(self, run: Path, judge: Any, now: Mapping[str, Any], replace: bool) -> None:
        self._run = run
        self._judge = judge if isinstance(judge, Mapping) else {}
        self._now = now
        same = all(self._judge.get(name) == value for name, value in now.items())
        self._mine = same and not replace
        self.at_stake = not self._mine and self._holds_any()
        """Whether judgements on record would give way."""
        if self.at_stake and not replace:
            raise self._refusal()

    def kept(self, record: Mapping[str, Any]) -> dict[Variant, Judgement]:
        """Return the judgements on a record that need not be made again."""
        if not self._mine:
            return {}
        return {variant: each for variant, each in judgements_of(record) if not each.is_fault}

    def _holds_any(self) -> bool:
        return any(_has_judgement(record) for record in read_records(self._run))

    def _refusal(self) -> InputError:
        whose = one_line(str((self._judge.get("model") or {}).get("label", "another judge")))
        differs = "; ".join(_differences(self._judge, self._now)) or "its manifest does not say how it judged"
        return InputError(
            f"{self._run} holds judgements of {whose}, which this judge would take the place of: {differs}. "
            "Judge as the run was, to fill gaps alone; judge a copy of the folder; or give --replace. "
            "The old ones stay in the answer cache, where they came from there."
        )


def _has_judgement(record: Mapping[str, Any]) -> bool:
    try:
        return any(not each.is_fault for _, each in judgements_of(record))
    except InputError:
        # What cannot be read may have been paid for.
        return True


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield what tells two judges apart, for people."""
    if not before:
        return
    models = [each.get("model") or {} for each in (before, now)]
    names = [_name(each) for each in models]
    if names[0] != names[1]:
        yield f"model {names[0]}, now {names[1]}"
    elif models[0] != models[1]:
        yield "another file of its model"
    if before.get("api") != now["api"]:
        yield f"API {_said(before.get('api'))}, now {_said(now['api'])}"
    if before.get("rows") != now["rows"]:
        yield f"shown {_said(before.get('rows'))} rows, now {now['rows']}"
    elif before.get("criteria") != now["criteria"]:
        yield "other criteria"


def _name(model: Mapping[str, Any]) -> str:
    label, argument = model.get("label"), model.get("argument")
    return _said(label if argument in (None, "", label) else f"{label}={argument}")


def _said(value: Any) -> str:
    return "none" if value is None else one_line(str(value))


_EVERY_S = 10.0


class Progress:
    """Says now and then how many judgements there are.

    Args:
        announce: Takes a line.
    """

    def __init__(self, announce: Callable[[str], None]) -> None:
        self._announce = announce
        self._count = 0
        self._told = time.monotonic()

    def add(self) -> None:
        """Count one more."""
        self._count += 1
        if time.monotonic() - self._told >= _EVERY_S:
            self._told = time.monotonic()
            self._announce(counted(self._count, "judgement"))


MEASURES = ("f1", *VARIANTS)


def judge_means(records: Sequence[Mapping[str, Any]], targets: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the mean of F1 and of each score of the judge, of all cases and by task.

    Args:
        records: Records whose ``scores`` hold `MEASURES`.
        targets: By question id, the molecule that intervals cluster by.

    Returns:
        ``slice``, ``metric`` and ``mean`` with its interval, as `plugins.statistics.slice_means` tells them.
    """
    # SciPy takes its time, which the help of the command should not pay.
    from retrocypher.plugins.analysis.score_table import ScoreTable, slice_means

    table = ScoreTable(records, targets, MEASURES)
    return [mean.to_json() for by in ((), ("task",)) for mean in slice_means(table, by, MEASURES)]


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
    from retrocypher.plugins.analysis.score_table import DIMENSIONS

    told = {name: record.get(name) or 1 if name == "phrasing" else record[name] for name in DIMENSIONS}
    return {"question_id": record["question_id"], **told, "scores": scores}


def render_judged(done: JudgedRun) -> Group:
    """Return what came of it, as lines and a table.

    Args:
        done: What came of it.
    """
    return Group(*_parts(done))


def _parts(done: JudgedRun) -> Iterator[RenderableType]:
    judge = one_line(str(done.judge["model"]["label"]))
    yield Text(
        f"{one_line(str(done.run))}: {done.judged:,} of {counted(done.cases, 'case')} judged by {judge}"
    )
    yield Text(
        f"answers: {done.asked:,} asked, {done.from_cache:,} from the cache, {done.kept:,} on record"
        + ("" if done.cost is None else f", {usd(done.cost)}")
    )
    yield _means(done)
    for variant in VARIANTS:
        lacking = (done.summary.get(variant) or {}).get("no_score") or {}
        if lacking:
            kinds = ", ".join(f"{one_line(kind)} {count:,}" for kind, count in lacking.items())
            yield Text(f"no score {variant.replace('_', ' ')}: {kinds}")
    if done.faults:
        kept = "" if done.written else "nothing is replaced, and "
        yield Text(
            f"incomplete: the judge could not be asked about {counted(done.faults, 'case')}; "
            f"{kept}the same command asks again"
        )
        if done.why:
            yield Text(one_line(done.why))


def _means(done: JudgedRun) -> RenderableType:
    table = counted_table(
        "mean [95 % interval]", "task", *(measure.replace("_", " ") for measure in MEASURES)
    )
    table.padding = 0  # else intervals do not fit 80 columns
    by_task: dict[str, dict[str, Mapping[str, Any]]] = {}
    for entry in done.means:
        by_task.setdefault(entry["slice"].get("task", "all"), {})[entry["metric"]] = entry["mean"]
    for task, means in by_task.items():
        table.add_row(one_line(task), *(_mean(means[name]) for name in MEASURES))
    return table


def _mean(mean: Mapping[str, Any]) -> str:
    if mean["value"] is None:
        return "n/a"
    interval = "" if mean["low"] is None else f" [{mean['low']:.2f}, {mean['high']:.2f}]"
    return f"{mean['value']:.3f}{interval}"
