"""Cases that broke off with their worker or in the harness: they have no record, and yet were to be asked."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from kg.questions import Question, phrase
from plugins.records import Record
from prompts.shots import SHOTS

LOST = {
    "stage": "harness",
    "kind": "lost",
    "message": "the case broke off with its worker or in the harness; what the run printed says more",
}


def lost_cases(tests: Collection[str]) -> set[str]:
    """Return the ids of the cases that tests ask, from the tests' names as pytest has them."""
    return {test.partition("[")[2].removesuffix("]") for test in tests}


def lost_records(
    lost: Collection[str], manifest: Mapping[str, Any], questions: Mapping[str, Question]
) -> Iterator[Record]:
    """Yield a record for each lost case, with no round and no score.

    Args:
        lost: The ids of the cases.
        manifest: The manifest of the run.
        questions: Its questions by id.
    """
    if not lost:
        return
    parts = (manifest["prompts"], SHOTS, manifest["loops"]["names"], [m["label"] for m in manifest["models"]])
    pattern = re.compile(
        r"(.+?)(?:-w(\d+))?" + "".join(f"-({'|'.join(map(re.escape, part))})" for part in parts)
    )
    for case in sorted(lost):
        named = pattern.fullmatch(case)
        if named is None or named[1] not in questions:
            continue
        phrasing = int(named[2] or 1)
        question = phrase(questions[named[1]], phrasing)
        yield Record(
            case_id=case,
            question_id=question.id,
            task=question.task,
            setting=question.setting,
            steps=question.steps,
            prompt=named[3],
            shot=named[4],
            loop=named[5],
            model=named[6],
            exemplar_id=None,
            question=question.text,
            reference_cypher=question.reference_cypher,
            phrasing=phrasing,
            infrastructure_error=dict(LOST),
        )
