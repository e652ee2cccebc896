"""A written answer on a record: its claims, the verdict on it, and what a judge measures of it.

The docstring below a field is its documentation; `docs/records.md` is generated from them.
"""

from typing import Literal, get_args

from msgspec import UNSET, Struct, UnsetType, field

from retrocypher.kg.claims.claim import ClaimEvidence, Predicate, Term, Verdict
from retrocypher.kg.ranges import Share, Size

OverallVerdict = Literal["VERIFIED", "PARTIALLY_VERIFIED", "REFUTED", "UNVERIFIABLE"]
ClaimSource = Literal["reader", "question", "model"]

AnswerMetric = Literal["faithfulness", "answer_relevancy"]
ANSWER_METRICS: tuple[AnswerMetric, ...] = get_args(AnswerMetric)
"""What a judge measures of a written answer."""


class RecordedClaim(Struct, kw_only=True):
    """One claim of a written answer, with what the graph says of it."""

    subject: Term
    """What the claim is about: a reaction id, a canonical SMILES, or null for any."""
    predicate: Predicate
    """Relation."""
    object: Term
    """Object: a reaction, a molecule or a number."""
    product: str | UnsetType = UNSET
    """Product that a yield refers to, or product of a reaction that has no id."""
    steps: int | UnsetType = UNSET
    """Number of reactions of a `PRECURSOR_OF`; place in two routes of an `IS`."""
    low: int | float | UnsetType = UNSET
    """Lower end of a yield range."""
    share: bool | UnsetType = UNSET
    """Whether a yield may be a share of 1."""
    negated: bool | UnsetType = UNSET
    """Whether the claim is negated."""
    origin: Literal["answer", "question"] | UnsetType = UNSET
    """`answer` where the answer says it; `question` where it must hold for the answer to fit its question."""
    start: int | UnsetType = UNSET
    """Of earlier runs: offset in the answer of the words it was read from."""
    stop: int | UnsetType = UNSET
    """Of earlier runs: offset after them."""
    role: Predicate | UnsetType = UNSET
    """What a `COUNT` counts, or what `SAME_MOLECULES` and `SHARES` compare."""
    difference: int | float | UnsetType = UNSET
    """Difference in percentage points of a `HIGHER_YIELD`."""
    besides: list[str] | UnsetType = UNSET
    """Molecules that `SAME_MOLECULES` and `SHARES` leave aside."""
    sentence: int | UnsetType = UNSET
    """Number of the sentence of the answer that says it, from 1."""
    verdict: Verdict
    """Whether the graph supports it."""
    reason: str = ""
    """Why."""
    evidence: list[ClaimEvidence] = field(default_factory=list)
    """What the graph has on it."""
    confidence: Share | UnsetType = UNSET
    """Confidence of the least confident fact that the claim rests on; absent if it rests on none, or if the
    graph has no evidence."""
    traced: bool | UnsetType = UNSET
    """Whether the procedure texts state each fact that it rests on; absent if the graph has no evidence."""
    by: list[ClaimSource] = field(default_factory=list)
    """Who found it: `model`, an extractor; `reader`, the rules; `question`, what the question asks for."""


class ExtractedClaims(Struct):
    """What a model lists as the claims of an answer."""

    claims: Size
    """Number of claims that can be read."""
    refused: Size
    """How many are of another form than asked for."""


class JudgeError(Struct):
    """Why a judge gave no score."""

    kind: str
    """Kind of failure, such as `malformed` or `timeout`."""
    message: str
    """What happened."""


class MeasuredAnswer(Struct):
    """What a metric of the judge says of a written answer."""

    score: Share | None
    """Score from 0 to 1; null if there is none."""
    parts: Size = 0
    """Number of claims or statements that the judge found."""
    error: JudgeError | None = None
    """Why there is no score."""


class AnswerJudge(Struct):
    """What the judge measures of a written answer."""

    model: str
    """Label of the judge."""
    faithfulness: MeasuredAnswer | UnsetType = UNSET
    """Share of claims that the rows and passages do not contradict."""
    answer_relevancy: MeasuredAnswer | UnsetType = UNSET
    """Share of statements that are relevant to the question."""


class Thresholds(Struct, frozen=True):
    """Where verdicts on a written answer begin."""

    verified: float = 0.9
    """Minimum share of supported claims of a `VERIFIED` answer."""
    partial: float = 0.7
    """Minimum share of a `PARTIALLY_VERIFIED` one."""
    false_claims: int = 0
    """Maximum number of claims of an answer that is not `REFUTED` that the graph does not hold: unsupported,
    contradicted, or on a molecule it does not know in a reaction that it does, by its id or its product."""
    confidence: float | UnsetType = UNSET
    """Minimum confidence of the facts of a supported claim; absent without `--evidence`."""


class Verification(Struct, kw_only=True):
    """Verdict on a written answer."""

    verdict: OverallVerdict
    """`REFUTED`: a model listed the claims, and a sentence that is read whole makes one that the graph does
    not hold. `PARTIALLY_VERIFIED`: no claim seems false, but a part is not read or does not fit the question.
    `UNVERIFIABLE`: a claim seems false, too little support, or nothing was claimed."""
    support: Share | None
    """Share of supported claims; null without a claim."""
    claims: Size = 0
    """Number of claims."""
    counts: dict[Verdict, int] = field(default_factory=dict)
    """Number of claims by verdict."""
    shortcomings: list[str] = field(default_factory=list)
    """Reasons why the answer is not `VERIFIED` although its claims are supported."""
    thresholds: Thresholds = Thresholds()
    """Where verdicts begin."""
    extractor: ExtractedClaims | UnsetType | None = UNSET
    """The claims as a model lists them; null if the rules read them. Absent in earlier runs."""
    model: dict[str, int | float | None] | UnsetType | None = UNSET
    """Of earlier runs: how the claims that the writer listed compared with those of the rules."""
    judge: AnswerJudge | UnsetType = UNSET
    """With `--judge`: what the judge measures."""
