"""Where in the records of some runs a case, a call of the graph or an answer stands."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from plugins.records import is_of_answer, is_of_judge, locate_records, read_record_at
from plugins.replay._calls import Call, calls_of
from prompts.models import TEXT_KINDS

_GENERATOR = "generator"


class Place(NamedTuple):
    """A record: number of its run, and where in the file it begins."""

    run: int
    offset: int


class Asked(NamedTuple):
    """A question to a model that reads messages.

    Attributes:
        model: Who is asked, as `who` tells.
        messages_sha256: Hash of the messages.
        repeat: How often the case has asked the same before.
    """

    model: str
    messages_sha256: str
    repeat: int

    def digest(self) -> bytes:
        """Return what stands for the question in an index."""
        return hashlib.blake2b(json.dumps(self).encode(), digest_size=16).digest()


class RunIndex:
    """Finds records without holding them: of each case, call and answer it knows the place alone.

    Args:
        runs: Run directories; where two hold the same, the first counts.
        manifests: Their manifests.
    """

    def __init__(self, runs: Sequence[Path], manifests: Sequence[Mapping[str, Any]]) -> None:
        self.runs = runs
        self._models = [_models(manifest) for manifest in manifests]
        self._judges = [_judge(manifest) for manifest in manifests]
        self._cases: dict[str, Place] = {}
        self._calls: dict[bytes, Place] = {}
        self._answers: dict[bytes, Place] = {}
        self._read: tuple[Place, dict[str, Any]] | None = None
        for number, run in enumerate(runs):
            for offset, record in locate_records(run):
                place = Place(number, offset)
                self._cases.setdefault(record["case_id"], place)
                for call, _ in calls_of(record):
                    self._calls.setdefault(call.digest(), place)
                for asked, _ in self._asked(number, record):
                    self._answers.setdefault(asked.digest(), place)

    @property
    def named(self) -> str:
        """The runs, for messages."""
        return ", ".join(map(str, self.runs))

    def case(self, case_id: str) -> dict[str, Any] | None:
        """Return the record of a case; None where no run has it."""
        place = self._cases.get(case_id)
        return None if place is None else self._record(place)

    def judged(self, case_id: str, judge: str) -> dict[str, Any] | None:
        """Return the record of a case; None where no run has it, or not one that this judge judged.

        Args:
            case_id: The case.
            judge: Who judged, as `who` tells.
        """
        place = self._cases.get(case_id)
        if place is None or self._judges[place.run] != judge:
            return None
        return self._record(place)

    def calling(self, call: Call) -> dict[str, Any] | None:
        """Return a record that has a call of the graph; None where none has it."""
        place = self._calls.get(call.digest())
        return None if place is None else self._record(place)

    def answer(self, case_id: str, asked: Asked) -> dict[str, Any] | None:
        """Return the round that answers a question, the case's own before others; None where none does."""
        places = (self._cases.get(case_id), self._answers.get(asked.digest()))
        for place in dict.fromkeys(place for place in places if place is not None):
            for other, turn in self._asked(place.run, self._record(place)):
                if other == asked:
                    return turn
        return None

    def _record(self, place: Place) -> dict[str, Any]:
        # A case is looked up several times in a row.
        if self._read is None or self._read[0] != place:
            self._read = (place, read_record_at(self.runs[place.run], place.offset))
        return self._read[1]

    def _asked(self, run: int, record: Mapping[str, Any]) -> Iterator[tuple[Asked, dict[str, Any]]]:
        generators, players, writers = self._models[run]
        before: Counter[tuple[str, str]] = Counter()
        for turn in record["rounds"]:
            who_answers = generators if turn["role"] == _GENERATOR else players
            if is_of_answer(turn["role"]):
                who_answers = writers
            model, sha256 = who_answers.get(record["model"]), turn["messages_sha256"]
            if is_of_judge(turn["role"]):
                model = self._judges[run]
            failed = is_of_answer(turn["role"]) and turn["verdict"] == "error"
            if model is not None and sha256 is not None and not failed:
                yield Asked(model, sha256, before[model, sha256]), turn
                before[model, sha256] += 1


def who(spec: Mapping[str, str], seed: int) -> str | None:
    """Return what tells a model that reads messages from others; None of the other models.

    Weights are told by the name of their file: the folder may be another on another machine.

    Args:
        spec: Kind and argument, as a manifest has them.
        seed: The seed of the run.
    """
    if spec["kind"] not in TEXT_KINDS:
        return None
    name = Path(spec["argument"]).name if spec["kind"] == "gguf" else spec["argument"]
    return json.dumps([spec["kind"], name, seed])


class _Models(NamedTuple):
    """Who answers in a run, by the label of the case's model: with queries, in loops, and in words."""

    generators: dict[str, str]
    players: dict[str, str]
    writers: dict[str, str]


def _judge(manifest: Mapping[str, Any]) -> str | None:
    judge = manifest.get("judge")
    return None if judge is None else who(judge["model"], manifest["options"]["seed"])


def _models(manifest: Mapping[str, Any]) -> _Models:
    seed = manifest["options"]["seed"]
    answering = manifest.get("answering") or {"writers": {}}
    parts = (
        {spec["label"]: spec for spec in manifest["models"]},
        manifest["loops"]["players"],
        answering["writers"],
    )
    known = ({label: who(spec, seed) for label, spec in part.items()} for part in parts)
    return _Models(*({label: model for label, model in part.items() if model} for part in known))
