"""The scores of a run or a baseline, and the conditions that make two of them comparable."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from pathlib import Path
from typing import NamedTuple, Self

from msgspec import UNSET, Struct, field, structs

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.analysis.run_check import RunCheck
from retrocypher.plugins.analysis.scores import (
    COMPARABLE_METRICS,
    JUDGED,
    LEAK,
    CaseScores,
    LeakMeans,
    Means,
    ScoreTable,
    case_scores,
    slice_means,
)
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.runs.files import RECORDS
from retrocypher.plugins.runs.log import INCOMPLETE_ENDING, RunLog
from retrocypher.plugins.runs.manifest import Manifest, ModelEntry
from retrocypher.plugins.runs.record import NO_SCORE, JsonValue
from retrocypher.plugins.runs.summary import RunSummary
from retrocypher.plugins.statistics.intervals import NO_ESTIMATE, Estimate

UNKNOWN = "not known"


class Conditions(Struct, frozen=True):
    """The conditions of a run; their names are shown to users."""

    fixed: dict[str, str]
    """What must be the same for scores to be comparable."""
    threshold: str
    """F1 below which a case fails; only the share of passed cases depends on it."""
    varied: dict[str, str]
    """What may differ between compared runs: models, prompts, versions."""


def conditions_of(manifest: Manifest | None) -> Conditions:
    """Return the conditions in a manifest; `UNKNOWN` for those that it lacks."""
    known = manifest or Manifest()
    graph, options = known.graph, known.known_options
    fixed = {
        "schema version of records": str(manifest.schema_version) if manifest else UNKNOWN,
        "graph fingerprint": graph.fingerprint if graph and graph.fingerprint else UNKNOWN,
        "schema text": hashlib.sha256(graph.schema.encode()).hexdigest() if graph else UNKNOWN,
        "--query-timeout": _option(options.query_timeout),
        "--key-encoder": _option(options.key_encoder),
    }
    return Conditions(fixed, _option(options.case_threshold), _varied(known))


def _varied(manifest: Manifest) -> dict[str, str]:
    loops, git = manifest.loops, manifest.git
    varied = {
        "models": ", ".join(f"{each.label} ({_spec(each)})" for each in manifest.models),
        "API": manifest.api or "",
        "loops": ", ".join(loops.names),
        "validator": loops.validator,
        "roles of loops played by": ", ".join(sorted({_spec(each) for each in loops.players.values()})),
        "--seed": _option(manifest.known_options.seed),
        "commit": git.commit[:12] + (" and changes" if git.changed else "") if git else "",
    }
    if manifest.prompt_set:
        varied["prompt set"] = f"{manifest.prompt_set.name} ({manifest.prompt_set.sha256[:12]})"
    varied |= {f"prompt {name}": key[:12] for name, key in manifest.prompts.items()}
    varied |= {f"version of {name}": each for name, each in manifest.versions.items()}
    if manifest.graph and manifest.graph.version:
        varied["version of Neo4j"] = manifest.graph.version
    return {name: value for name, value in varied.items() if value}


def _spec(model: ModelEntry) -> str:
    return f"{model.kind}:{model.argument}" if model.argument else model.kind or UNKNOWN


def _option(value: JsonValue) -> str:
    return UNKNOWN if value is UNSET else "none" if value is None else str(value)


class RunScores(Struct, frozen=True, kw_only=True):
    """The scores of a run or a baseline."""

    name: str
    """Its name in messages: the folder of a run, or the name of a baseline."""
    conditions: Conditions
    manifest: Manifest
    cases: tuple[CaseScores, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    """Hash of the text of each question, by `CaseScores.text_id`."""
    golds: dict[str, str] = field(default_factory=dict)
    """Hash of the gold answer and the reference query, by question id."""
    clusters: dict[str, str] = field(default_factory=dict)
    """Hash of the cluster of each question, by question id."""
    questions: dict[str, Question] = field(default_factory=dict)
    """The questions of a run by id; empty for a baseline."""
    errors_by_kind: dict[str, int] = field(default_factory=dict)
    """Number of cases without scores, by stage and kind of the infrastructure error."""
    incomplete: str = ""
    """Which scores of execution are missing, in words; empty if none."""
    part: str = ""
    """Which part of the planned cases it has, in words; empty if all."""
    cut: str = ""
    """How many of the selected cases were run, in words; empty if all."""
    disagreement: str = ""
    """What of the files of a run does not agree, and what to do; empty if all does, and for a baseline."""
    missing_judgements: int = 0
    """Number of scored cases whose judge could not be asked."""
    missing_answers: int = 0
    """Number of scored cases whose written answer or its check is incomplete."""

    def table(self, without: Iterable[str] = ()) -> ScoreTable:
        """Return the scores in columns, without the cases of some `CaseScores.text_id`."""
        left_out = set(without)
        kept = (each for each in self.cases if each.text_id not in left_out)
        return ScoreTable(kept, self.clusters, (*COMPARABLE_METRICS, *JUDGED, LEAK))

    def where(self, leak: str, sure: Set[str] | None = None) -> Self:
        """Return the cases with a label of leaks, all if it is empty; raise InputError if none has it.

        Args:
            sure: The ids of the questions that are kept; None for all.
        """
        asked = (each for each in self.cases if sure is None or each.question_id in sure)
        kept = tuple(each for each in asked if leak in ("", each.leak))
        if sure is not None and not kept:
            raise InputError(f"{self.name}: it has no case of a question whose gold is that sure")
        if leak and not kept:
            raise InputError(
                f"{self.name}: no case of it has {LEAK}={leak}. One of an earlier version has no leaks on "
                "record: make the run again, and save a baseline of it again"
            )
        return structs.replace(self, cases=kept)

    def headline_mean(self) -> Estimate:
        """Return the mean over all cases of the score that decides whether a case passes."""
        metrics = (self.manifest.headline,)
        return next((each.mean for each in slice_means(self.table(), (), metrics)), NO_ESTIMATE)

    def headline_leaks(self) -> LeakMeans | None:
        """Return what exemplars give away, and that mean without it; None if nothing."""
        return Means(self.table(), (self.manifest.headline,)).leaks(self.manifest.headline)

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


def read_scores(run: RunLog, summary: RunSummary | None = None) -> RunScores:
    """Read the scores of a run; raise InputError if a file is damaged, or a case occurs twice.

    Args:
        summary: What its summary will say, if it is not written yet.
    """
    questions, check = run.questions, RunCheck(run)
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
        if (fault := record.fault) is not None:
            errors[f"{fault.stage} {fault.kind}"] += 1
        missing_judgements += record.infrastructure_error is not None and record.was_run
        missing_answers += record.answer_fault is not None
        check.add(record, case, questions[record.question_id])
        ids[record.case_id] += 1
        cases.append(case)
    _require_once(run.path / RECORDS, ids)
    lacks_aside = bool(missing_judgements or missing_answers)
    ending = None if summary else _ending(run, len(cases), lacks_aside)
    extent = _extent(run.manifest, summary or run.summary, len(cases), errors, ending)
    return RunScores(
        name=str(run),
        conditions=conditions_of(run.manifest if run.has_manifest else None),
        manifest=run.manifest,
        cases=tuple(cases),
        texts=texts,
        golds={name: gold_digest(question) for name, question in questions.items()},
        clusters={name: digest(cluster) for name, cluster in run.clusters.items()},
        questions=questions,
        errors_by_kind=dict(errors.most_common()),
        incomplete=extent.incomplete,
        part=extent.part,
        cut=extent.cut,
        disagreement=check.fault(summary or (run.summary if run.has_summary else None)),
        missing_judgements=missing_judgements,
        missing_answers=missing_answers,
    )


def gold_digest(question: Question) -> str:
    """Return a hash of the gold answer of a question and of what defines it."""
    values = [question.task, question.steps, question.target, question.reference_cypher, question.gold]
    return digest(json.dumps(values, sort_keys=True, ensure_ascii=False))


_NAMED = 3


def _require_once(file: Path, ids: Mapping[str, int]) -> None:
    if several := [case for case, often in ids.items() if often > 1]:
        more = len(several) - _NAMED
        named = ", ".join(several[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
        raise InputError(
            f"{file}: has {counted(len(several), 'case')} more than once: {named}. "
            "Keep one line of each, or make the run again in a new folder"
        )


class _Extent(NamedTuple):
    """What a run lacks, in words; each is empty if nothing."""

    incomplete: str
    part: str
    cut: str


def _extent(
    manifest: Manifest, summary: RunSummary, cases: int, errors: Mapping[str, int], ending: str | None
) -> _Extent:
    planned, crashed = manifest.cases, len(summary.lost_cases or ())
    selected = summary.selected_cases or planned
    missing = _missing(errors, crashed)
    missing += [ending] if ending and not missing else []
    sampled = manifest.known_options.sample
    parts = [f"a sample of {counted(sampled, 'question')}"] if sampled else []
    if manifest.known_options.split:
        parts.append(f"the part {manifest.known_options.split} of a split")
    parts += [f"shard {manifest.shard.number}/{manifest.shard.of}"] if manifest.shard else []
    if planned is not None and selected is not None and selected < planned and not missing:
        parts.append(f"{selected:,} of {counted(planned, 'planned case')}")
    cut = ""
    if selected is not None and cases + crashed < selected and not missing:
        cut = f"{cases:,} of {counted(selected, 'selected case')} were run"
        parts.append(cut)
    return _Extent("; ".join(missing), "; ".join(parts), cut)


def _ending(run: RunLog, cases: int, lacks_aside: bool) -> str | None:
    """Return how a run ended if it is not complete; None if it lacks only what a gate may not look at."""
    ending, planned = run.facts.ending, run.facts.planned
    whole = planned is not None and cases >= planned and not run.summary.lost_cases
    return None if lacks_aside and whole and ending == INCOMPLETE_ENDING else ending


def _missing(errors: Mapping[str, int], crashed: int) -> list[str]:
    """Return in words how many cases have no scores, by the reason."""
    silent = errors.get(f"{NO_SCORE.stage} {NO_SCORE.kind}", 0)
    failed = sum(errors.values()) - silent
    found = [f"{failed:,} with an infrastructure error"] if failed else []
    found += [f"{silent:,} without a score and without an infrastructure error"] if silent else []
    return found + ([f"{crashed:,} that crashed"] if crashed else [])
