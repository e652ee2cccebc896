"""A run that is yet to be, as one side of a comparison: what it will ask, and no score."""

from kg.errors import InputError
from plugins.comparison import (
    UNKNOWN,
    Conditions,
    Side,
    asked_as,
    differences,
    digest,
    of_questions,
    require_comparable,
)
from plugins.gate import COMMON, REMEDY, Gate, unpaired
from plugins.records import SCHEMA_VERSION
from plugins.session._plan import Plan
from plugins.statistics import require_common


def planned_side(plan: Plan) -> Side:
    """Return what a run will ask and under what, as far as that is known before it starts.

    Args:
        plan: The resolved plan.
    """
    _, golds = of_questions(plan.questions)
    asked, records = {}, []
    for setting in ("single_step", "multi_step"):
        for case in plan.cases(setting):
            record = {
                "question_id": case.question.id,
                "setting": case.question.setting,
                "task": case.question.task,
                "steps": case.question.steps,
                "phrasing": case.phrasing,
                "prompt": case.prompt,
                "shot": case.shot,
                "loop": case.loop,
                "model": case.model,
                "scores": None,
            }
            asked[asked_as(record)] = digest(case.question.text)
            records.append(record)
    options = plan.options
    fixed = {
        "schema version of records": str(SCHEMA_VERSION),
        "graph fingerprint": plan.question_set.fingerprint,
        "schema text": UNKNOWN,
        "--query-timeout": str(options.query_timeout),
        "--key-encoder": options.key_encoder or "none",
    }
    return Side(
        name="this run",
        conditions=Conditions(fixed, str(options.case_threshold), {}),
        manifest={},
        records=tuple(records),
        asked=asked,
        golds=golds,
        targets={question.id: digest(question.target) for question in plan.questions},
        faults={},
        incomplete="",
        part="",
    )


def require_pairs(gate: Gate, planned: Side) -> None:
    """Refuse a run that cannot be compared with its baseline, before it has cost anything.

    Args:
        gate: The gate, with a baseline.
        planned: What the run will ask.

    Raises:
        InputError: If the two will not be measured alike, have no case in common, or which cases to pair is
            not clear; or if a case of one has no partner in the other, unless a part may be judged.
    """
    baseline = gate.baseline
    if baseline is None:
        return
    for metric in gate.compared_metrics:
        found = differences(baseline, planned, metric)
        known = [each for each in found if UNKNOWN not in (each.a, each.b)]
        require_comparable(baseline, planned, known, REMEDY)
    alone = require_common(baseline.table(), planned.table(), (baseline.name, planned.name))
    if not gate.partial and (other := unpaired(*alone)):
        raise InputError(f"--baseline {baseline.name}: {other}. {REMEDY} {COMMON}")
