"""Reads runs for the figures and tables of a paper, in one pass over their records."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import name_of
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.analysis.comparison import differences, require_comparable
from retrocypher.plugins.analysis.ledger import Pair, first_result, pair_of
from retrocypher.plugins.analysis.model_results import ModelResult, ModelResults
from retrocypher.plugins.analysis.run_scores import RunScores, conditions_of, gold_digest
from retrocypher.plugins.analysis.scores import ScoreTable
from retrocypher.plugins.analysis.summary import listed_first
from retrocypher.plugins.judge.agreement import Rating, ratings_of
from retrocypher.plugins.runs.files import QUESTIONS
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import Manifest, ModelEntry
from retrocypher.plugins.runs.record import NO_LOOP, JsonValue, Record
from retrocypher.plugins.runs.summary import VARIATIONS
from retrocypher.plugins.scoring.variations import of_perfect
from retrocypher.plugins.statistics.means import Ratio, Ratios

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
    label: str | None
    """Primary error label with its detail; None if nothing is wrong."""


@dataclass(slots=True)
class CellCases:
    """The cases of a cell, in columns."""

    clusters: list[str] = field(default_factory=list)
    before: list[Query | None] = field(default_factory=list)
    """The first query of each case; None where it was not scored, as without a loop."""
    after: list[Query] = field(default_factory=list)
    """The query that counts."""
    questions: dict[str, str] = field(default_factory=dict)
    """The task of each question, by question id."""
    pairs: list[Pair | None] = field(default_factory=list)
    """What a loop did; None without one."""
    variations: list[list[str] | None] = field(default_factory=list)
    """How the query differs from the reference; None where its result is not right."""


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """The errors of some queries, as figures 4 and A2 count them."""

    queries: int
    invalid_query_rate: Ratio
    """Share of queries that did not run to their end."""
    retrieval_error_rate: Ratio
    """Share of wrong queries among those that ran."""
    error_coverage: Ratio
    """Share of these wrong queries with a label other than `other`."""
    labels: Counter[str]
    """The wrong queries that ran, by primary label with its detail."""


@dataclass(frozen=True, slots=True)
class Detection:
    """What became of the first queries that ran and were wrong."""

    non_detected_error_rate: Ratio
    """Share that no validator flagged at its first look, and that stayed wrong."""
    non_corrected_error_rate: Ratio
    """Share that stayed wrong."""


class ColumnVariant(NamedTuple):
    """A column that was matched to a gold key."""

    key: str
    stage: str
    column: str


@dataclass(frozen=True, slots=True)
class Study:
    """What the runs of a study hold."""

    logs: Sequence[RunLog]
    models: Mapping[str, ModelEntry]
    """By label, in the order of the runs."""
    table: ScoreTable
    cells: Mapping[StudyCell, CellCases]
    questions: Mapping[QuestionGroup, int]
    """Number of questions."""
    columns: Mapping[str, Counter[ColumnVariant]]
    """By model, how often each column was matched to a key."""
    encoders: Mapping[str, bool]
    """By model, whether columns could be matched by an encoder."""
    results: Sequence[ModelResult]
    """Models and loops with their costs."""
    ratings: Sequence[Rating]
    differing: Sequence[str]
    """Conditions in which the runs differ, and which do not make them incomparable, in words."""
    words_of: WordsOf

    def logs_of(self, model: str) -> list[RunLog]:
        """Return the runs of a model."""
        return [log for log in self.logs if log.manifest.model(model) is not None]

    def of(self, model: str, loop: str | None = None, setting: str | None = None) -> list[StudyCell]:
        """Return the cells of a model, in the order of prompts and shots."""
        return [
            cell
            for cell in self.cells
            if cell.model == model and loop in (None, cell.loop) and setting in (None, cell.setting)
        ]


def read_study(paths: Iterable[Path], words_of: WordsOf) -> Study:
    """Read runs.

    Raises InputError if one cannot be read, is named twice, shares a case with another, or has another graph
    or other questions.
    """
    logs = _distinct(paths)
    differing = _differing(logs)
    clusters = {question: cluster for log in logs if _asks(log) for question, cluster in log.clusters.items()}
    cells: dict[StudyCell, CellCases] = {}
    asked: dict[QuestionGroup, set[str]] = {}
    columns: dict[str, Counter[ColumnVariant]] = {}
    encoders: dict[str, bool] = {}
    models: dict[str, ModelEntry] = {}
    seen: dict[str, RunLog] = {}
    results = ModelResults()
    ratings: list[Rating] = []

    def counted() -> Iterator[Record]:
        for log in logs:
            encoded = bool(log.manifest.known_options.key_encoder)
            questions = log.questions if _asks(log) else {}
            for record in log.records():
                if other := seen.get(record.case_id):
                    raise InputError(
                        f"{other} and {log} both have the case {record.case_id}, and a study needs each "
                        "case once; name only one of them"
                    )
                seen[record.case_id] = log
                models.setdefault(record.model, log.manifest.model(record.model) or ModelEntry(record.model))
                group = _group(record.task, questions.get(record.question_id))
                asked.setdefault(group, set()).add(record.question_id)
                encoders[record.model] = encoders.get(record.model, False) or encoded
                if not record.was_run:
                    continue
                cell = StudyCell(record.model, record.loop, record.setting, record.prompt, record.shot)
                cluster = clusters.get(record.question_id, record.question_id)
                _add(record, cluster, cells.setdefault(cell, CellCases()))
                results.add(record, cluster, log.manifest)
                ratings.extend(ratings_of(record, clusters))
                matched = columns.setdefault(record.model, Counter())
                for key, score in ((record.scores and record.scores.per_key) or {}).items():
                    matched.update(ColumnVariant(key, stage, name) for name, stage in score.columns.items())
                yield record

    table = ScoreTable(counted(), clusters, STUDY_METRICS)
    if not len(table):
        raise InputError(f"{', '.join(map(str, logs))}: no scored case on record; run some first")
    ordered = sorted(cells, key=lambda cell: _place(cell, list(models)))
    return Study(
        logs,
        models,
        table,
        {cell: cells[cell] for cell in ordered},
        {group: len(ids) for group, ids in asked.items()},
        columns,
        encoders,
        results.results(),
        ratings,
        differing,
        words_of,
    )


def _distinct(paths: Iterable[Path]) -> list[RunLog]:
    named: dict[Path, RunLog] = {}
    for path in paths:
        if path.resolve() in named:
            raise InputError(f"{path} is named twice; a study needs each run once")
        log = named[path.resolve()] = RunLog(path)
        # Read now, so that a folder that is no run is named before minutes of reading.
        next(log.records(), None)
    return list(named.values())


def _group(task: str, question: Question | None) -> QuestionGroup:
    slots = question.slots if question is not None else {}
    products = slots.get("products", ())
    return QuestionGroup(task, f"n = {len(products)}" if products else str(slots.get("role", "")))


def _asks(log: RunLog) -> bool:
    return (log.path / QUESTIONS).is_file()


def _differing(logs: Sequence[RunLog]) -> list[str]:
    """Return in what runs differ; raise InputError if that makes them incomparable."""
    first, *others = (
        RunScores(
            name=str(log),
            conditions=conditions_of(log.manifest),
            manifest=log.manifest,
            cases=(),
            texts={},
            golds={name: gold_digest(each) for name, each in log.questions.items()} if _asks(log) else {},
            clusters={},
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


_SHOTS = ("ZS", "1S-S", "1S-D-R", "1S-D-S")
_SETTINGS = ("single_step", "multi_step")


def _place(cell: StudyCell, models: Sequence[str]) -> tuple[object, ...]:
    stem = cell.prompt.rstrip("0123456789")
    number = int(cell.prompt[len(stem) :] or 0)
    loops = (cell.loop != NO_LOOP, cell.loop)
    setting, shot = listed_first(cell.setting, _SETTINGS), listed_first(cell.shot, _SHOTS)
    return (models.index(cell.model), loops, setting, shot, stem, number)


def _add(record: Record, cluster: str, cases: CellCases) -> None:
    cases.clusters.append(cluster)
    cases.questions[record.question_id] = record.task
    ran = record.execution is not None and record.execution.status == "ok"
    cases.after.append(Query(ran, record.errors[0] if record.errors else None))
    first = first_result(record) if record.loop != NO_LOOP else None
    cases.before.append(
        None if first is None else Query(first.status == "ok", first.errors[0] if first.errors else None)
    )
    cases.pairs.append(pair_of(record, cluster))
    cases.variations.append(of_perfect(record) if record.loop == NO_LOOP else None)


def error_rates(cases: Sequence[tuple[str, Query]]) -> ErrorRates:
    """Return the rates of some queries, each with its cluster; there must be at least one."""
    queries = [query for _, query in cases]
    ratios = Ratios([cluster for cluster, _ in cases])
    every = [True] * len(queries)
    ran = [query.ran for query in queries]
    wrong = [query.ran and query.label is not None for query in queries]
    covered = [
        was and name_of(query.label or "") != "other" for was, query in zip(wrong, queries, strict=True)
    ]
    return ErrorRates(
        len(queries),
        ratios.rate([not each for each in ran], every),
        ratios.rate(wrong, ran),
        ratios.rate(covered, wrong),
        Counter(query.label for query in queries if query.ran and query.label is not None),
    )


def rates_after(cases: CellCases) -> ErrorRates:
    """Return the rates of the queries that count."""
    return error_rates(list(zip(cases.clusters, cases.after, strict=True)))


def rates_before(cases: CellCases) -> ErrorRates | None:
    """Return the rates of the first queries; None without a loop."""
    known = [
        (cluster, query)
        for cluster, query in zip(cases.clusters, cases.before, strict=True)
        if query is not None
    ]
    return error_rates(known) if known else None


def detection(cases: CellCases) -> Detection | None:
    """Return what a loop found of its first queries; None where no validator checked one."""
    checks = [() if pair is None else pair.checks for pair in cases.pairs]
    if not any(checks):
        return None
    wrong = [query is not None and query.ran and query.label is not None for query in cases.before]
    left = [was and query.label is not None for was, query in zip(wrong, cases.after, strict=True)]
    missed = [was and not any(check.flagged for check in of) for was, of in zip(left, checks, strict=True)]
    ratios = Ratios(cases.clusters)
    return Detection(ratios.rate(missed, wrong), ratios.rate(left, wrong))


def variation_rates(cases: CellCases) -> dict[str, Ratio]:
    """Return the share of right queries with each of `VARIATIONS`."""
    ratios = Ratios(cases.clusters)
    right = [found is not None for found in cases.variations]
    return {
        name: ratios.rate([name in (found or ()) for found in cases.variations], right) for name in VARIATIONS
    }
