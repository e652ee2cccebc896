"""The gate of a run: checked before anything is paid for, judged when the cases are done."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from msgspec import convert
from msgspec.structs import replace

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.passages import graph_fingerprint
from retrocypher.kg.questions.clusters import clusters_of
from retrocypher.kg.questions.question import Setting
from retrocypher.plugins.analysis.comparison import differences, require_common, require_comparable
from retrocypher.plugins.analysis.gate import Gate, gate_of, unused_baseline
from retrocypher.plugins.analysis.gate_decision import COMMON, REMEDY, GateResult, GateVerdict, unpaired
from retrocypher.plugins.analysis.gate_rules import CONFIDENCE, RuleError, number
from retrocypher.plugins.analysis.run_scores import (
    UNKNOWN,
    Conditions,
    RunScores,
    digest,
    gold_digest,
    read_scores,
)
from retrocypher.plugins.analysis.scores import CaseScores
from retrocypher.plugins.analysis.variation import Over, require_count, table_of
from retrocypher.plugins.judge.criteria import judge_facts
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import JudgeEntry, Manifest
from retrocypher.plugins.runs.record import MORE_METRICS, SCHEMA_VERSION
from retrocypher.plugins.session.options import dest
from retrocypher.plugins.session.plan import Plan
from retrocypher.plugins.session.state import RunState
from retrocypher.prompts.models.open import contents_of

_ENDED: dict[int, str] = {
    pytest.ExitCode.INTERRUPTED: "interrupted",
    pytest.ExitCode.INTERNAL_ERROR: "broken off",
}


def gate_for(plan: Plan, config: pytest.Config, settings: Collection[Setting]) -> Gate | None:
    """Return the gate of a run; None without a rule.

    Raises:
        InputError: A rule cannot be read, the run is partial, no rule needs the baseline of the command line,
            the baseline does not fit the run, or the judge of a rule was not calibrated well enough.
    """
    options = plan.options
    # One of pyproject.toml stands there for all runs; one of the command line is for this run.
    standing = config.getoption(dest("baseline")) is None
    if not options.gate and (standing or options.baseline is None):
        return None
    if not options.gate:
        raise unused_baseline(str(options.baseline), "")
    try:
        gate = gate_of(
            options.gate,
            options.baseline,
            config.rootpath,
            allow_inconclusive=options.gate_allow_inconclusive,
            partial=options.gate_partial,
            standing=standing,
            judge_kappa=options.gate_judge_kappa,
        )
    except RuleError as error:
        raise InputError(f"--gate: {error}") from error
    if gate.needs_judge and (reason := gate.distrusts(_judge(plan))):
        raise InputError(reason)
    cut = next(_cuts(plan, config, settings), None)
    if cut is not None and not gate.partial and gate.baseline is None:
        raise InputError(
            f"{cut} runs a part of the cases, which a gate judges only against a baseline that has them: add "
            "--baseline and a no-regression rule, leave out one of the two, or have the part judged with "
            "--gate-partial"
        )
    counts: dict[Over, int] = {"repeat": options.repeat, "phrasing": len(plan.paraphrases)}
    for rule in gate.rules:
        if rule.metric in MORE_METRICS and rule.metric not in options.metrics:
            raise InputError(f"--gate {rule}: {rule.metric} is not measured; add --metrics {rule.metric}")
        require_count(rule.metric, counts)
        if rule.confidence and plan.question_set.fingerprint != graph_fingerprint():
            raise InputError(
                f"--gate {rule}: only questions about the default graph have a known confidence; leave out "
                f"[{CONFIDENCE}>={number(rule.confidence)}]"
            )
    if gate.baseline is not None:
        require_pairs(gate, planned_scores(plan), part=cut is not None)
    return gate


def require_covered(gate: Gate, plan: Plan, case_ids: Collection[str]) -> None:
    """Refuse a part of a run of which the baseline lacks cases, unless a partial run may be judged.

    Raises:
        InputError: Not all cases are selected, and the baseline lacks some of those that are.
    """
    options = plan.options
    part = options.sample or options.split or options.shard or len(case_ids) < plan.case_count()
    if gate.partial or gate.baseline is None or not part:
        return
    if not gate.covers(planned_scores(plan, case_ids)):
        raise InputError(
            f"a part of the cases is selected, and {gate.baseline.name} lacks some of them, so a gate does "
            f"not judge them. {REMEDY} {COMMON}"
        )


def _judge(plan: Plan) -> JudgeEntry | None:
    """Return what the manifest will say of the judge."""
    if plan.judge is None:
        return None
    spec = plan.judge.spec
    return convert(judge_facts(spec, plan.judge.criteria, contents_of([spec])), JudgeEntry)


def run_scores(state: RunState, status: int) -> RunScores:
    """Return the scores of a run whose cases are done."""
    summary = state.summary.totals()
    summary.selected_cases, summary.lost_cases = state.selected, list(state.crashed)
    found = read_scores(RunLog(state.path), summary)
    if status not in _ENDED:
        return found
    return replace(found, incomplete="; ".join(filter(None, (found.incomplete, _ENDED[status]))))


def judged(gate: Gate, state: RunState, status: int) -> GateResult:
    """Return the result of a gate; a run that cannot be read back is refused."""
    try:
        return gate.judge(run_scores(state, status))
    except InputError as error:
        return GateResult(GateVerdict.REFUSED, str(error))


def _cuts(plan: Plan, config: pytest.Config, settings: Collection[Setting]) -> Iterator[str]:
    """Yield what is known beforehand to leave out some of the planned cases."""
    options: Any = config.option
    if plan.options.sample:
        yield f"--sample {plan.options.sample}"
    if plan.options.split:
        yield f"--split {plan.options.split}"
    if plan.options.shard:
        yield f"--shard {plan.options.shard}"
    if options.keyword:
        yield f"-k {options.keyword}"
    if options.markexpr:
        yield f"-m {options.markexpr}"
    if options.deselect:
        yield f"--deselect {options.deselect[0]}"
    if not {question.setting for question in plan.questions} <= set(settings):
        yield " ".join(Path(each).name for each in config.args) or "what is named"
    if named := next((each for each in config.args if "::" in each), None):
        yield named


def planned_scores(plan: Plan, case_ids: Collection[str] | None = None) -> RunScores:
    """Return what a run will ask and under what, as far as that is known before it starts.

    Args:
        case_ids: The selected cases; None for all.
    """
    texts, cases = {}, []
    for setting in get_args(Setting):
        for case in plan.cases(setting):
            if case_ids is not None and case.id not in case_ids:
                continue
            scores = CaseScores(
                question_id=case.question.id,
                setting=case.question.setting,
                task=case.question.task,
                steps=case.question.steps,
                phrasing=case.phrasing,
                repeat=case.repeat,
                prompt=case.prompt,
                shot=case.shot,
                loop=case.loop,
                model=case.model,
                scores=None,
            )
            texts[scores.text_id] = digest(case.question.text)
            cases.append(scores)
    options = plan.options
    fixed = {
        "schema version of records": str(SCHEMA_VERSION),
        "graph fingerprint": plan.question_set.fingerprint,
        "schema text": UNKNOWN,
        "--query-timeout": str(options.query_timeout),
        "--key-encoder": options.key_encoder or "none",
    }
    return RunScores(
        name="this run",
        conditions=Conditions(fixed, str(options.case_threshold), {}),
        manifest=Manifest(),
        cases=tuple(cases),
        texts=texts,
        golds={question.id: gold_digest(question) for question in plan.questions},
        clusters={name: digest(cluster) for name, cluster in clusters_of(plan.questions).items()},
    )


def require_pairs(gate: Gate, planned: RunScores, *, part: bool = False) -> None:
    """Refuse a run that cannot be compared with its baseline, before it has cost anything.

    Args:
        part: Whether only a part of the planned cases will be selected; then `require_covered` checks which.

    Raises:
        InputError: The baseline lacks a compared score, the two are measured differently, have no case in
            common, or the pairs are not clear; or a case has no partner, unless a partial run may be judged.
    """
    baseline = gate.baseline
    if baseline is None:
        return
    for rule in gate.comparisons:
        metric = rule.metric
        try:
            baseline.where(rule.leak)
        except InputError as error:
            raise InputError(f"--{error}") from error
        table, name = table_of(baseline.table(), metric)
        if np.isnan(table.scores(name)).all():
            raise InputError(
                f"--{baseline.name}: no case of it has {metric}. One that an earlier version saved "
                "lacks newer scores: save it again with `retrocypher baseline save RUN NAME --replace`"
            )
        found = differences(baseline, planned, metric)
        known = [each for each in found if UNKNOWN not in (each.a, each.b)]
        require_comparable(baseline, planned, known, REMEDY)
    alone = require_common(baseline.table(), planned.table(), (baseline.name, planned.name))
    if not (gate.partial or part) and (other := unpaired(*alone)):
        raise InputError(f"--{baseline.name}: {other}. {REMEDY} {COMMON}")
