"""The summary of a run: counts and means over the records.

The docstring below a field is its documentation; `docs/records.md` is generated from them. Each field has a
default, because summaries of earlier versions lack some.
"""

import hashlib
from collections.abc import Iterable

from msgspec import UNSET, Struct, UnsetType, field

from retrocypher.plugins.runs.record import JUDGE_STAGE, SCHEMA_VERSION, JsonValue

VARIATIONS = ("aliases", "with_clause", "edge_written_from_other_side", "clause_order", "property_order")
"""The neutral variations that are counted, as in figure A4 of the reaction Text2Cypher paper."""


class ErrorSummary(Struct):
    """Error labels of some cases, in the order of `labels.yaml`."""

    cases: int = 0
    """Cases with a label."""
    passed: int = 0
    """Those that passed: all their values are right, but not each row."""
    primary: dict[str, int] = field(default_factory=dict)
    """Number of cases by primary label, with its detail."""
    any: dict[str, int] = field(default_factory=dict)
    """Number of cases by label, without details; a case counts once for each of its labels."""
    categories: dict[str, int] | UnsetType = UNSET
    """Number of table cases by CypherBench's error category; absent without one."""


class FallbackSummary(Struct):
    """Cases with a fallback, and the scores of its rows, which are in no other mean."""

    cases: int = 0
    """Cases with a fallback."""
    with_rows: int = 0
    """Those whose fallback returned rows."""
    passed: int = 0
    """Those whose rows would have passed."""
    reasons: dict[str, int] = field(default_factory=dict)
    """Number of cases by the reason for the fallback."""
    means: dict[str, float | None] = field(default_factory=dict)
    """Mean F1, precision and recall of the rows."""
    by_loop: dict[str, "FallbackSummary"] | UnsetType = UNSET
    """The same by loop; for the whole run only."""


class AbstentionSummary(Struct):
    """How well a model tells which questions the graph cannot answer."""

    abstained: int
    """Cases in which it said so."""
    unanswerable: int
    """Cases whose question the graph cannot answer."""
    right: int
    """Cases of both."""
    precision: float | None
    """`right` ÷ `abstained`; null without one."""
    recall: float | None
    """`right` ÷ `unanswerable`; null without one."""


class MeasuredMean(Struct):
    """Mean of what a judge measured of written answers."""

    mean: float | None = None
    """The mean."""
    count: int = 0
    """Number of answers with a score."""


class AnswerMeasurements(Struct):
    """What a judge measured of written answers."""

    answer_relevancy: MeasuredMean | UnsetType = UNSET
    """Whether they answer the question."""
    faithfulness: MeasuredMean | UnsetType = UNSET
    """Whether they follow from their context."""
    without_score: dict[str, int] = field(default_factory=dict)
    """Number of measurements without a score, by what was measured and kind."""


class CitationSummary(Struct):
    """Citations of written answers."""

    answers: int = 0
    """Answers in which citations were asked for."""
    sentences: int = 0
    """Number of their sentences."""
    cited: int = 0
    """Sentences with a citation."""
    citations: int = 0
    """Number of citations."""
    wrong: int = 0
    """Citations of what was not given, or of what names no molecule and no reaction of the sentence."""


class AnswerSummary(Struct):
    """Written answers."""

    cases: int = 0
    """Cases for which an answer was requested."""
    written: int = 0
    """Answers written."""
    insufficient: int = 0
    """Answers that say that the context does not suffice."""
    empty: int = 0
    """Empty answers."""
    failed: int = 0
    """Cases whose answer, or verdict on it, is missing."""
    verdicts: dict[str, int] = field(default_factory=dict)
    """Number of answers by verdict."""
    support: float | None = None
    """Mean share of supported claims over the `claiming` answers."""
    claiming: int = 0
    """Answers with claims."""
    claims: int = 0
    """Claims that the answers make, without those that only their questions require."""
    hallucination_rate: float | None = None
    """Share of these claims that the graph does not hold: `CONTRADICTED` or `UNSUPPORTED`; null without a
    claim."""
    traceable: int = 0
    """Those of these claims that were checked with the evidence of the graph at hand."""
    provenance_completeness: float | None = None
    """Share of the `traceable` claims with evidence down to a text: procedure texts state each fact of the
    graph that the claim rests on. Null without such a claim."""
    citations: CitationSummary | UnsetType = UNSET
    """Citations; absent without a hybrid context."""
    judge: AnswerMeasurements | UnsetType = UNSET
    """What a judge measured; absent without one."""


class VariantSummary(Struct):
    """Judgements in one variant."""

    scored: int = 0
    """Judgements with a score."""
    mean: float | None = None
    """Their mean."""
    weighted: int = 0
    """Those that are means over log-probabilities."""
    no_score: dict[str, int] = field(default_factory=dict)
    """Number of judgements without a score by kind."""


class JudgeSummary(Struct):
    """Judgements of queries."""

    cases: int = 0
    """Judged cases."""
    faults: int = 0
    """Cases whose judge could not be asked."""
    with_reference: VariantSummary = field(default_factory=VariantSummary)
    """Judgements with the reference query shown."""
    without_reference: VariantSummary = field(default_factory=VariantSummary)
    """Judgements without it."""


class KeyMeans(Struct):
    """Means of one key of single-step answers."""

    precision: float | None = None
    """Mean precision."""
    recall: float | None = None
    """Mean recall."""
    f1: float | None = None
    """Mean F1."""
    cases: int = 0
    """Cases in which they are [defined](scores.md#scores-of-each-key)."""


class UnmatchedColumns(Struct):
    """Columns that match no key and are ignored."""

    cases: int = 0
    """Cases with such columns."""
    columns: dict[str, int] = field(default_factory=dict)
    """Number of cases by name of the column."""


class GroupSummary(Struct, kw_only=True):
    """Counts and means of some cases."""

    cases: int = 0
    """Cases with a record."""
    scored: int = 0
    """Cases with scores."""
    passed: int = 0
    """Cases that passed."""
    failed: int = 0
    """Scored cases below the threshold."""
    infrastructure_errors: int = 0
    """Cases without scores, because of an infrastructure error."""
    statuses: dict[str, int] = field(default_factory=dict)
    """Number of cases by execution status."""
    errors: ErrorSummary = field(default_factory=ErrorSummary)
    """Error labels."""
    variations: dict[str, int] = field(default_factory=dict)
    """Perfect cases (`perfect`), and how many of them differ from the reference in each way."""
    fallback: FallbackSummary | UnsetType = UNSET
    """Fallbacks; absent without one."""
    answers: AnswerSummary | UnsetType = UNSET
    """Written answers; absent if none was requested."""
    judge: JudgeSummary | UnsetType = UNSET
    """Judgements; absent without one."""
    abstention: AbstentionSummary | UnsetType = UNSET
    """Which questions cannot be answered, and what the model said; absent where all can be."""
    means: dict[str, float | None] = field(default_factory=dict)
    """Mean of each [score](scores.md)."""
    per_key: dict[str, KeyMeans] = field(default_factory=dict)
    """Means by key of single-step answers."""
    defined: dict[str, int] = field(default_factory=dict)
    """Number of cases of a mean, if it is not `scored`."""


class CellSummary(GroupSummary):
    """The cases of a model, loop, prompt, shot and task."""

    model: str = ""
    """Label of the model."""
    loop: str = ""
    """Name of the loop."""
    prompt: str = ""
    """Name of the prompt."""
    shot: str = ""
    """How the exemplar was chosen."""
    task: str = ""
    """The task."""


class ParaphraseSummary(GroupSummary):
    """The cases of a model, loop and paraphrase."""

    model: str = ""
    """Label of the model."""
    loop: str = ""
    """Name of the loop."""
    phrasing: int = 1
    """Number of the paraphrase, from 1."""


class VariationSummary(Struct):
    """How the outcomes of a model and loop vary ([definitions](compare-and-gate.md#repeats))."""

    over: str = ""
    """What they vary over: `repeat` or `phrasing`."""
    model: str = ""
    """Label of the model."""
    loop: str = ""
    """Name of the loop."""
    count: int = 0
    """Number of repeats or paraphrases of each case."""
    cases: int = 0
    """Cases with a score in all of them."""
    left_out: int = 0
    """Cases without one; they are in none of the figures."""
    pass_at: list[float | None] = field(default_factory=list)
    """pass@k for k from 1 to `count`."""
    pass_all: list[float | None] = field(default_factory=list)
    """pass^k for the same k."""
    changes: float | None = None
    """Share of cases whose outcome changes."""
    f1_sd: float | None = None
    """Standard deviation of mean F1."""


class _Versioned(GroupSummary):
    # Fields that are not by keyword alone come first in JSON.
    schema_version: int = SCHEMA_VERSION
    """Version of the format: 1."""


class RunSummary(_Versioned, kw_only=True):
    """Counts and means of all cases, and of groups of them."""

    infrastructure_errors_by_stage: dict[str, int] = field(default_factory=dict)
    """Number of cases by stage, those of the judge included."""
    exemplars: dict[str, dict[str, int]] = field(default_factory=dict)
    """By shot, how often each exemplar was shown."""
    unmatched_columns: UnmatchedColumns = field(default_factory=UnmatchedColumns)
    """Ignored columns."""
    by: dict[str, dict[str, GroupSummary]] = field(default_factory=dict)
    """Groups by `setting`, `task`, `steps`, `model`, `loop`, `prompt_shot`, `phrasing`, and by `leak`
    (`none`, `as_is`, `one_edit`) where it was measured.

    Those of a suite's table questions also by its slices, such as `template`.
    """
    cells: list[CellSummary] = field(default_factory=list)
    """Groups by model, loop, prompt, shot and task."""
    wordings: list[ParaphraseSummary] = field(default_factory=list)
    """Groups by model, loop and paraphrase."""
    variation: list[VariationSummary] | UnsetType = UNSET
    """How outcomes vary over repeats and paraphrases; absent if there is one of each."""
    cases_sha256: str | UnsetType = UNSET
    """SHA-256 over the sorted case ids; absent in summaries of earlier versions."""
    scores_sha256: str | UnsetType = UNSET
    """SHA-256 over what a gate reads of each record: id, task, setting, steps, scores and judgements."""
    conditions_sha256: str | UnsetType = UNSET
    """SHA-256 over what the manifest names of graph, models, prompts, judge, suite, time limit, encoder and
    threshold."""
    selected_cases: int | UnsetType = UNSET
    """Cases that pytest selected."""
    lost_cases: list[str] | UnsetType = UNSET
    """Crashed cases: selected, without a record."""
    ledger: list[JsonValue] | UnsetType = UNSET
    """By model and loop, what the loop repaired and broke ([errors and loops](errors-and-loops.md))."""
    gate: JsonValue | UnsetType = UNSET
    """Result of the [gate](compare-and-gate.md#fields-of-the-gate)."""

    @property
    def lacks_aside(self) -> bool:
        """Whether judgements or written answers are missing, which a gate may not look at."""
        judged = self.infrastructure_errors_by_stage.get(JUDGE_STAGE)
        return bool(judged or (self.answers and self.answers.failed))


def sorted_sha256(texts: Iterable[str]) -> str:
    """Return a hash over texts, whatever their order."""
    text = "\n".join(sorted(texts))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
