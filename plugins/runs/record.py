"""The record of a case: one line of `records.jsonl`, with all that is needed to score the case again.

The docstring below a field is its documentation; `docs/records.md` is generated from them. Fields that
every record has are required. Fields that later versions added have a default.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from retrocypher.kg.execution.execution import Execution, Status
from retrocypher.kg.questions.question import UNANSWERABLE, Setting
from retrocypher.kg.ranges import Amount, Number, Share, Size
from retrocypher.plugins.runs.written_answer import JudgeError, RecordedClaim, Verification
from retrocypher.prompts.answering.roles import Citations

SCHEMA_VERSION = 1

JsonValue = Any
"""Any JSON value, for fields whose content is not fixed."""

Variant = Literal["with_reference", "without_reference"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)

Stage = Literal["model", "graph", "judge", "harness"]

NO_LOOP = "none"
ABSTAINED = "The model says that the graph cannot answer the question."
"""Message of the execution of a case whose model abstained, with the status ``no_query``."""
GENERATOR = "generator"
JUDGE_STAGE: Stage = "judge"
"""Stage of an infrastructure error of the judge. The case is already scored then."""
JUDGE_KAPPA = 0.6
"""Minimum lower confidence bound of kappa; 0.61 begins *substantial* agreement (Landis & Koch 1977)."""
_OF_ANSWER = "answer:"
_OF_JUDGE = f"{_OF_ANSWER}judge:"


class InfrastructureError(Struct):
    """Why a case could not be run or judged."""

    stage: Stage
    """What failed. With `judge` the case has its scores; `harness` is in reports only, for a case that
    crashed or whose record has no score."""
    kind: str
    """Kind of failure, such as `not_cached` or `NotRecorded`."""
    message: str
    """What happened."""


NO_SCORE = InfrastructureError(
    "harness", "no_score", "the record has neither a score nor an infrastructure error; run the case again"
)
"""The error of a record without a score that names none itself."""


class Tokens(Struct):
    """Counts of tokens."""

    prompt: Size = 0
    """Tokens of the prompts."""
    completion: Size = 0
    """Tokens of the completions."""

    def add(self, other: "Tokens") -> None:
        """Add the counts of another completion."""
        self.prompt += other.prompt
        self.completion += other.completion


class KeyScore(Struct):
    """How well one key of the gold answer was returned."""

    precision: Share | None
    """Precision; null where both sides are empty."""
    recall: Share | None
    """Recall; null where both sides are empty."""
    f1: Share | None
    """F1; null where both sides are empty."""
    tp: Size
    """Values in both."""
    fp: Size
    """Values returned that the gold answer lacks."""
    fn: Size
    """Values of the gold answer that were not returned."""
    stage: str | None
    """The least certain stage that matched a column to the key; null without a column."""
    columns: dict[str, str]
    """Columns of this key, each with the stage that matched it."""

    def __post_init__(self) -> None:
        """Refuse scores of which some are null and others are not."""
        if len({each is None for each in (self.precision, self.recall, self.f1)}) > 1:
            raise ValueError("precision, recall and f1 must all be numbers, or all be null")


class Scores(Struct, kw_only=True):
    """The scores of a case; null where one is not defined."""

    precision: Share | None = None
    """Precision. Single-step: pooled over the keys of the gold answer. Multi-step: over routes."""
    recall: Share | None = None
    """Recall, computed like `precision`."""
    f1: Share
    """F1, computed like `precision`. A case passes by this score."""
    per_key: dict[str, KeyScore] | None = None
    """Scores of each key of a single-step question."""
    focus_f1: Share | None = None
    """F1 of the key that the question asks for."""
    row_f1: Share | None = None
    """F1 over whole reactions."""
    unmatched_columns: list[str] | None = None
    """Columns that match no key and are ignored."""
    exact_path_precision: Share | None = None
    """Share of returned routes that are gold routes."""
    exact_path_recall: Share | None = None
    """Share of gold routes that were returned."""
    exact_path_f1: Share | None = None
    """F1 of routes."""
    partial_path_recall: Share | None = None
    """Mean share of a gold route that its longest common suffix with a returned route makes up."""
    bleu: Share | None = None
    """BLEU of the query text against the reference query."""
    meteor: Share | None = None
    """METEOR of the query text."""
    rouge_l: Share | None = None
    """ROUGE-L of the query text."""
    ex: Share | UnsetType | None = UNSET
    """Execution accuracy, 0 or 1; absent without `--metrics ex`, null where it is not defined."""
    psjs: Share | UnsetType | None = UNSET
    """Provenance subgraph Jaccard similarity; absent without `--metrics psjs`, null where not defined."""
    executable: Share | UnsetType | None = UNSET
    """1 if the query ran to its end, else 0; absent without `--metrics executable`."""

    @property
    def is_perfect(self) -> bool:
        """Whether a result is right value by value and, where that is defined, reaction by reaction."""
        return self.f1 == 1.0 and self.row_f1 in (None, 1.0)

    def value(self, metric: str) -> float | None:
        """Return the score of one of `SCORE_METRICS` or `KEY_METRICS`."""
        scores: Scores | KeyScore | None = self
        if metric in KEY_METRICS:
            metric, key = KEY_METRICS[metric]
            scores = (self.per_key or {}).get(key)
        found: float | UnsetType | None = getattr(scores, metric, None)
        return None if found is UNSET else found


SCORE_METRICS = (
    "f1",
    "precision",
    "recall",
    "focus_f1",
    "row_f1",
    "exact_path_f1",
    "exact_path_precision",
    "exact_path_recall",
    "partial_path_recall",
    "bleu",
    "meteor",
    "rouge_l",
    "ex",
    "psjs",
    "executable",
)
"""Names of the scores of a case that are numbers."""

MORE_METRICS = ("ex", "psjs", "executable")
"""Those that are measured on request (``--metrics``)."""

HEADLINE = "f1"
"""The one that decides whether a case passes, unless a suite has another."""

RETRIEVAL_METRICS = ("precision", "recall", "f1")
"""Those that the tables of means show."""

SCORED_KEYS = ("reactants", "products", "agents", "solvents", "target_yield", "co_products")
"""The keys of single-step gold answers that are scored."""

KEY_METRICS = {f"{metric}[{key}]": (metric, key) for metric in RETRIEVAL_METRICS for key in SCORED_KEYS}
"""The scores of single keys by name, such as ``f1[agents]``, each with its metric and key."""


class ResultScores(Struct):
    """Scores of the rows that a fallback returned."""

    f1: Share
    """F1 of the rows."""
    precision: Share
    """Precision of the rows."""
    recall: Share
    """Recall of the rows."""
    row_f1: Share | None
    """F1 over whole reactions."""
    focus_f1: Share | None
    """F1 of the key that the question asks for."""


class RoundResult(Struct):
    """The score of one query of a loop.

    It is computed once for each distinct query after the loop has ended. That of the first round is the score
    of the first completion alone.
    """

    status: Status
    """Status of the execution."""
    f1: Share
    """F1 of the query."""
    precision: Share
    """Precision of the query."""
    recall: Share
    """Recall of the query."""
    row_f1: Share | None
    """F1 over whole reactions."""
    focus_f1: Share | None
    """F1 of the key that the question asks for."""
    passed: bool
    """Whether F1 reached `--case-threshold`, and focus F1 or row F1 where ids count."""
    errors: list[str]
    """Error labels, the primary one first."""


class Fallback(Struct, kw_only=True):
    """Rows that the loop `guarded` looked up for the molecules of the question.

    They never count as rows of the query. With `--answer`, the answer is written from them.
    """

    reason: str
    """Why the fallback was used."""
    entities: list[JsonValue] = field(default_factory=list)
    """Molecules named in the question: the `text`, and the `names` looked up for it."""
    resolved: list[str] = field(default_factory=list)
    """Names that the graph knows."""
    hops: Size = 0
    """How many relationships away from these molecules the farthest ones may be (`--fallback-hops`)."""
    cypher: str | None = None
    """The query of the fallback; null if the graph knows no molecule of the question."""
    status: Status
    """How it ended."""
    message: str | None = None
    """The server's message, or the reason."""
    columns: list[str] = field(default_factory=list)
    """Names of the columns."""
    rows: list[JsonValue] = field(default_factory=list)
    """Values in column order, one list a row."""
    row_count: Size = 0
    """Number of rows."""
    truncated: bool = False
    """Whether a cap cut the result."""
    time_s: Amount = 0.0
    """Seconds of the deciding attempt."""
    scores: ResultScores
    """Scores of these rows."""
    passed: bool = False
    """Whether these rows would have passed."""


class RecordedExecution(Execution, frozen=True):
    """Result of running the query of a case."""

    fallback: Fallback | UnsetType = UNSET
    """With the loop `guarded`: what was returned instead of an empty result."""


class Round(Struct):
    """One completion, or one other step of a loop or of writing an answer."""

    role: str
    """Who acted.

    `generator` for the first completion. In loops: `explain`, `direction`, `validator:schema`,
    `validator:checklist`, `corrector`, `analyst`, `reviewer`, `executor`, `guard`, `fallback`, `harness`, or
    a name chosen by a loop of your own. For written answers: `answer:text`, `answer:claims`, `answer:check`,
    `answer:judge:faithfulness`, `answer:judge:answer_relevancy`.
    """
    messages_sha256: str | None
    """Key into `messages.jsonl`; null if no model was asked."""
    answer: str
    """The completion as received; empty if no model was asked."""
    cypher: str | None
    """The query proposed, or the query examined."""
    verdict: str | None = None
    """Result of the step, in a word; null for the first completion."""
    findings: list[JsonValue] = field(default_factory=list)
    """Further details of the step.

    What the model reported beside its completion (such as a finish reason); issues (`label`, `message`,
    `start`, `stop`); `edit` (changes, each with `was` and `is`); `detail` (why a proposal was rejected);
    `result` (a RoundResult).
    """
    time_s: Amount = 0.0
    """Seconds of the call, or of the step."""
    tokens: Tokens | None = None
    """Its tokens, if reported."""
    cost: Amount | None = None
    """Cost of these tokens in USD at the list price; null if tokens or price are unknown, or if `cached`."""
    cached: bool = False
    """Whether the completion was reused, at no cost to this case.

    It was made once for the run, or comes from the cache. `tokens` and `time_s` are then those of the
    original call.
    """

    @property
    def asked_model(self) -> bool:
        """Whether a model that reads messages was asked, now or when its completion was first had.

        Such a call takes time. Models that look at the question alone take none; of a text made once for the
        run neither tokens nor time are recorded.
        """
        return self.messages_sha256 is not None and self.time_s > 0

    @property
    def token_count(self) -> int:
        """The number of its tokens; 0 if they were not reported."""
        return self.tokens.prompt + self.tokens.completion if self.tokens else 0

    @property
    def of_answer(self) -> bool:
        """Whether the round belongs to the written answer, and not to the query."""
        return self.role.startswith(_OF_ANSWER)

    @property
    def of_judge(self) -> bool:
        """Whether it is a call of the judge that measures the written answer."""
        return self.role.startswith(_OF_JUDGE)

    @property
    def result(self) -> RoundResult | None:
        """The score of its query; None where it has none of its own."""
        for finding in self.findings:
            if isinstance(finding, dict) and "result" in finding:
                return msgspec.convert(finding["result"], RoundResult)
        return None


class GraphCall(Struct):
    """One call of the graph in a case with a loop."""

    call: Literal["run", "explain"]
    """What was asked."""
    cypher: str
    """The query."""
    timeout_s: float | None
    """Timeout set by the loop."""
    row_limit: int | None
    """Row limit set by the loop."""
    result: Execution | Literal["execution", "fallback"]
    """The result, or the name of the field of the record that already holds it."""


_JUDGE_MISTAKES = frozenset({"malformed", "out_of_scale", "no_answer"})
"""Errors in the judge's reply: asking again would give the same reply. All other kinds are errors of the
harness or the API."""


class Judgement(Struct):
    """One rating of a query by a judge."""

    model: str
    """Label of the judge."""
    variant: Variant
    """Whether the reference query was shown."""
    score: Share | None
    """Score from 0 to 1; null if the judge gave none."""
    weighted: bool
    """Whether the score is a mean over the possible numbers by their log-probabilities; otherwise it is the
    number stated."""
    reason: str
    """The judge's reason; empty without a score."""
    error: JudgeError | None
    """Why there is no score."""
    tokens: Tokens | None
    """Its tokens, if reported."""
    cost: Amount | None
    """Cost in USD; null if unknown or cached."""
    time_s: Amount
    """Seconds of the call."""
    cached: bool
    """Whether the completion existed before."""
    criteria: str
    """SHA-256 of the criteria."""
    rating: int | float | None = None
    """The number stated, on the scale of the criteria."""
    asked_sha256: str = ""
    """Hash of what the judge was asked."""
    details: dict[str, JsonValue] = field(default_factory=dict)
    """What the judge's model reported beside its completion, without log-probabilities."""

    def __post_init__(self) -> None:
        """Refuse a judgement with neither a score nor an error, or with both."""
        if (self.score is None) == (self.error is None):
            raise ValueError("there must be a score, or an error with kind and message")

    @property
    def is_fault(self) -> bool:
        """Whether the judge could not be asked, so that asking again may help."""
        return self.error is not None and self.error.kind not in _JUDGE_MISTAKES


class JudgeRatings(Struct):
    """Ratings of a query by a judge."""

    model: str
    """Label of the judge."""
    criteria: str
    """SHA-256 of the criteria."""
    with_reference: Judgement | None = None
    """Rating with the reference query shown."""
    without_reference: Judgement | None = None
    """Rating without it."""

    @property
    def judgements(self) -> dict[Variant, Judgement]:
        """The ratings there are, by variant."""
        found = {variant: self.judgement(variant) for variant in VARIANTS}
        return {variant: each for variant, each in found.items() if each is not None}

    def judgement(self, variant: Variant) -> Judgement | None:
        """Return the rating of a variant."""
        return self.with_reference if variant == "with_reference" else self.without_reference


class FailureReasons(Struct):
    """What there is to say of a failed case."""

    finding: str | UnsetType = UNSET
    """What the text of the query shows of the primary label."""
    focus: str | UnsetType = UNSET
    """That the requested key alone is right, or that all values are right and ids or rows are not."""
    loop: str | UnsetType = UNSET
    """What the loop did."""

    @property
    def texts(self) -> dict[str, str]:
        """The reasons there are, by name."""
        return fields_of(self)


LeakKind = Literal["none", "as_is", "one_edit", "unknown"]


class Leak(Struct, frozen=True):
    """What the exemplar of a case scores in place of a completion, filled with the question's molecules."""

    as_is: Share
    """F1 of its query as it is; 0 if the question lacks a molecule for it."""
    edited: Share
    """The best F1 with at most one mechanical edit: two ends exchanged, or one arrow."""
    edit: str | None
    """The edit that reaches `edited`; null if none is better than the query as it is."""

    @property
    def kind(self) -> LeakKind:
        """Whether it is right as it is, with one edit, or not at all."""
        if self.as_is == 1.0:
            return "as_is"
        return "one_edit" if self.edited == 1.0 else "none"


class Explanation(Struct):
    """What is wrong with a case, for a person to read; at most 20,000 characters of difference."""

    difference: list[str] = field(default_factory=list)
    """Lines: `-` for what is missing from the result, `+` for what is extra. Empty if the result is right."""
    why: FailureReasons = field(default_factory=FailureReasons)
    """Why the case failed; empty if it passed."""


class Record(Struct, kw_only=True):
    """One case. Written as the case ends, one JSON object a line."""

    schema_version: int = SCHEMA_VERSION
    """Version of the record format: 1."""
    case_id: str
    """Question, prompt, shot, loop and model, joined by dashes: the id that pytest shows."""
    question_id: str
    """Id of the question."""
    task: str
    """Task of the question."""
    setting: Setting
    """Setting of the task."""
    steps: Number
    """Number of reaction steps; 1 for single-step and table questions."""
    slices: dict[str, str] | UnsetType = UNSET
    """More groups of a table question by name, such as `template`; absent for questions about reactions."""
    prompt: str
    """Name of the prompt."""
    shot: str
    """How the exemplar was chosen: `ZS`, `1S-S`, `1S-D-R`, `1S-D-S`."""
    loop: str
    """Name of the loop, or `none`."""
    model: str
    """Label of the model."""
    exemplar_id: str | None = None
    """The exemplar shown; null with `ZS`."""
    leak: Leak | UnsetType | None = UNSET
    """Whether [the exemplar gives the answer away](prompts.md#which-exemplars-give-the-answer-away).

    Null without an exemplar, and for questions of a suite and those that the graph cannot answer; absent if
    not measured, as in records of earlier versions.
    """
    question: str = ""
    """The question as asked."""
    reference_cypher: str = ""
    """The reference query; empty if the graph cannot answer the question."""
    phrasing: Number = 1
    """Number of the paraphrase asked, from 1 (`--phrasing`)."""
    repeat: Number = 1
    """How many times the case has been asked with this one (`--repeat`)."""
    rounds: list[Round]
    """One entry for each completion and each other step of a loop."""
    cypher: str | None
    """The query that was scored; null if the completion contained none.

    A completion of comments only is kept and has the status `no_query`.
    """
    execution: RecordedExecution | None
    """Result of running `cypher`; null if the graph could not be asked."""
    graph_calls: list[GraphCall] = field(default_factory=list)
    """For a case with a loop, every call of the graph; empty without a loop. Replays use it."""
    scores: Scores | None
    """The scores; null if an infrastructure error of `model` or `graph` prevented them.

    A record that has neither counts as one with an infrastructure error, so its run is incomplete.
    """
    errors: list[str]
    """Error labels, the primary one first; empty if nothing is wrong."""
    error_category: str | UnsetType = UNSET
    """CypherBench's error category of a table case with labels."""
    judge: JudgeRatings | None = None
    """Ratings of the query by a judge; null without one."""
    answer: str | None = None
    """The written answer, without the model's thoughts.

    Empty if the model wrote nothing, null if none was requested or the model could not be asked.
    """
    claims: list[RecordedClaim] | None = None
    """Claims of the written answer with their verdicts; null if there is nothing to check."""
    verification: Verification | None = None
    """Verdict on the written answer; null if there is nothing to check."""
    citations: Citations | UnsetType = UNSET
    """What the written answer cites; absent unless it was written from a hybrid context."""
    infrastructure_error: InfrastructureError | None
    """Why the case could not be run or judged; null if nothing went wrong."""
    passed: bool
    """Whether F1 reached `--case-threshold`, and focus F1 or row F1 where ids count.

    For a table question: whether the suite's headline metric reached it.
    """
    explanation: Explanation | UnsetType = UNSET
    """What is wrong with the case; absent if nothing is, and in records of earlier versions."""

    @property
    def leak_kind(self) -> LeakKind:
        """Whether the exemplar gives the answer away: as it is, with one edit, or not; or not measured."""
        if self.leak is UNSET:
            return "unknown"
        return "none" if self.leak is None else self.leak.kind

    @property
    def numbers(self) -> dict[str, float]:
        """The scores that are numbers, by name; empty without scores."""
        if self.scores is None:
            return {}
        names = (name for name in self.scores.__struct_fields__ if name in SCORE_METRICS)
        values = ((name, self.scores.value(name)) for name in names)
        return {name: value for name, value in values if value is not None}

    @property
    def is_answerable(self) -> bool:
        """Whether the graph can answer the question."""
        return bool(self.reference_cypher) or (self.setting != "table" and self.task != UNANSWERABLE)

    @property
    def abstained(self) -> bool:
        """Whether the model said that the graph cannot answer the question."""
        return self.execution is not None and self.execution.message == ABSTAINED

    @property
    def fault(self) -> InfrastructureError | None:
        """Why the case has no scores that count; None if it has."""
        error = self.infrastructure_error
        if error is not None and error.stage != JUDGE_STAGE:
            return error
        return NO_SCORE if self.scores is None else None

    @property
    def was_run(self) -> bool:
        """Whether the case was asked, executed and scored, even where a judge could then not be asked."""
        return self.fault is None

    @property
    def answer_fault(self) -> InfrastructureError | None:
        """Why a written answer, its claims or its verdict are missing; None where nothing failed."""
        for turn in self.rounds:
            if turn.of_answer and turn.verdict == "error":
                return msgspec.convert(turn.findings[-1]["error"], InfrastructureError)
        return None

    @property
    def is_whole(self) -> bool:
        """Whether the case has all that was asked for: scores, and an answer where one was to be written."""
        return self.was_run and self.infrastructure_error is None and self.answer_fault is None


def record_from(value: Mapping[str, JsonValue]) -> Record:
    """Return the record in the JSON object of a line; raise msgspec.ValidationError if it is damaged."""
    return msgspec.convert(value, Record)


def fields_of(part: Any) -> dict[str, JsonValue]:
    """Return the fields of a struct or dataclass that are set, not copied; raise TypeError for others."""
    names = part.__struct_fields__ if isinstance(part, Struct) else [each.name for each in fields(part)]
    values = ((name, getattr(part, name)) for name in names)
    return {name: value for name, value in values if value is not UNSET}
