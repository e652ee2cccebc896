"""Checks written answers against the graph, or takes the checks from replayed runs."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Protocol

from msgspec import UNSET, convert, structs

from retrocypher.kg.claims.claim import ROLE_PREDICATES, Claim, VerifiedClaim
from retrocypher.kg.claims.statements import claim_of
from retrocypher.kg.claims.verification import Verifier
from retrocypher.kg.errors import GraphError, InputError
from retrocypher.kg.graph.compact import read_graph, read_manifest
from retrocypher.kg.graph.passages import build_passages, graph_fingerprint, open_passages, passages_file
from retrocypher.kg.graph.reaction import Source
from retrocypher.kg.offline import is_offline
from retrocypher.plugins.runs.replay import RunIndex
from retrocypher.plugins.runs.written_answer import (
    ClaimSource,
    ListedClaims,
    RecordedClaim,
    Thresholds,
    Verification,
)
from retrocypher.plugins.scoring.verdict import AnswerVerdict, judge_answer, support_of
from retrocypher.prompts.answering.passages import VectorSearch, WordSearch, read_index
from retrocypher.prompts.answering.writing import Limits, Search, StatedClaims, Triple, WrittenAnswer
from retrocypher.prompts.templates.encoder import extra_installed, load_encoder


def sources_of(fingerprint: str) -> Mapping[int, Source]:
    """Return the source record of each reaction of a graph, by id; empty unless it is the default graph."""
    if fingerprint != read_manifest()["fingerprint"]:
        return {}
    return {each.id: each.source for each in read_graph() if each.source is not None}


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


_PLACES = {
    "REACTS_IN": ("object",),
    **dict.fromkeys(("PRODUCES", "USES_AGENT", "USES_SOLVENT", "YIELD"), ("subject",)),
    "LEADS_TO": ("subject", "object"),
}
"""Where a triple has its reactions."""
_OF_A_MOLECULE = (*ROLE_PREDICATES, "TAKES_PART_IN")


@dataclass(frozen=True, slots=True)
class Listed:
    """The claims that a model lists, as the graph can be asked about them.

    Attributes:
        unreadable: How many name something that is no molecule, or link reactions that have no id.
    """

    claims: tuple[Claim, ...]
    unreadable: int


def listed(stated: StatedClaims) -> Listed:
    """Return the claims of a model's list; a reaction with a name of the model's own has no id."""
    claims = [_claim(triple) for triple in stated.triples]
    return Listed(tuple(dict.fromkeys(each for each in claims if each)), claims.count(None))


def same(one: Claim, other: Claim) -> bool:
    """Return whether two claims say the same.

    The model need not repeat which product a reaction without an id makes, as the reader knows it. If the
    reader finds no role of a molecule, any role matches.
    """
    if one.predicate == other.predicate == "YIELD":
        same_product = one.product is None or other.product is None or one.product == other.product
        return same_product and (one.subject, one.object) == (other.subject, other.object)
    if one.predicate not in _OF_A_MOLECULE or other.predicate not in _OF_A_MOLECULE:
        return one == other
    kinds = {one.predicate, other.predicate}
    return (len(kinds) == 1 or "TAKES_PART_IN" in kinds) and _ends(one) == _ends(other)


def in_both(found: Iterable[Claim], claims: Iterable[Claim]) -> tuple[set[int], set[int]]:
    """Return the places of the claims that both lists have: in the first, and in the second."""
    found, claims = list(found), list(claims)
    pairs = [
        (here, there)
        for here, one in enumerate(found)
        for there, other in enumerate(claims)
        if same(one, other)
    ]
    return {here for here, _ in pairs}, {there for _, there in pairs}


def _claim(triple: Triple) -> Claim | None:
    """Return the claim in a triple; of a reaction that has no id, the graph is asked about any."""
    unnamed = [name for name in _PLACES[triple.predicate] if isinstance(getattr(triple, name), str)]
    if unnamed and triple.predicate == "LEADS_TO":
        return None
    read = claim_of({**asdict(triple), **dict.fromkeys(unnamed, 1)})
    if read is None or not unnamed:
        return read
    return replace(read, object=None) if unnamed == ["object"] else replace(read, subject=None)


def _ends(claim: Claim) -> frozenset[tuple[str, object]]:
    return frozenset((type(end).__name__, end) for end in (claim.subject, claim.object))


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

    The verdict is by the claims that the reader finds, and by what the question asks for. Those that the
    model lists itself are looked up and compared, but decide nothing: it could raise its verdict by listing
    much that is true.

    Args:
        stated: What the model lists; None if it listed nothing that could be read.
    """
    found = judge_answer(question, answer, verifier, thresholds)
    if stated is None or stated.malformed:
        return Checked([*_claims(found, frozenset())], _verification(found, None))
    own = listed(stated)
    verified = verifier.verify(own.claims)
    read = [each.claim for each in found.claims if each.claim.origin == "answer"]
    here, there = in_both(read, own.claims)
    shared = frozenset(id(read[place]) for place in here)
    more = [each for place, each in enumerate(verified) if place not in there]
    compared = ListedClaims(
        claims=len(own.claims),
        unreadable=own.unreadable,
        shared=len(there),
        only_model=len(more),
        only_reader=len(read) - len(here),
        support=support_of(verified),
    )
    claims = [*_claims(found, shared), *(_entry(each, MODEL) for each in more)]
    return Checked(claims, _verification(found, compared))


def _claims(found: AnswerVerdict, shared: frozenset[int]) -> Iterator[RecordedClaim]:
    for each in found.claims:
        if each.claim.origin == "question":
            yield _entry(each, QUESTION)
        else:
            yield _entry(each, READER, *([MODEL] if id(each.claim) in shared else []))


def _entry(found: VerifiedClaim, *by: ClaimSource) -> RecordedClaim:
    return convert({**found.to_json(), "by": by}, RecordedClaim)


def _verification(found: AnswerVerdict, listed: ListedClaims | None) -> Verification:
    return Verification(
        verdict=found.verdict,
        support=found.support,
        claims=len(found.claims),
        counts=found.counts,
        shortcomings=list(found.shortcomings),
        thresholds=found.thresholds,
        model=listed,
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

    def __init__(self, index: RunIndex) -> None:
        self._index = index

    def check(self, case_id: str, question: str, written: WrittenAnswer) -> Checked:
        """Return what the record of the case has; raise NotChecked if it has another answer, or none."""
        record = self._index.case(case_id)
        if record is None or record.answer != written.text or record.verification is None:
            raise NotChecked(
                f"{case_id}: the records of {self._index.named} have no verdict on the answer that it gives "
                "now. Run the case once on a graph with --answer, and name that run with --replay too."
            )
        # The judge of this run measures the answer anew.
        return Checked(record.claims or [], structs.replace(record.verification, judge=UNSET))
