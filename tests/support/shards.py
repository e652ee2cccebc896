"""Shards of a run as `--shard` leaves them, without a session."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from retrocypher.kg.questions.question import Question
from retrocypher.plugins.analysis.summary import summary_of
from retrocypher.plugins.runs.manifest import ShardEntry
from retrocypher.plugins.runs.record import Record
from retrocypher.plugins.runs.resume import RunKey
from retrocypher.plugins.runs.shards import Shard
from support.records import record_of, write_run

PARTS: Mapping[str, Any] = {"seed": 0, "libraries": {"rdkit": "2026.3"}, "questions": {"asked": "all"}}


def records_of(questions: Sequence[Question], models: Sequence[str] = ("m",)) -> list[Record]:
    """Return one record a question and model, each with a score that tells them apart."""
    scored = [(question, model) for question in questions for model in models]
    return [
        record_of(
            f"{question.id}-P5-ZS-none-{model}",
            of=question,
            model=model,
            scores={"f1": number % 5 / 4, "precision": 1.0, "recall": 1.0},
            passed=number % 5 == 4,
            rounds=[],
        )
        for number, (question, model) in enumerate(scored)
    ]


def write_shard(
    folder: Path,
    shard: Shard,
    questions: Sequence[Question],
    *,
    parts: Mapping[str, Any] = PARTS,
    records: Sequence[Record] | None = None,
    manifest: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Path:
    """Write the run directory of a shard, given questions and key parts of the whole run.

    Its records are one a question where None; ``manifest`` has what the manifest says otherwise.
    """
    mine = shard.select(questions)
    held = records_of(mine) if records is None else list(records)
    said = {
        "started": f"2026-01-0{shard.number}T00:00:00+00:00",
        "ended": f"2026-01-0{shard.number}T01:00:00+00:00",
        "exit_status": 1,
        "cases": len(mine),
        "options": {
            "seed": 0,
            "shot": ["ZS"],
            "graph": f"bolt://host{shard.number}:7687",
            "shard": str(shard),
        },
        "models": [{"label": "m"}],
        "loops": {"names": ["none"]},
        "prices": None,
        "questions": {"count": len(mine), "set_sha256": "q"},
        "prompts": {"P5": "p"},
        "graph": {"kind": "local", "version": "5.26.30", "fingerprint": "g", "schema": "s", "notes": []},
        "versions": {"python": "3.12"},
        "git": {"commit": f"a{shard.number}", "changed": shard.number == 1},
        "machine": {"cores": shard.number},
        "answers": {"cache": f"{shard.number}.sqlite", "asked": shard.number, "from_cache": 1},
        "standstill": {"queries": 1, "seconds": 0.5},
        "shard": ShardEntry(shard.number, shard.of, len(questions), RunKey(parts).entry()),
    }
    summary = summary_of(held).run_summary()
    summary.selected_cases = len(mine)
    given = {"summary": summary, **keywords}
    return write_run(folder, held, mine, {**said, **(manifest or {})}, **given)
