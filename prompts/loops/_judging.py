"""Validators at work within a loop."""

import time
from collections.abc import Sequence
from dataclasses import asdict

from prompts.loops._interface import LoopCase, LoopTools, Step, ValidatorName
from prompts.loops._texts import messages_for
from prompts.validation import (
    Finding,
    SchemaValidator,
    checklist_for,
    read_checklist_answer,
    read_question,
)

_NAMES: dict[ValidatorName, tuple[ValidatorName, ...]] = {
    "schema": ("schema",),
    "checklist": ("checklist",),
    "both": ("schema", "checklist"),
}


def judge(query: str, case: LoopCase, tools: LoopTools) -> list[Finding]:
    """Have the validators of a run look at a query, and put what each says on the record.

    An answer that cannot be understood finds nothing: it must not set a corrector to work.

    Args:
        query: A query that can be run.
        case: What the loop started from.
        tools: Among them which validator to use.

    Raises:
        ModelError: The model behind the checklist cannot be asked.
        GraphError: The tables of Cypher's grammar cannot be had.
    """
    found: list[Finding] = []
    for name in _NAMES[tools.validator]:
        look = _by_schema if name == "schema" else _by_checklist
        found += [finding for finding in look(query, case, tools) if finding not in found]
    return found


def _by_schema(query: str, case: LoopCase, tools: LoopTools) -> Sequence[Finding]:
    started = time.perf_counter()
    said = SchemaValidator(case.schema, case.convention).validate(query, case.question)
    findings = [asdict(finding) for finding in said.findings] + ([{"note": said.note}] if said.note else [])
    verdict = "valid" if said.valid else "invalid"
    tools.note(Step("validator:schema", query, verdict, findings, time_s=time.perf_counter() - started))
    return said.findings


def _by_checklist(query: str, case: LoopCase, tools: LoopTools) -> Sequence[Finding]:
    items = checklist_for(case.setting, read_question(case.question).intent)
    messages = messages_for(
        "checklist",
        {
            "schema": case.schema_text,
            "checklist": "\n".join(f"{number}. {item.text}" for number, item in enumerate(items, 1)),
            "question": case.question,
            "query": query,
        },
    )
    answer = tools.ask("validator", messages)
    said = read_checklist_answer(answer.text, items)
    verdict = {True: "valid", False: "invalid", None: "malformed"}[said.valid]
    findings = [asdict(finding) for finding in said.findings]
    tools.note(Step("validator:checklist", query, verdict, findings, messages=messages, answer=answer))
    return said.findings
