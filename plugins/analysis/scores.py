"""Scores of cases in columns, their slices, and the conditions that make two runs comparable."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.formatting.text import counted, one_line
from retrocypher.plugins.runs.files import RECORDS
from retrocypher.plugins.runs.log import INCOMPLETE_ENDING, RunLog
from retrocypher.plugins.runs.manifest import Manifest, ModelEntry
from retrocypher.plugins.runs.record import SCORE_METRICS, JsonValue, Record, Variant
from retrocypher.plugins.statistics.correlation import pearson, spearman
from retrocypher.plugins.statistics.intervals import Estimate, Floats, Resampler
from retrocypher.plugins.statistics.means import BoxStats, box_stats, means_of

DIMENSIONS = ("setting", "task", "steps", "phrasing", "prompt", "shot", "loop", "model")
"""What cases can be sliced by."""

SHARES = ("passed", "status.ok")
"""Shares of cases, which comparisons and gates name like scores: 1 or 0 for each case."""

COMPARABLE_METRICS = (*SCORE_METRICS, *SHARES)
"""All that a comparison or a gate can be about."""

JUDGED: dict[str, Variant] = {"judge": "with_reference", "judge.without_reference": "without_reference"}
"""Scores of a judge by name, with their variants; a gate can be about them, too."""

Label = str | int
Places = npt.NDArray[np.intp]


class CaseScores(Struct, frozen=True, kw_only=True):
    """What comparisons, baselines and gates know of a case."""

    question_id: str
    setting: str
    task: str
    steps: int
    phrasing: int
    prompt: str
    shot: str
    loop: str
    model: str
    scores: dict[str, float | None] | None
    """By `COMPARABLE_METRICS`, and for a judged run by `JUDGED`; None if an infrastructure error prevented
    scores."""

    @property
    def text_id(self) -> str:
        """The question id, with the number of the paraphrase unless it is the first."""
        return self.question_id if self.phrasing == 1 else f"{self.question_id}-w{self.phrasing}"


def case_scores(record: Record) -> CaseScores:
    """Return the scores of a record, with what the case can be sliced by."""
    scores: dict[str, float | None] | None = None
    if record.scores is not None and record.was_run:
        scores = {name: record.scores.value(name) for name in SCORE_METRICS}
        ran = record.execution is not None and record.execution.status == "ok"
        scores |= {"passed": float(record.passed), "status.ok": float(ran)}
        if record.judge is not None:
            judgements = record.judge.judgements
            scores |= {
                name: judgements[of].score if of in judgements else None for name, of in JUDGED.items()
            }
    labels = {name: getattr(record, name) for name in DIMENSIONS}
    return CaseScores(question_id=record.question_id, scores=scores, **labels)


class ScoreTable:
    """The scores of some cases, with what they can be sliced by.

    Args:
        targets: By question id, the molecule that the question clusters by; a question that is not in it is a
            cluster of its own.

    Attributes:
        clusters: The same by number, in the order of their first questions.
    """

    def __init__(
        self,
        cases: Iterable[CaseScores | Record],
        targets: Mapping[str, str],
        metrics: Sequence[str] = SCORE_METRICS,
    ) -> None:
        self.questions: list[str] = []
        self.targets: list[str] = []
        labels: dict[str, list[Label]] = {name: [] for name in DIMENSIONS}
        scores: dict[str, list[float | None]] = {name: [] for name in metrics}
        for each in cases:
            case = each if isinstance(each, CaseScores) else case_scores(each)
            self.questions.append(case.question_id)
            self.targets.append(targets.get(case.question_id, case.question_id))
            for name, column in labels.items():
                column.append(getattr(case, name))
            known = case.scores or {}
            for metric, values in scores.items():
                values.append(known.get(metric))
        self._labels = labels
        self._scores = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}
        self.clusters = _numbered(self.questions, self.targets)

    def select(self, places: Iterable[int], metrics: Sequence[str]) -> "ScoreTable":
        """Return some of the cases as a table of their own."""
        cases = (
            CaseScores(
                question_id=self.questions[place],
                scores={name: float(self._scores[name][place]) for name in metrics},
                **{name: column[place] for name, column in self._labels.items()},  # type: ignore[arg-type]
            )
            for place in places
        )
        return ScoreTable(cases, dict(zip(self.questions, self.targets, strict=True)), metrics)

    def __len__(self) -> int:
        return len(self.questions)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the scores kept."""
        return tuple(self._scores)

    def scores(self, metric: str) -> Floats:
        """Return one score of each case, NaN where it is not defined."""
        return self._scores[metric]

    def labels(self, dimension: str) -> Sequence[Label]:
        """Return the label of each case in one of `DIMENSIONS`."""
        return self._labels[dimension]

    def slices(self, by: Sequence[str]) -> Iterator[tuple[dict[str, Label], Places]]:
        """Yield each combination of labels that occurs, with the places of its cases.

        Combinations are ordered by label, numbers in labels by size (P9 before P10). Without a name in ``by``
        all cases are one slice.
        """
        groups: dict[tuple[Label, ...], list[int]] = {}
        columns = [self._labels[name] for name in by]
        for place in range(len(self)):
            groups.setdefault(tuple(column[place] for column in columns), []).append(place)
        for key in sorted(groups, key=lambda key: [_natural(label) for label in key]):
            yield dict(zip(by, key, strict=True)), np.asarray(groups[key], dtype=np.intp)


def _natural(label: Label) -> tuple[str, int, str]:
    text = str(label)
    stem = text.rstrip("0123456789")
    return stem, int(text[len(stem) :] or 0), text


def _numbered(questions: Sequence[str], targets: Sequence[str]) -> Places:
    """Return the number of each target, in the order of their first questions by id.

    The order is by question, because a run stores the molecule and a baseline its hash: resamples are drawn
    by number, and both must give the same intervals.
    """
    first: dict[str, str] = {}
    for question, target in zip(questions, targets, strict=True):
        first[target] = min(question, first.get(target, question))
    number = {target: place for place, target in enumerate(sorted(first, key=first.__getitem__))}
    return np.asarray([number[target] for target in targets], dtype=np.intp)


PANEL = ("task", "prompt", "shot")
"""The slices of the paper's figures A5 to A8."""

TEXT_METRICS = ("bleu", "meteor", "rouge_l")


class SliceMean(Struct, frozen=True):
    """The mean of one score over one slice; its value is None where no case has the score."""

    slice: dict[str, Label]
    metric: str
    mean: Estimate


class SliceBox(Struct, frozen=True):
    """The box plot of one score over one slice."""

    slice: dict[str, Label]
    metric: str
    box: BoxStats


class MetricValidity(Struct, frozen=True):
    """How well one score predicts another over one slice."""

    slice: dict[str, Label]
    metric: str
    against: str
    pearson: Estimate
    spearman: Estimate


def slice_means(
    table: ScoreTable,
    by: Sequence[str] = (),
    metrics: Sequence[str] = ("f1",),
    resampler: Resampler | None = None,
) -> Iterator[SliceMean]:
    """Yield the mean of each score, from 0 to 1, over each slice."""
    resampler = resampler or Resampler()
    for labels, places in table.slices(by):
        found: dict[str, Estimate] = {}
        for scored, names in _scored_alike(table, places, metrics):
            scores = np.column_stack([table.scores(name)[scored] for name in names])
            found |= zip(names, means_of(scores, table.clusters[scored], resampler), strict=True)
        yield from (SliceMean(labels, metric, found[metric]) for metric in metrics)


def slice_boxes(
    table: ScoreTable, by: Sequence[str] = PANEL, metrics: Sequence[str] = ("f1",)
) -> Iterator[SliceBox]:
    """Yield the box plot of each score over each slice that has it."""
    for labels, places in table.slices(by):
        for metric in metrics:
            scores = table.scores(metric)[places]
            defined = scores[~np.isnan(scores)]
            if len(defined):
                yield SliceBox(labels, metric, box_stats(defined))


def metric_validity(
    table: ScoreTable,
    by: Sequence[str] = (),
    metrics: Sequence[str] = TEXT_METRICS,
    against: str = "f1",
) -> Iterator[MetricValidity]:
    """Yield the correlations of each score with the score ``against`` over each slice."""
    for labels, places in table.slices(by):
        for metric in metrics:
            first, second = table.scores(metric)[places], table.scores(against)[places]
            both = ~np.isnan(first) & ~np.isnan(second)
            x, y, clusters = first[both], second[both], table.clusters[places][both]
            yield MetricValidity(labels, metric, against, pearson(x, y, clusters), spearman(x, y, clusters))


def _scored_alike(
    table: ScoreTable, places: Places, metrics: Sequence[str]
) -> Iterator[tuple[Places, list[str]]]:
    """Yield scores that the same cases have, with these cases, so that one resampling serves them all."""
    alike: dict[bytes, tuple[Places, list[str]]] = {}
    for metric in metrics:
        scored = places[~np.isnan(table.scores(metric)[places])]
        alike.setdefault(scored.tobytes(), (scored, []))[1].append(metric)
    yield from alike.values()


UNKNOWN = "not known"


class Conditions(Struct, frozen=True):
    """The conditions of a run, by names that a user reads."""

    fixed: dict[str, str]
    """What must be the same for scores to be comparable."""
    threshold: str
    """F1 below which a case fails; only the share of passed cases depends on it."""
    varied: dict[str, str]
    """What a comparison can be about: models, prompts, versions."""


def conditions_of(manifest: Manifest | None) -> Conditions:
    """Return the conditions in a manifest; `UNKNOWN` for those that it lacks."""
    graph, options = manifest and manifest.graph, manifest.options if manifest else {}
    fixed = {
        "schema version of records": str(manifest.schema_version) if manifest else UNKNOWN,
        "graph fingerprint": graph.fingerprint if graph and graph.fingerprint else UNKNOWN,
        "schema text": hashlib.sha256(graph.schema.encode()).hexdigest() if graph else UNKNOWN,
        "--query-timeout": _option(options, "query_timeout"),
        "--key-encoder": _option(options, "key_encoder"),
    }
    return Conditions(fixed, _option(options, "case_threshold"), _varied(manifest or Manifest()))


def _varied(manifest: Manifest) -> dict[str, str]:
    loops, git = manifest.loops, manifest.git
    varied = {
        "models": ", ".join(f"{each.label} ({_spec(each)})" for each in manifest.models),
        "API": manifest.api or "",
        "loops": ", ".join(loops.names),
        "validator": loops.validator,
        "roles of loops played by": ", ".join(sorted({_spec(each) for each in loops.players.values()})),
        "--seed": _option(manifest.options, "seed"),
        "commit": git.commit[:12] + (" and changes" if git.changed else "") if git else "",
    }
    varied |= {f"prompt {name}": key[:12] for name, key in manifest.prompts.items()}
    varied |= {f"version of {name}": each for name, each in manifest.versions.items()}
    if manifest.graph and manifest.graph.version:
        varied["version of Neo4j"] = manifest.graph.version
    return {name: value for name, value in varied.items() if value}


def _spec(model: ModelEntry) -> str:
    return f"{model.kind}:{model.argument}" if model.argument else model.kind or UNKNOWN


def _option(options: Mapping[str, JsonValue], name: str) -> str:
    if name not in options:
        return UNKNOWN
    value = options[name]
    return "none" if value is None else str(value)


class RunScores(Struct, frozen=True, kw_only=True):
    """The scores of a run or a baseline."""

    name: str
    """What the user called it."""
    conditions: Conditions
    manifest: Manifest
    cases: tuple[CaseScores, ...]
    texts: dict[str, str]
    """Hash of the text of each question, by `CaseScores.text_id`."""
    golds: dict[str, str]
    """Hash of the gold answer and the reference query, by question id."""
    targets: dict[str, str]
    """Hash of the molecule that each question clusters by, by question id."""
    errors_by_kind: dict[str, int] = field(default_factory=dict)
    """Number of cases without scores, by stage and kind of the infrastructure error."""
    incomplete: str = ""
    """Which scores of execution are missing, in words; empty if none."""
    part: str = ""
    """Which part of the planned cases it holds, in words; empty if all."""
    missing_judgements: int = 0
    """Number of scored cases whose judge could not be asked."""
    missing_answers: int = 0
    """Number of scored cases whose written answer lacks something."""

    def table(self, without: Iterable[str] = ()) -> ScoreTable:
        """Return the scores in columns, without the cases of some `CaseScores.text_id`."""
        left_out = set(without)
        kept = (each for each in self.cases if each.text_id not in left_out)
        return ScoreTable(kept, self.targets, (*COMPARABLE_METRICS, *JUDGED))

    @property
    def errors(self) -> int:
        """Number of cases without scores because of an infrastructure error."""
        return sum(self.errors_by_kind.values())

    @property
    def models(self) -> tuple[str, ...]:
        """Labels of the models, in the order of their cases."""
        return tuple(dict.fromkeys(each.model for each in self.cases))


def digest(value: str) -> str:
    """Return the first eight digits of a SHA-256, enough to detect a difference."""
    return hashlib.sha256(value.encode("utf-8", "backslashreplace")).hexdigest()[:8]


def read_scores(run: RunLog) -> RunScores:
    """Read the scores of a run; raise InputError if a file is damaged, or a case occurs twice."""
    questions = run.questions
    texts: dict[str, str] = {}
    cases = []
    errors: Counter[str] = Counter()
    ids: Counter[str] = Counter()
    missing_judgements = missing_answers = 0
    for record in run.records():
        if record.question_id not in questions:
            raise InputError(
                f"{run}: {record.question_id} is in records.jsonl and not in questions.jsonl; "
                "the files are not of one run"
            )
        case = case_scores(record)
        texts.setdefault(case.text_id, digest(record.question))
        error = record.infrastructure_error
        if error is not None and not record.was_run:
            errors[f"{error.stage} {error.kind}"] += 1
        missing_judgements += error is not None and record.was_run
        missing_answers += record.answer_fault is not None
        ids[record.case_id] += 1
        cases.append(case)
    _require_once(run.path / RECORDS, ids)
    incomplete, part = _extent(run, len(cases), errors.total(), bool(missing_judgements or missing_answers))
    return RunScores(
        name=str(run),
        conditions=conditions_of(run.manifest if run.has_manifest else None),
        manifest=run.manifest,
        cases=tuple(cases),
        texts=texts,
        golds={name: gold_digest(question) for name, question in questions.items()},
        targets={name: digest(question.target) for name, question in questions.items()},
        errors_by_kind=dict(errors.most_common()),
        incomplete=incomplete,
        part=part,
        missing_judgements=missing_judgements,
        missing_answers=missing_answers,
    )


def gold_digest(question: Question) -> str:
    """Return a hash of the gold answer of a question and of what defines it."""
    held = [question.task, question.steps, question.target, question.reference_cypher, question.gold]
    return digest(json.dumps(held, sort_keys=True, ensure_ascii=False))


_NAMED = 3


def _require_once(file: Path, ids: Mapping[str, int]) -> None:
    if several := [case for case, often in ids.items() if often > 1]:
        more = len(several) - _NAMED
        named = ", ".join(several[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
        raise InputError(
            f"{file}: holds {counted(len(several), 'case')} more than once: {named}. "
            "Keep one line of each, or make the run again in a new folder"
        )


def _extent(run: RunLog, cases: int, errors: int, lacks_aside: bool) -> tuple[str, str]:
    """Return in words which scores a run lacks, and which part of the planned cases it holds."""
    manifest, ending, planned = run.manifest, run.facts.ending, run.facts.planned
    crashed = len(run.summary.lost_cases)
    if (
        lacks_aside
        and not crashed
        and planned is not None
        and cases >= planned
        and ending == INCOMPLETE_ENDING
    ):
        ending = None
    missing = [f"{errors:,} with an infrastructure error"] if errors else []
    missing += [f"{crashed:,} that crashed"] if crashed else []
    missing += [ending] if ending and not missing else []
    sampled = manifest.options.get("sample")
    parts = [f"a sample of {counted(sampled, 'question')}"] if sampled else []
    parts += [f"shard {manifest.shard.number}/{manifest.shard.of}"] if manifest.shard else []
    if manifest.cases is not None and cases + crashed < manifest.cases and not missing:
        parts.append(f"{cases:,} of {counted(manifest.cases, 'planned case')}")
    return "; ".join(missing), "; ".join(parts)


def slice_name(labels: Mapping[str, str | int]) -> str:
    """Return the name of a slice, such as ``best_yield`` or ``steps 3``; ``all`` for all cases."""
    named = (f"{name} {label}" if isinstance(label, int) else label for name, label in labels.items())
    return one_line(", ".join(named)) or "all"
