"""What one model was asked for."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from retrocypher.plugins.judge.criteria import judgements_of
from retrocypher.plugins.runs.record import asked_a_model, is_of_answer, is_of_judge

_KINDS = ("prompt", "completion")
Served = tuple[str | None, str | None]


@dataclass(slots=True)
class ModelUsage:
    """What one model was asked for; fields as `Usage.to_json` explains them."""

    asked: int = 0
    from_cache: int = 0
    without_tokens: int = 0
    tokens: Counter[str] = field(default_factory=Counter)
    tokens_from_cache: Counter[str] = field(default_factory=Counter)
    cost: float | None = None
    seconds: float = 0.0
    served: Counter[Served] = field(default_factory=Counter)

    def add(self, turn: Mapping[str, Any]) -> None:
        """Count in what one answer took."""
        cached, tokens = bool(turn["cached"]), turn["tokens"]
        if cached:
            self.from_cache += 1
            self.tokens_from_cache.update(tokens or {})
        else:
            self.asked += 1
            self.seconds += turn["time_s"]
            self.tokens.update(tokens or {})
            self.without_tokens += tokens is None
        if turn["cost"] is not None:
            self.cost = (self.cost or 0.0) + turn["cost"]
        if (served := _served(turn.get("findings", ()))) != (None, None):
            self.served[served] += 1

    def to_json(self) -> dict[str, Any]:
        """Return the counts as one JSON object."""
        return {
            "asked": self.asked,
            "from_cache": self.from_cache,
            "without_tokens": self.without_tokens,
            "tokens": {kind: self.tokens[kind] for kind in _KINDS},
            "tokens_from_cache": {kind: self.tokens_from_cache[kind] for kind in _KINDS},
            "cost": self.cost,
            "seconds": round(self.seconds, 3),
            "served": [
                {"model": model, "system_fingerprint": fingerprint, "answers": count}
                for (model, fingerprint), count in sorted(self.served.items(), key=_by_name)
            ],
        }


def _served(findings: Any) -> Served:
    """Return what the server called the model that answered, and its build; None for what it did not say."""
    told: dict[str, str] = {}
    for finding in findings:
        if isinstance(finding, Mapping) and {"attempts", "finish_reason"} & finding.keys():
            told |= {name: value for name, value in finding.items() if isinstance(value, str)}
    return told.get("model"), told.get("system_fingerprint")


def _by_name(entry: tuple[Served, int]) -> tuple[str, str]:
    (model, fingerprint), _ = entry
    return model or "", fingerprint or ""


_FIRST = "generator"
_JUDGE = "judge:"


class Usage:
    """What the models of a run were asked for, by its records; models that read no messages are left out.

    Args:
        players: By label of a model, the label of the one that plays the roles of its loops, where that is
            another.
        writers: By label of a model, the label of the one that writes its answers, where that is another.
    """

    def __init__(
        self, players: Mapping[str, str] | None = None, writers: Mapping[str, str] | None = None
    ) -> None:
        self._players = dict(players or {})
        self._writers = dict(writers or {})
        self._models: dict[str, ModelUsage] = {}
        self._once = ModelUsage()

    @property
    def asked(self) -> int:
        """How many answers were asked for in this run."""
        return sum(each.asked for each in self._each())

    @property
    def from_cache(self) -> int:
        """How many answers were had before."""
        return sum(each.from_cache for each in self._each())

    @property
    def cost(self) -> float | None:
        """What the answers asked for cost in USD, at list prices; None where no price is known."""
        known = [each.cost for each in self._each() if each.cost is not None]
        return math.fsum(known) if known else None

    def add(self, record: Mapping[str, Any]) -> None:
        """Count the rounds of a record in, and its judgements."""
        label = str(record["model"])
        for turn in record["rounds"]:
            if asked_a_model(turn):
                asked = label
                if is_of_judge(turn["role"]):
                    asked = f"{_JUDGE}{_measured_by(record)}"
                elif is_of_answer(turn["role"]):
                    asked = self._writers.get(label, label)
                elif turn["role"] != _FIRST:
                    asked = self._players.get(label, label)
                self._models.setdefault(asked, ModelUsage()).add(turn)
        for _, judgement in judgements_of(record):
            if judgement.time_s > 0:
                turn = {**judgement.to_json(), "findings": [judgement.details]}
                self._models.setdefault(f"{_JUDGE}{judgement.model}", ModelUsage()).add(turn)

    def add_once(self, made: Iterable[Mapping[str, Any]]) -> None:
        """Count in what was made once for the run, as ``loops.once`` of a manifest lists it."""
        for each in made:
            self._once.add(each)

    def to_json(self) -> dict[str, Any]:
        """Return ``asked``, ``from_cache``, ``cost``, and ``by_model`` by label.

        A judge is in ``by_model`` as ``judge:LABEL``. What was made once for the run is in the first three
        alone. Of a model, ``tokens``, ``seconds``, ``cost`` and ``without_tokens`` (answers whose tokens were
        not told) are of the answers asked for now; ``served`` counts, over those from the cache too, who the
        server said had answered.
        """
        return {
            "asked": self.asked,
            "from_cache": self.from_cache,
            "cost": self.cost,
            "by_model": {label: self._models[label].to_json() for label in sorted(self._models)},
        }

    def _each(self) -> Iterable[ModelUsage]:
        return (*self._models.values(), self._once)


def _measured_by(record: Mapping[str, Any]) -> str:
    """Label of the judge that measured the written answer of a case."""
    return str(((record.get("verification") or {}).get("judge") or {}).get("model"))
