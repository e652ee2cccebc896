"""A written answer, checked against the graph."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from kg.claims import VerifiedClaim, Verifier
from plugins.answer_checks._stated import in_both, listed, support_of
from plugins.answering import Checked
from plugins.verification import AnswerVerdict, Thresholds, judge_answer
from prompts.answering import StatedClaims

READER, MODEL, QUESTION = "reader", "model", "question"


def check_answer(
    question: str,
    answer: str,
    stated: StatedClaims | None,
    verifier: Verifier,
    thresholds: Thresholds,
) -> Checked:
    """Have the graph say what holds of an answer.

    The verdict is by the claims that the reader finds, and by what the question asks for. Those that the
    model lists of its own answer are looked up too and compared, but decide nothing: who wrote the answer
    could raise its verdict by listing much that is true.

    Args:
        question: The question as asked.
        answer: The answer.
        stated: What the model lists; None where it listed nothing that could be read.
        verifier: Asks the graph.
        thresholds: Where verdicts begin.

    Raises:
        GraphError: The graph cannot be asked.
    """
    found = judge_answer(question, answer, verifier, thresholds)
    if stated is None or stated.malformed:
        return Checked([*_claims(found, frozenset())], _told(found, None))
    own = listed(stated)
    verified = verifier.verify(own.claims)
    read = [each.claim for each in found.claims if each.claim.origin == "answer"]
    here, there = in_both(read, own.claims)
    shared = frozenset(id(read[place]) for place in here)
    more = [each for place, each in enumerate(verified) if place not in there]
    compared = {
        "claims": len(own.claims),
        "unreadable": own.unreadable,
        "shared": len(there),
        "only_model": len(more),
        "only_reader": len(read) - len(here),
        "support": support_of(verified),
    }
    claims = [*_claims(found, shared), *(_entry(each, MODEL) for each in more)]
    return Checked(claims, _told(found, compared))


def _claims(found: AnswerVerdict, shared: frozenset[int]) -> Iterator[dict[str, Any]]:
    for each in found.claims:
        if each.claim.origin == "question":
            yield _entry(each, QUESTION)
        else:
            yield _entry(each, READER, *([MODEL] if id(each.claim) in shared else []))


def _entry(found: VerifiedClaim, *by: str) -> dict[str, Any]:
    return {**found.to_json(), "by": list(by)}


def _told(found: AnswerVerdict, compared: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "verdict": found.verdict,
        "support": found.support,
        "claims": len(found.claims),
        "counts": found.counts,
        "shortcomings": list(found.shortcomings),
        "thresholds": asdict(found.thresholds),
        "model": compared,
    }
