"""Completions that models were asked for: number, tokens, cost, time."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import UNSET, Struct, convert

from retrocypher.plugins.runs.manifest import AnswerCounts, ModelUsage, Served, Tokens
from retrocypher.plugins.runs.record import GENERATOR, JsonValue, Judgement, Record, Round

_JUDGE = "judge:"
_Served = tuple[str | None, str | None]


class _MadeOnce(Struct):
    time_s: float
    tokens: dict[str, int] | None
    cost: float | None
    cached: bool


class _Counts:
    def __init__(self) -> None:
        self.asked = self.from_cache = self.without_tokens = 0
        self.tokens: Counter[str] = Counter()
        self.tokens_from_cache: Counter[str] = Counter()
        self.cost: float | None = None
        self.seconds = 0.0
        self.served: Counter[_Served] = Counter()

    def add(self, turn: Round | Judgement | _MadeOnce, findings: Sequence[JsonValue] = ()) -> None:
        """Add one completion, with what the model reported beside it."""
        if turn.cached:
            self.from_cache += 1
            self.tokens_from_cache.update(turn.tokens or {})
        else:
            self.asked += 1
            self.seconds += turn.time_s
            self.tokens.update(turn.tokens or {})
            self.without_tokens += turn.tokens is None
        if turn.cost is not None:
            self.cost = (self.cost or 0.0) + turn.cost
        if (served := _served(findings)) != (None, None):
            self.served[served] += 1

    def entry(self) -> ModelUsage:
        """Return the counts as a manifest holds them."""
        return ModelUsage(
            asked=self.asked,
            from_cache=self.from_cache,
            without_tokens=self.without_tokens,
            tokens=Tokens(self.tokens["prompt"], self.tokens["completion"]),
            tokens_from_cache=Tokens(self.tokens_from_cache["prompt"], self.tokens_from_cache["completion"]),
            cost=self.cost,
            seconds=round(self.seconds, 3),
            served=[
                Served(*names, count)
                for names, count in sorted(
                    self.served.items(), key=lambda each: tuple(name or "" for name in each[0])
                )
            ],
        )


def _served(findings: Sequence[JsonValue]) -> _Served:
    """Return what the server called the model that answered, and its build; None if it did not report it."""
    reported: dict[str, str] = {}
    for finding in findings:
        if isinstance(finding, Mapping) and {"attempts", "finish_reason"} & finding.keys():
            reported |= {name: value for name, value in finding.items() if isinstance(value, str)}
    return reported.get("model"), reported.get("system_fingerprint")


class Usage:
    """Completions of a run; ``players`` and ``writers`` are labels of models for roles and answers."""

    def __init__(
        self, players: Mapping[str, str] | None = None, writers: Mapping[str, str] | None = None
    ) -> None:
        self._players = dict(players or {})
        self._writers = dict(writers or {})
        self._models: dict[str, _Counts] = {}
        self._once = _Counts()

    @property
    def asked(self) -> int:
        """Number of completions requested in this run."""
        return sum(each.asked for each in self._each())

    @property
    def from_cache(self) -> int:
        """Number of completions from the cache."""
        return sum(each.from_cache for each in self._each())

    @property
    def cost(self) -> float | None:
        """Cost of the completions requested in USD, at list prices; None if no price is known."""
        known = [each.cost for each in self._each() if each.cost is not None]
        return math.fsum(known) if known else None

    def add(self, record: Record) -> None:
        """Add the rounds of a record, and its judgements."""
        for turn in record.rounds:
            if turn.asked_model:
                self._of(_asked(turn, record, self._players, self._writers)).add(turn, turn.findings)
        for judgement in record.judge.judgements.values() if record.judge else ():
            if judgement.time_s > 0:
                self._of(f"{_JUDGE}{judgement.model}").add(judgement, [judgement.details])

    def add_once(self, made: Iterable[Mapping[str, JsonValue]]) -> None:
        """Add completions made once for the run, ``loops.once`` of a manifest."""
        for each in made:
            self._once.add(convert(each, _MadeOnce))

    def counts(self, cache: str | None = None) -> AnswerCounts:
        """Return the counts, as ``answers`` of a manifest holds them.

        ``by_model`` has a judge as ``judge:LABEL``. Completions made once for the run are in the totals only.
        """
        by_model = {label: self._models[label].entry() for label in sorted(self._models)}
        return AnswerCounts(cache, self.asked, self.from_cache, self.cost, by_model)

    def _of(self, label: str) -> _Counts:
        return self._models.setdefault(label, _Counts())

    def _each(self) -> Iterable[_Counts]:
        return (*self._models.values(), self._once)


def _asked(turn: Round, record: Record, players: Mapping[str, str], writers: Mapping[str, str]) -> str:
    """Return the label of the model that was asked in a round."""
    if turn.of_judge:
        judge = record.verification.judge if record.verification else UNSET
        return f"{_JUDGE}{judge.model if judge is not UNSET else None}"
    if turn.of_answer:
        return writers.get(record.model, record.model)
    return record.model if turn.role == GENERATOR else players.get(record.model, record.model)
