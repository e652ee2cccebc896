"""Models compared by F1 against cost and time, for the Pareto front."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isnan, nan

from msgspec import Struct
from msgspec.structs import asdict

from retrocypher.plugins.runs.manifest import Manifest, ModelEntry
from retrocypher.plugins.runs.record import GENERATOR, NO_LOOP, Record
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.plugins.statistics.means import mean_of
from retrocypher.prompts.models.prices import Price, load_prices

MEASURES = {
    "usd_per_1000_cases": "List price, USD per 1,000 cases",
    "seconds_per_case": "Seconds of model calls per case",
}
"""What a model should have little of, with its name for readers."""


class ModelResult(Struct, frozen=True, kw_only=True):
    """A model and loop: how well it does, and what that takes."""

    model: str
    loop: str
    run: str = ""
    """Name of the run; empty for several runs together."""
    cases: int
    f1: Estimate
    price: Price | None
    """List price of the model under test; None if it is not known."""
    tokens_per_case: float | None
    """Tokens of all calls, as the API counted them; None if a call has no count, or no model was asked."""
    seconds_per_case: float | None
    """Seconds of all calls, cached ones as when they were made; None if no model was asked."""
    usd_per_1000_cases: float | None
    """By list price, cached calls included; None if tokens or a price are not known."""

    @property
    def name(self) -> str:
        """Its name for readers: model, loop if there is one, and run."""
        return ", ".join(filter(None, (self.model, self.loop if self.loop != NO_LOOP else "", self.run)))


def front_of(results: Sequence[ModelResult], measure: str) -> list[ModelResult]:
    """Return the results that no other one dominates.

    One dominates another with an F1 as high and as little of one of `MEASURES`, if it is better in either.
    Results without F1 or the measure are in no front.
    """
    points = [
        (each, each.f1.value, float(taken))
        for each in results
        if each.f1.value is not None and (taken := getattr(each, measure)) is not None
    ]
    return [
        each
        for each, f1, taken in points
        if not any(g >= f1 and t <= taken and (g > f1 or t < taken) for _, g, t in points)
    ]


@dataclass(slots=True)
class _Tally:
    f1: list[float] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    asked: int = 0
    tokens: float = 0.0
    """NaN from the first call on whose number is not known, as `usd`."""
    seconds: float = 0.0
    usd: float = 0.0
    price: Price | None = None

    def per_case(self, total: float, often: int = 1) -> float | None:
        """Return a total per case, or for so many; None if it is not known or nothing was asked."""
        return None if not self.asked or isnan(total) else often * total / len(self.f1)


class ModelResults:
    """Adds up the results of models and loops, case by case."""

    def __init__(self) -> None:
        self._tallies: dict[tuple[str, str], _Tally] = defaultdict(_Tally)

    def add(self, record: Record, cluster: str, manifest: Manifest) -> None:
        """Add a record of a run; one without scores is ignored."""
        if record.scores is None or not record.was_run:
            return
        tally = self._tallies[record.model, record.loop]
        tally.f1.append(record.scores.f1)
        tally.clusters.append(cluster)
        own = manifest.model(record.model)
        price, of_roles = _price(own), _price(manifest.loops.players.get(record.model, own))
        tally.price = tally.price or price
        for turn in record.rounds:
            if turn.asked_model and not turn.of_answer:
                asked, tokens = price if turn.role == GENERATOR else of_roles, turn.tokens
                tally.asked += 1
                tally.seconds += turn.time_s
                tally.tokens += nan if tokens is None else turn.token_count
                tally.usd += nan if asked is None or tokens is None else asked.cost(asdict(tokens))

    def results(self, run: str = "") -> list[ModelResult]:
        """Return the results, in the order in which models and loops occurred."""
        return [_result(*key, tally, run) for key, tally in self._tallies.items()]


def _price(model: ModelEntry | None) -> Price | None:
    return load_prices().of(model.argument) if model is not None and model.kind == "openai" else None


def _result(model: str, loop: str, tally: _Tally, run: str) -> ModelResult:
    return ModelResult(
        model=model,
        loop=loop,
        run=run,
        cases=len(tally.f1),
        f1=mean_of(tally.f1, tally.clusters),
        price=tally.price,
        tokens_per_case=tally.per_case(tally.tokens),
        seconds_per_case=tally.per_case(tally.seconds),
        usd_per_1000_cases=tally.per_case(tally.usd, 1000),
    )


def called_models(results: Sequence[ModelResult]) -> list[ModelResult]:
    """Return the results of models that were called, so that time and perhaps cost are known."""
    return [each for each in results if each.seconds_per_case is not None]


def with_fronts(results: Sequence[ModelResult]) -> Iterator[tuple[ModelResult, dict[str, bool]]]:
    """Yield results with, for each of `MEASURES`, whether they are on the front."""
    fronts = {measure: front_of(results, measure) for measure in MEASURES}
    for each in results:
        yield each, {measure: each in front for measure, front in fronts.items()}
