"""Reads runs for the figures and tables of a paper, in one pass over their records."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, get_args

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question, Setting
from retrocypher.plugins.analysis.comparison import differences, require_comparable
from retrocypher.plugins.analysis.ledger import pair_of
from retrocypher.plugins.analysis.model_results import ModelResults
from retrocypher.plugins.analysis.run_scores import RunScores, conditions_of, gold_digest
from retrocypher.plugins.analysis.scores import ScoreTable, natural_order
from retrocypher.plugins.analysis.summary import listed_first
from retrocypher.plugins.judge.agreement import Rating, ratings_of
from retrocypher.plugins.runs.files import QUESTIONS
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import Manifest, ModelEntry
from retrocypher.plugins.runs.record import NO_LOOP, JsonValue, Record
from retrocypher.plugins.runs.summary import VARIATIONS
from retrocypher.plugins.scoring.variations import of_perfect
from retrocypher.plugins.statistics.means import Ratio, Ratios
from retrocypher.prompts.templates.exemplars import SHOTS

STUDY_METRICS = (
    "f1",
    "precision",
    "recall",
    "bleu",
    "meteor",
    "rouge_l",
    "exact_path_precision",
    "exact_path_recall",
    "exact_path_f1",
    "partial_path_recall",
)
"""The scores that the figures show."""


WordsOf = Callable[[Mapping[str, JsonValue]], list[str]]
"""Returns the words of a command line that give the options of a manifest again."""


class StudyCell(NamedTuple):
    """What some cases have in common."""

    model: str
    loop: str
    setting: str
    prompt: str
    shot: str


class QuestionGroup(NamedTuple):
    """Questions that figure 1 of the reaction paper counts together."""

    task: str
    part: str
    """Number of products or role that is asked for; empty where the figure does not divide a task."""


class Query(NamedTuple):
    """How a query did."""

    ran: bool
    label: str
    """Primary error label with its detail; empty if nothing is wrong."""

    @property
    def is_wrong(self) -> bool:
        """Whether it ran and is wrong."""
        return self.ran and bool(self.label)


class StudyCase(NamedTuple):
    """What figures count of a case."""

    cluster: str
    question_id: str
    task: str
    before: Query | None
    """The first query; None where it was not scored, as without a loop."""
    after: Query
    """The query that counts."""
    flags: tuple[bool, ...]
    """Of each validator that checked the first query, whether it flagged it at its first look."""
    variations: list[str] | None
    """How the query differs from the reference; None where its result is not right."""


class ErrorRates(NamedTuple):
    """The errors of some queries, as figures 4 and A2 count them."""

    queries: int
    labels: Counter[str]
    """The wrong queries that ran, by primary label with its detail."""
    rates: dict[str, Ratio]
    """By `ERROR_RATES`."""


ERROR_RATES = (
    "invalid_query_rate",
    "retrieval_error_rate",
    "non_detected_error_rate",
    "non_corrected_error_rate",
    "error_coverage",
)
"""Rates of errors; those that were not detected or corrected are known after a loop with a validator."""


class ColumnVariant(NamedTuple):
    """A column that was matched to a gold key."""

    key: str
    stage: str
    column: str


@dataclass(slots=True)
class Study:
    """What the runs of a study hold."""

    logs: Sequence[RunLog]
    differing: Sequence[str]
    """Conditions in which the runs differ, and which do not make them incomparable, in words."""
    words_of: WordsOf
    table: ScoreTable = field(init=False)
    models: dict[str, ModelEntry] = field(default_factory=dict)
    """By label, in the order of the runs."""
    cells: dict[StudyCell, list[StudyCase]] = field(default_factory=dict)
    questions: dict[QuestionGroup, set[str]] = field(default_factory=dict)
    """Ids of the questions."""
    columns: dict[str, Counter[ColumnVariant]] = field(default_factory=dict)
    """By model, how often each column was matched to a key."""
    results: ModelResults = field(default_factory=ModelResults)
    """Models and loops with their costs."""
    ratings: list[Rating] = field(default_factory=list)

    def logs_of(self, model: str) -> list[RunLog]:
        """Return the runs of a model."""
        return [log for log in self.logs if log.manifest.model(model) is not None]

    def of(
        self, model: str, loop: str | None = None, setting: str | None = None
    ) -> dict[StudyCell, list[StudyCase]]:
        """Return the cases of a model by cell, in the order of prompts and shots."""
        return {
            cell: cases
            for cell, cases in self.cells.items()
            if cell.model == model and loop in (None, cell.loop) and setting in (None, cell.setting)
        }


def read_study(paths: Iterable[Path], words_of: WordsOf) -> Study:
    """Read runs.

    One that is named twice is read once. Raises InputError if one cannot be read, shares a case with another,
    or has another graph or other questions.
    """
    logs = list({path.resolve(): RunLog(path) for path in paths}.values())
    for log in logs:
        # So that a folder that is no run is named before minutes of reading.
        next(log.records(), None)
    study = Study(logs, _differing(logs), words_of)
    clusters = {name: of for log in logs if questions_of(log) for name, of in log.clusters.items()}
    study.table = ScoreTable(_counted(study, clusters), clusters, STUDY_METRICS)
    if not len(study.table):
        raise InputError(f"{', '.join(map(str, logs))}: no scored case on record; run some first")
    models = list(study.models)
    study.cells = dict(sorted(study.cells.items(), key=lambda item: _place(item[0], models)))
    return study


def _counted(study: Study, clusters: Mapping[str, str]) -> Iterator[Record]:
    """Yield the records of a study that were run, all but their scores counted in it."""
    seen: dict[str, RunLog] = {}
    for log in study.logs:
        questions = questions_of(log)
        for record in log.records():
            if other := seen.get(record.case_id):
                raise InputError(
                    f"{other} and {log} both have the case {record.case_id}, and a study needs each "
                    "case once; name only one of them"
                )
            seen[record.case_id] = log
            study.models.setdefault(
                record.model, log.manifest.model(record.model) or ModelEntry(record.model)
            )
            group = _group(record.task, questions.get(record.question_id))
            study.questions.setdefault(group, set()).add(record.question_id)
            if not record.was_run:
                continue
            cell = StudyCell(record.model, record.loop, record.setting, record.prompt, record.shot)
            cluster = clusters.get(record.question_id, record.question_id)
            study.cells.setdefault(cell, []).append(_case(record, cluster))
            study.results.add(record, cluster, log.manifest)
            study.ratings.extend(ratings_of(record, clusters))
            matched = study.columns.setdefault(record.model, Counter())
            for key, score in ((record.scores and record.scores.per_key) or {}).items():
                matched.update(ColumnVariant(key, stage, name) for name, stage in score.columns.items())
            yield record


def questions_of(log: RunLog) -> dict[str, Question]:
    """Return the questions of a run by id; none if it has no file of them."""
    return log.questions if (log.path / QUESTIONS).is_file() else {}


def _group(task: str, question: Question | None) -> QuestionGroup:
    slots = question.slots if question is not None else {}
    products = slots.get("products", ())
    return QuestionGroup(task, f"n = {len(products)}" if products else str(slots.get("role", "")))


def _differing(logs: Sequence[RunLog]) -> list[str]:
    """Return in what runs differ; raise InputError if that makes them incomparable."""
    first, *others = (
        RunScores(
            name=str(log),
            conditions=conditions_of(log.manifest),
            manifest=log.manifest,
            golds={name: gold_digest(each) for name, each in questions_of(log).items()},
        )
        for log in logs
    )
    for other in others:
        remedy = "Name runs of one question set and graph, made with the same limits."
        require_comparable(first, other, differences(first, other), remedy)
    values: dict[str, dict[str, list[str]]] = {}
    for log in logs:
        for name, value in _conditions(log.manifest).items():
            values.setdefault(name, {}).setdefault(value, []).append(str(log))
    return [
        f"{name}: " + "; ".join(f"{value} in {', '.join(runs)}" for value, runs in of.items())
        for name, of in values.items()
        # Each prompt of another set is another one.
        if len(of) > 1 and not (name.startswith("prompt P") and len(values.get("prompt set", ())) > 1)
    ]


def _conditions(manifest: Manifest) -> dict[str, str]:
    """Return what runs of a study should share, by name."""
    conditions = conditions_of(manifest)
    shared = {name: value for name, value in conditions.varied.items() if name.startswith(("prompt ", "--"))}
    banks = {f"exemplars, {setting}": key[:12] for setting, key in manifest.exemplars.items()}
    split = manifest.known_options.split or "all questions"
    named = {"question set": manifest.questions.set_sha256[:12], "--split": split}
    return {**shared, **banks, **named, "--case-threshold": conditions.threshold}


def _place(cell: StudyCell, models: Sequence[str]) -> tuple[object, ...]:
    loops = (cell.loop != NO_LOOP, cell.loop)
    setting, shot = listed_first(cell.setting, get_args(Setting)), listed_first(cell.shot, SHOTS)
    return (models.index(cell.model), loops, setting, shot, natural_order(cell.prompt))


def _case(record: Record, cluster: str) -> StudyCase:
    ran = record.execution is not None and record.execution.status == "ok"
    pair = pair_of(record, cluster)
    return StudyCase(
        cluster,
        record.question_id,
        record.task,
        None if pair is None else Query(pair.ran_before, pair.label or ""),
        Query(ran, record.errors[0] if record.errors else ""),
        () if pair is None else tuple(check.flagged for check in pair.checks),
        of_perfect(record) if record.loop == NO_LOOP else None,
    )


def rates_of(
    cases: Sequence[StudyCase], covered: Callable[[str], bool] = bool
) -> tuple[ErrorRates | None, ErrorRates]:
    """Return the rates of the first queries, None without a loop, and of the queries that count.

    Args:
        covered: Whether an error label counts as covered.
    """
    before = [(case.cluster, case.before) for case in cases if case.before is not None]
    after = _rates([(case.cluster, case.after) for case in cases], covered)
    after.rates.update(_detection(cases))
    return _rates(before, covered) if before else None, after


def _rates(cases: Sequence[tuple[str, Query]], covered: Callable[[str], bool]) -> ErrorRates:
    queries = [query for _, query in cases]
    ratios = Ratios([cluster for cluster, _ in cases])
    ran, wrong = [query.ran for query in queries], [query.is_wrong for query in queries]
    rates = {
        "invalid_query_rate": ratios.rate([not each for each in ran], [True] * len(ran)),
        "retrieval_error_rate": ratios.rate(wrong, ran),
        "error_coverage": ratios.rate([query.is_wrong and covered(query.label) for query in queries], wrong),
    }
    return ErrorRates(len(queries), Counter(query.label for query in queries if query.is_wrong), rates)


def _detection(cases: Sequence[StudyCase]) -> dict[str, Ratio]:
    """Return what became of first queries that ran and were wrong; nothing where no validator checked one."""
    if not any(case.flags for case in cases):
        return {}
    wrong = [case.before is not None and case.before.is_wrong for case in cases]
    left = [was and bool(case.after.label) for was, case in zip(wrong, cases, strict=True)]
    missed = [was and not any(case.flags) for was, case in zip(left, cases, strict=True)]
    ratios = Ratios([case.cluster for case in cases])
    return {
        "non_detected_error_rate": ratios.rate(missed, wrong),
        "non_corrected_error_rate": ratios.rate(left, wrong),
    }


def variation_rates(cases: Sequence[StudyCase]) -> dict[str, Ratio]:
    """Return the share of right queries with each of `VARIATIONS`."""
    ratios = Ratios([case.cluster for case in cases])
    right = [case.variations is not None for case in cases]
    return {
        name: ratios.rate([name in (case.variations or ()) for case in cases], right) for name in VARIATIONS
    }
