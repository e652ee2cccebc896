"""The summary of a run: counts and means over the records."""

from msgspec import UNSET, Struct, UnsetType, field

from retrocypher.plugins.runs.record import JUDGE_STAGE, SCHEMA_VERSION, JsonValue


class AnswerSummary(Struct):
    """Written answers of a run."""

    failed: int = 0
    """Cases whose answer, or verdict on it, is missing."""


class CellSummary(Struct):
    """One group of `cells`; it has the fields of the summary from `cases` to `defined`."""

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
    means: dict[str, float | None] = field(default_factory=dict)
    """Mean of each score."""


class RunSummary(Struct, kw_only=True):
    """Counts and means over the records.

    The groups in `by`, `cells` and `wordings` have the same fields from `cases` to `defined`.
    """

    schema_version: int = SCHEMA_VERSION
    """Version of the format: 1."""
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
    selected_cases: int = 0
    """Cases that pytest selected."""
    lost_cases: list[str] = field(default_factory=list)
    """Crashed cases: selected, without a record."""
    statuses: dict[str, int] = field(default_factory=dict)
    """Number of cases by execution status."""
    errors: JsonValue = None
    """Error labels: `cases`, `passed`, and cases by `primary` label and by `any` label."""
    variations: JsonValue = None
    """Perfect cases (`perfect`), and how many of them differ from the reference in each way."""
    fallback: JsonValue | UnsetType = UNSET
    """Cases with a fallback: `cases`, `with_rows`, `passed`, `reasons`, `means`; and `by_loop`."""
    answers: AnswerSummary | UnsetType = UNSET
    """Written answers: `cases`, `written`, `insufficient`, `empty`, `failed`, `verdicts`, mean `support` over
    the `claiming` ones, and with a judge `judge`."""
    judge: JsonValue | UnsetType = UNSET
    """Judgements: `cases`, `faults` (the judge could not be asked), and by variant `scored`, `mean`,
    `weighted`, `no_score` by kind."""
    means: dict[str, float | None] = field(default_factory=dict)
    """Mean of each score."""
    per_key: JsonValue = None
    """Mean `precision`, `recall` and `f1` of each key, and the `cases` in which they are defined."""
    defined: dict[str, int] = field(default_factory=dict)
    """Number of cases of a mean, if it is not `scored`."""
    infrastructure_errors_by_stage: dict[str, int] = field(default_factory=dict)
    """Number of cases by stage, those of the judge included."""
    exemplars: JsonValue = None
    """By shot, how often each exemplar was shown."""
    unmatched_columns: JsonValue = None
    """`cases` with ignored columns, and the `columns` by name."""
    by: JsonValue = None
    """Groups by `setting`, `task`, `steps`, `model`, `loop`, `prompt_shot`, `phrasing`."""
    cells: list[CellSummary] = field(default_factory=list)
    """Groups by model, loop, prompt, shot and task."""
    wordings: JsonValue = None
    """Groups by model, loop and paraphrase."""
    ledger: JsonValue | UnsetType = UNSET
    """By model and loop, what the loop repaired and broke."""
    gate: JsonValue | UnsetType = UNSET
    """Result of the gate."""

    @property
    def lacks_aside(self) -> bool:
        """Whether judgements or written answers are missing, which a gate may not look at."""
        judged = self.infrastructure_errors_by_stage.get(JUDGE_STAGE)
        return bool(judged or (self.answers and self.answers.failed))
