"""What scores were measured under: what must be the same, and what may be what is compared."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.analysis.score_table import DIMENSIONS, ScoreTable
from retrocypher.plugins.formatting.text import counted, one_line
from retrocypher.plugins.runs.files import RECORDS
from retrocypher.plugins.runs.log import (
    INCOMPLETE_ENDING,
    read_facts,
    read_manifest,
    read_questions,
    read_records,
    read_summary,
)
from retrocypher.plugins.runs.record import METRICS, answer_fault, was_run

UNKNOWN = "not known"


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a run was measured under, by names that a user reads.

    Attributes:
        fixed: What must be the same for scores to be comparable.
        threshold: F1 under which a case fails; only the share of passed cases hangs on it.
        varied: What a comparison may be about: models, prompts, versions.
    """

    fixed: Mapping[str, str]
    threshold: str
    varied: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return {"fixed": dict(self.fixed), "threshold": self.threshold, "varied": dict(self.varied)}


def conditions_of(manifest: Mapping[str, Any]) -> Conditions:
    """Return what a manifest says of a run; `UNKNOWN` where it does not.

    Args:
        manifest: A manifest; empty where a run has none.
    """
    graph, options = manifest.get("graph") or {}, manifest.get("options") or {}
    schema = graph.get("schema")
    fixed = {
        "schema version of records": _said(manifest, "schema_version"),
        "graph fingerprint": _said(graph, "fingerprint"),
        "schema text": UNKNOWN if schema is None else hashlib.sha256(schema.encode()).hexdigest(),
        "--query-timeout": _said(options, "query_timeout"),
        "--key-encoder": _said(options, "key_encoder"),
    }
    return Conditions(fixed, _said(options, "case_threshold"), _varied(manifest, options))


def _varied(manifest: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, str]:
    models = (f"{each['label']} ({_spec(each)})" for each in manifest.get("models") or ())
    loops, git = manifest.get("loops") or {}, manifest.get("git") or {}
    players = {_spec(each) for each in (loops.get("players") or {}).values()}
    varied = {
        "models": ", ".join(models),
        "API": str(manifest.get("api") or ""),
        "loops": ", ".join(loops.get("names") or ()),
        "validator": str(loops.get("validator") or ""),
        "roles of loops played by": ", ".join(sorted(players)),
        "--seed": _said(options, "seed"),
        "commit": str(git.get("commit") or "")[:12] + (" and changes" if git.get("changed") else ""),
    }
    varied |= {f"prompt {name}": str(key)[:12] for name, key in (manifest.get("prompts") or {}).items()}
    varied |= {f"version of {name}": str(each) for name, each in (manifest.get("versions") or {}).items()}
    if server := (manifest.get("graph") or {}).get("version"):
        varied["version of Neo4j"] = str(server)
    return {name: value for name, value in varied.items() if value}


def _spec(model: Mapping[str, Any]) -> str:
    kind, argument = model.get("kind", UNKNOWN), model.get("argument") or ""
    return f"{kind}:{argument}" if argument else str(kind)


def _said(part: Mapping[str, Any], name: str) -> str:
    if name not in part:
        return UNKNOWN
    value = part[name]
    return "none" if value is None else str(value)


SHARES = ("passed", "status.ok")
"""Shares of cases that can be asked for by name beside the scores: 1 or 0 of each case."""

MEASURES = (*METRICS, *SHARES)
"""All that a comparison or a gate may be about."""

JUDGED = {"judge": "with_reference", "judge.without_reference": "without_reference"}
"""Scores of a judge by name, and the variant of each; a gate may be about one, too."""


_NAMED = 3


@dataclass(frozen=True, slots=True)
class Side:
    """The scores of a run or of a baseline.

    Attributes:
        name: What the user called it.
        conditions: What the scores were measured under.
        manifest: The manifest of the run; empty where it has none.
        records: One entry a case: ``question_id``, `DIMENSIONS`, ``scores`` (by `MEASURES`, and of a judged
            run by `JUDGED`; None where the case has an infrastructure error).
        asked: What each case was asked, as a hash, by `asked_as`.
        golds: What is right and how it is known, as a hash, by question id.
        targets: The molecule each question clusters by, as a hash, by question id.
        faults: How many cases have no scores for an infrastructure error, by its stage and kind.
        incomplete: Which scores of execution are missing that were to be there, in words; empty where none.
        part: Which part of the planned cases it holds, in words; empty where it is all.
        unasked: How many cases have scores, but a judge that could not be asked.
        unanswered: How many have scores, but a written answer that lacks something.
    """

    name: str
    conditions: Conditions
    manifest: Mapping[str, Any]
    records: tuple[Mapping[str, Any], ...]
    asked: Mapping[str, str]
    golds: Mapping[str, str]
    targets: Mapping[str, str]
    faults: Mapping[str, int]
    incomplete: str
    part: str
    unasked: int = 0
    unanswered: int = 0

    def table(self, without: Iterable[str] = ()) -> ScoreTable:
        """Return the scores in columns.

        Args:
            without: Cases to leave out, by `asked_as`.
        """
        left_out = set(without)
        kept = (each for each in self.records if asked_as(each) not in left_out)
        return ScoreTable(kept, self.targets, (*MEASURES, *JUDGED))

    @property
    def errors(self) -> int:
        """How many cases have no scores for an infrastructure error."""
        return sum(self.faults.values())

    @property
    def models(self) -> tuple[str, ...]:
        """Labels of the models, in the order in which their cases come."""
        return tuple(dict.fromkeys(str(each["model"]) for each in self.records))


def asked_as(record: Mapping[str, Any]) -> str:
    """Return the question of a case, and its wording where that is not the first."""
    wording = record.get("phrasing") or 1
    return str(record["question_id"]) if wording == 1 else f"{record['question_id']}-w{wording}"


def digest(value: str) -> str:
    """Return the first eight digits of a SHA-256: enough to see that something is not the same."""
    return hashlib.sha256(value.encode("utf-8", "backslashreplace")).hexdigest()[:8]


def read_run(path: Path) -> Side:
    """Read a run as one side of a comparison.

    Args:
        path: The run directory.

    Raises:
        InputError: If a file of it cannot be read, is of another schema version, lacks a question, or holds
            a case twice.
    """
    questions = read_questions(path)
    asked: dict[str, str] = {}
    records = []
    faults: Counter[str] = Counter()
    cases: Counter[str] = Counter()
    unasked = unanswered = 0
    for number, record in enumerate(read_records(path), 1):
        try:
            name, reduced = asked_as(record), _reduced(record)
            asked.setdefault(name, digest(str(record["question"])))
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path / RECORDS}, record {number}: not a whole record ({error!r})") from error
        if reduced["question_id"] not in questions:
            raise InputError(
                f"{path}: {reduced['question_id']} is in records.jsonl and not in questions.jsonl; "
                "the files are not of one run"
            )
        fault = record.get("infrastructure_error")
        if fault is not None and not was_run(record):
            faults[f"{fault.get('stage')} {fault.get('kind')}"] += 1
        unasked += fault is not None and was_run(record)
        unanswered += answer_fault(record) is not None
        cases[str(record["case_id"])] += 1
        records.append(reduced)
    _require_once(path / RECORDS, cases)
    manifest = read_manifest(path)
    aside = bool(unasked or unanswered)
    incomplete, part = _extent(path, manifest, len(records), faults.total(), aside)
    return Side(
        name=str(path),
        conditions=conditions_of(manifest),
        manifest=manifest,
        records=tuple(records),
        asked=asked,
        golds={name: _gold(question) for name, question in questions.items()},
        targets={name: digest(question.target) for name, question in questions.items()},
        faults=dict(faults.most_common()),
        incomplete=incomplete,
        part=part,
        unasked=unasked,
        unanswered=unanswered,
    )


def of_questions(questions: Iterable[Question]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what `Side` holds of questions in their first wording: ``asked`` and ``golds``."""
    asked, golds = {}, {}
    for question in questions:
        asked[question.id] = digest(question.text)
        golds[question.id] = _gold(question)
    return asked, golds


def _require_once(file: Path, cases: Mapping[str, int]) -> None:
    """Refuse a case that stands in records more than once: it would count more than others."""
    if several := [case for case, often in cases.items() if often > 1]:
        more = len(several) - _NAMED
        named = ", ".join(several[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
        raise InputError(
            f"{file}: holds {counted(len(several), 'case')} more than once: {named}. "
            "Keep one line of each, or make the run again in a new folder"
        )


def _reduced(record: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: record.get(name) or 1 if name == "phrasing" else record[name] for name in DIMENSIONS}
    scores = record.get("scores")
    if scores is None or not was_run(record):
        return {"question_id": record["question_id"], **kept, "scores": None}
    told = {name: scores.get(name) for name in METRICS}
    ran = (record.get("execution") or {}).get("status") == "ok"
    shares = {"passed": float(bool(record.get("passed"))), "status.ok": float(ran)}
    judged = record.get("judge") or {}
    said = {name: (judged.get(variant) or {}).get("score") for name, variant in JUDGED.items()}
    return {
        "question_id": record["question_id"],
        **kept,
        "scores": {**told, **shares, **(said if judged else {})},
    }


def _gold(question: Question) -> str:
    held = [question.task, question.steps, question.target, question.reference_cypher, question.gold]
    return digest(json.dumps(held, sort_keys=True, ensure_ascii=False))


def _extent(path: Path, manifest: Mapping[str, Any], cases: int, errors: int, aside: bool) -> tuple[str, str]:
    """Return which scores a run lacks, and which part of the planned cases it holds.

    Args:
        path: The run directory.
        manifest: Its manifest.
        cases: How many cases are on record.
        errors: How many of them have no scores.
        aside: Whether something else is missing, which may be all that its ending is about.
    """
    summary, facts = read_summary(path), read_facts(path)
    lost = len(summary.get("lost_cases") or ())
    whole = aside and not lost and facts.planned is not None and cases >= facts.planned
    ending = "" if whole and facts.ending == INCOMPLETE_ENDING else facts.ending
    missing = [f"{errors:,} with an infrastructure error"] if errors else []
    missing += [f"{lost:,} that broke off"] if lost else []
    missing += [ending] if ending and not missing else []
    options = manifest.get("options") or {}
    sampled = options.get("sample")
    planned = manifest.get("cases")
    parts = [f"a sample of {counted(sampled, 'question')}"] if sampled else []
    shard = manifest.get("shard")
    parts += [f"shard {shard.get('number')}/{shard.get('of')}"] if isinstance(shard, dict) else []
    if isinstance(planned, int) and cases + lost < planned and not missing:
        parts.append(f"{cases:,} of {counted(planned, 'planned case')}")
    return "; ".join(missing), "; ".join(parts)


def slice_name(labels: Mapping[str, str | int]) -> str:
    """Return a slice in words, such as ``best_yield`` or ``steps 3``; ``all`` for all cases."""
    said = (f"{name} {label}" if isinstance(label, int) else label for name, label in labels.items())
    return one_line(", ".join(said)) or "all"
