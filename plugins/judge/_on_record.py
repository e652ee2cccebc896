"""Judgements as they stand on the record of a case."""

from collections.abc import Iterator, Mapping
from typing import Any

from kg.errors import InputError
from plugins.judge._case import VARIANTS, JudgeCase, Judgement, Variant
from plugins.judge._criteria import Criteria
from plugins.records import JUDGE_STAGE, was_run


def case_to_judge(record: Mapping[str, Any], schema: str, criteria: Criteria) -> JudgeCase | None:
    """Return what is to be judged of a case; None of one that was not run.

    Args:
        record: Its record, as in ``records.jsonl``.
        schema: Schema text of the graph.
        criteria: What is judged by; it says whether rows are shown.
    """
    if not was_run(record) or record["scores"] is None:
        return None
    execution = record["execution"] or {}
    shown = criteria.rows > 0 and execution.get("status") == "ok"
    return JudgeCase(
        case_id=str(record["case_id"]),
        question=str(record["question"]),
        schema=schema,
        cypher=record["cypher"],
        reference=str(record["reference_cypher"]),
        columns=execution["columns"] if shown else None,
        rows=execution["rows"] if shown else None,
    )


def on_record(model: str, criteria: str, judgements: Mapping[Variant, Judgement]) -> dict[str, Any]:
    """Return the ``judge`` of a record.

    Args:
        model: Label of the judge.
        criteria: Hash of what it judged by.
        judgements: What it made of the case, by variant.
    """
    told = {variant: judgements.get(variant) for variant in VARIANTS}
    return {
        "model": model,
        "criteria": criteria,
        **{variant: None if each is None else each.to_json() for variant, each in told.items()},
    }


def judgements_of(record: Mapping[str, Any]) -> Iterator[tuple[Variant, Judgement]]:
    """Yield the judgements on a record; none where it was not judged.

    Raises:
        InputError: If what stands there is no judgement.
    """
    judge = record.get("judge") or {}
    try:
        for variant in VARIANTS:
            if judge.get(variant) is not None:
                yield variant, Judgement.from_json(judge[variant])
    except (ValueError, AttributeError, TypeError) as error:
        raise InputError(
            f"{record.get('case_id')}: what its record has as `judge` cannot be read ({error}); restore it "
            "from a copy, or have the run judged again"
        ) from error


def fault_of(judgements: Mapping[Variant, Judgement]) -> dict[str, str] | None:
    """Return the ``infrastructure_error`` of a case whose judge could not be asked; None where it was.

    What a judge says that is no score is none: asked again, it would say the same.
    """
    faults = [each.error for each in judgements.values() if each.is_fault and each.error is not None]
    return {"stage": JUDGE_STAGE, **faults[0]} if faults else None
