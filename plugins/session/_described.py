"""What the manifest says of a run: before the first case, and after the last."""

from collections.abc import Collection, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from kg.server import java_version
from plugins.judge import judge_facts
from plugins.records import manifest
from plugins.session._graph import RunGraph
from plugins.session._plan import Plan
from plugins.summary import Summary
from prompts.exemplars import bank_sha256
from prompts.models import ModelSpec, api_address, file_of


def described(
    plan: Plan, graph: RunGraph, contents: Mapping[str, str], started: datetime, root: Path
) -> dict[str, Any]:
    """Return the manifest of a run that is about to ask its first case.

    Args:
        plan: The resolved plan.
        graph: The graph it asks.
        contents: SHA-256 of the files its models are made of, by path.
        started: When it began.
        root: The project's folder.
    """
    judge = plan.judge
    told = manifest(
        started=started,
        options=plan.options.to_json(),
        models=[_model(spec, contents) for spec in plan.models],
        loops=plan.loops.to_json(),
        judge=None if judge is None else judge_facts(judge.spec, judge.criteria, contents),
        api=api_address(plan.asked),
        prices=plan.prices,
        questions={
            "count": len(plan.questions),
            "set_sha256": plan.question_set.sha256,
            "graph_fingerprint": plan.question_set.fingerprint,
        },
        prompts={name: prompt.sha256 for name, prompt in plan.prompts.items()},
        exemplars={prompt.setting: bank_sha256(prompt.setting) for prompt in plan.prompts.values()},
        graph=graph.to_json(),
        java=java_version() if graph.kind == "local" else None,
        cases=plan.case_count(),
        checkout=root,
    )
    return {**told, "answering": plan.answering.to_json() if plan.answering else None}


def counted(plan: Plan, summary: Summary, selected: int, lost: Collection[str]) -> dict[str, int]:
    """Return how many cases a run has, and what became of them.

    Args:
        plan: The resolved plan.
        summary: Of those that have a record.
        selected: How many were left by ``-k`` and ``-m``.
        lost: Those that broke off.
    """
    return {
        "planned": plan.case_count(),
        "selected": selected,
        "run": summary.cases,
        "passed": summary.passed,
        "failed": summary.failed,
        "infrastructure_errors": summary.infrastructure_errors,
        "lost": len(lost),
    }


def _model(spec: ModelSpec, contents: Mapping[str, str]) -> dict[str, Any]:
    file = file_of(spec)
    return {**spec.to_json(), **({} if file is None else {"file_sha256": contents[str(file)]})}
