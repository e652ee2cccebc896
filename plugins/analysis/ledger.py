"""The ledger: what loops repaired and broke, by model and loop, and what that cost."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec import Struct

from retrocypher.plugins.analysis.summary import listed_first
from retrocypher.plugins.runs.record import GENERATOR, NO_LOOP, Record, Round, RoundResult
from retrocypher.plugins.statistics.means import Ratio, Ratios

_VALIDATOR = "validator:"
_REVIEWERS = ("reviewer", "result_analyst")


class FirstCheck(Struct, frozen=True):
    """The first check of a query by a validator or a reviewer in a case."""

    validator: str
    """Its name; of a reviewer of self-review its role."""
    wrong: bool
    """Whether the checked query has an error label."""
    flagged: bool
    """Whether the validator found something."""
    malformed: bool
    """Whether its completion could not be understood."""
    label: str | None
    """Primary error label of the query; None if nothing is wrong."""
    repaired: bool
    """Whether it flagged a wrong query and the case passed."""
    broken: bool
    """Whether it flagged a right query and the case failed."""


class Pair(Struct, frozen=True):
    """A case with a loop, and what its first completion alone would have scored."""

    cluster: str
    """The cluster of the question."""
    label: str | None
    """Primary error label of the first completion; None if nothing was wrong."""
    ran_before: bool
    """Whether the query of the first completion ran to its end."""
    right_before: bool
    """Whether the query of the first completion passes."""
    right_after: bool
    f1_before: float
    """F1 of the query of the first completion."""
    f1_after: float
    calls: int
    """Calls of a model beyond the first."""
    tokens: int
    """Tokens of these calls, prompt and completion together, as far as reported."""
    seconds: float
    """Seconds of all rounds beyond the first."""
    cost: float | None
    """Cost of these calls in USD; None if none is known."""
    checks: tuple[FirstCheck, ...]


def pair_of(record: Record, cluster: str) -> Pair | None:
    """Return a record as a pair; None if it has no loop or no scores."""
    if record.loop == NO_LOOP or record.scores is None:
        return None
    first = _first(record)
    rest = [turn for turn in record.rounds if not turn.of_answer and turn is not first]
    results = _results(record.rounds)
    before = results.get(first.cypher) if first else None
    if before is None:
        return None
    # Tokens and time of a cached completion are those of the original call.
    calls = [turn for turn in rest if turn.asked_model]
    costs = [turn.cost for turn in calls if turn.cost is not None]
    return Pair(
        cluster=cluster,
        label=next(iter(before.errors), None),
        ran_before=before.status == "ok",
        right_before=before.passed,
        right_after=record.passed,
        f1_before=before.f1,
        f1_after=record.scores.f1,
        calls=len(calls),
        tokens=sum(turn.token_count for turn in calls),
        seconds=sum(turn.time_s for turn in rest),
        cost=sum(costs) if costs else None,
        checks=tuple(_checks(rest, results, record.passed)),
    )


def _first(record: Record) -> Round | None:
    """The first completion; a loop may ask before it, as self-review asks its schema analyst."""
    return next((turn for turn in record.rounds if turn.role == GENERATOR and not turn.of_answer), None)


def _results(rounds: Sequence[Round]) -> dict[str | None, RoundResult]:
    return {turn.cypher: result for turn in rounds if (result := turn.result) is not None}


def _checks(
    rounds: Sequence[Round], results: Mapping[str | None, RoundResult], passed: bool
) -> Iterator[FirstCheck]:
    seen: set[str] = set()
    for turn in rounds:
        name = turn.role.removeprefix(_VALIDATOR)
        result = results.get(turn.cypher)
        checks = name != turn.role or name in _REVIEWERS
        if not checks or name in seen or result is None or result.status != "ok":
            continue
        seen.add(name)
        flagged = turn.verdict in ("invalid", "rejected")
        wrong = bool(result.errors)
        yield FirstCheck(
            validator=name,
            wrong=wrong,
            flagged=flagged,
            malformed=turn.verdict == "malformed",
            label=next(iter(result.errors), None),
            repaired=wrong and flagged and passed,
            broken=not wrong and flagged and not passed,
        )


ALL = "all"
NO_LABEL = "right"
COUNTS = ("cases", "repaired", "broken", "unchanged_right", "unchanged_wrong")
LOST = ("worsened", "f1_lost", "f1_lost_by_worsened")
SPENT = ("calls", "tokens", "seconds")


class PerRepaired(Struct, frozen=True):
    """What the rounds beyond the first took, divided by the number of repaired cases."""

    calls: Ratio
    tokens: Ratio
    seconds: Ratio
    cost: float | None
    """In USD; None if no cost is known or no case was repaired."""


@dataclass(frozen=True, kw_only=True)
class LoopEntry:
    """A model and loop in the ledger; this is all if there is no pair."""

    model: str
    loop: str
    validator: str | None
    """Name of the validator; `both` for several."""
    left_out: int
    """Number of cases without scores."""
    cases: int = 0
    """Number of pairs."""


@dataclass(frozen=True, kw_only=True)
class LoopCounts:
    """What a loop repaired and broke in some cases, at least one, and what that cost."""

    cases: int
    repaired: int
    """Cases that were wrong before and right after."""
    broken: int
    """Cases that were right before and wrong after."""
    unchanged_right: int
    unchanged_wrong: int
    worsened: int
    """Cases that were wrong before and have a lower F1 after; `unchanged_wrong` counts them too."""
    f1_lost: float
    """Sum of the F1 that cases lost, 1 for a whole case."""
    f1_lost_by_worsened: float
    """The part of `f1_lost` that `worsened` cases lost."""
    repair_rate: Ratio
    """Share of repaired cases among those that were wrong before."""
    breakage_rate: Ratio
    """Share of broken cases among those that were right before."""
    f1_before: float
    """Mean F1 of the first completions."""
    f1_after: float
    f1_gain: Ratio
    calls: int
    """Calls of a model beyond the first of each case."""
    tokens: int
    seconds: float
    cost: float | None
    """Cost of these calls in USD; None if none is known."""
    per_repaired: PerRepaired


class ValidatorCounts(Struct, frozen=True):
    """How well a validator detects wrong queries, as figure A2 of the paper counts it."""

    looked_at: int
    """Number of cases in which it checked a query that ran."""
    malformed: int
    """Number of checks whose completion could not be understood."""
    retrieval_error_rate: Ratio
    """Share of wrong queries."""
    non_detected_error_rate: Ratio
    """Share of wrong queries that were not flagged."""
    non_corrected_error_rate: Ratio
    """Share of wrong queries that were not repaired."""
    false_alarm_rate: Ratio
    """Share of right queries that were flagged."""
    broken: int
    """Number of right queries that were flagged and whose case failed in the end."""
    error_coverage: Ratio
    """Share of wrong queries with a label other than `other`."""
    detected_by_label: dict[str, dict[str, int]]
    """Number of `errors` and of `detected` ones, by primary label."""


@dataclass(frozen=True, kw_only=True)
class LedgerEntry(LoopCounts, LoopEntry):
    """A model and loop with pairs; the inherited counts are of all pairs."""

    # Dataclasses, not structs: a struct can have only one base with fields.
    by_label: dict[str, LoopCounts]
    """Counts by primary label of the first completion (`right` for none), the most frequent first."""
    validators: dict[str, ValidatorCounts]

    @property
    def rows(self) -> list[tuple[str, LoopCounts]]:
        """The counts of all pairs, then by label."""
        return [(ALL, self), *self.by_label.items()]


def _counts(pairs: Sequence[Pair], selected: Sequence[bool], ratios: Ratios) -> LoopCounts:
    chosen = [pair for pair, counts in zip(pairs, selected, strict=True) if counts]
    wrong = [counts and not pair.right_before for pair, counts in zip(pairs, selected, strict=True)]
    right = [counts and pair.right_before for pair, counts in zip(pairs, selected, strict=True)]
    repaired = [was and pair.right_after for pair, was in zip(pairs, wrong, strict=True)]
    broken = [was and not pair.right_after for pair, was in zip(pairs, right, strict=True)]
    gains = [counts * (pair.f1_after - pair.f1_before) for pair, counts in zip(pairs, selected, strict=True)]
    spent = {
        name: ratios.ratio(
            [counts * float(getattr(pair, name)) for pair, counts in zip(pairs, selected, strict=True)],
            repaired,
        )
        for name in SPENT
    }
    losses = [max(0.0, -gain) for gain in gains]
    worsened = [loss for loss, was in zip(losses, wrong, strict=True) if was and loss]
    costs = [pair.cost for pair in chosen if pair.cost is not None]
    cost = sum(costs) if costs else None
    seconds = float(sum(pair.seconds for pair in chosen))
    return LoopCounts(
        cases=len(chosen),
        repaired=sum(repaired),
        broken=sum(broken),
        unchanged_right=sum(right) - sum(broken),
        unchanged_wrong=sum(wrong) - sum(repaired),
        worsened=len(worsened),
        f1_lost=sum(losses),
        f1_lost_by_worsened=sum(worsened),
        repair_rate=ratios.rate(repaired, wrong),
        breakage_rate=ratios.rate(broken, right),
        f1_before=sum(pair.f1_before for pair in chosen) / len(chosen),
        f1_after=sum(pair.f1_after for pair in chosen) / len(chosen),
        f1_gain=ratios.gain(gains, selected),
        calls=sum(pair.calls for pair in chosen),
        tokens=sum(pair.tokens for pair in chosen),
        seconds=int(seconds) if seconds.is_integer() else round(seconds, 3),
        cost=cost,
        per_repaired=PerRepaired(
            **spent, cost=cost / sum(repaired) if cost is not None and any(repaired) else None
        ),
    )


def _validator_counts(pairs: Sequence[Pair], name: str, ratios: Ratios) -> ValidatorCounts:
    checks = [next((check for check in pair.checks if check.validator == name), None) for pair in pairs]
    checked = [check is not None for check in checks]
    wrong = [check is not None and check.wrong for check in checks]
    right = [check is not None and not check.wrong for check in checks]
    flagged = [check is not None and check.flagged for check in checks]
    repaired = [check is not None and check.repaired for check in checks]
    missed = [was and not found for was, found in zip(wrong, flagged, strict=True)]
    alarms = [was and found for was, found in zip(right, flagged, strict=True)]
    covered = [check is not None and check.wrong and check.label != "other" for check in checks]
    left = [was and not found for was, found in zip(wrong, repaired, strict=True)]
    return ValidatorCounts(
        looked_at=sum(checked),
        malformed=sum(check.malformed for check in checks if check is not None),
        retrieval_error_rate=ratios.rate(wrong, checked),
        non_detected_error_rate=ratios.rate(missed, wrong),
        non_corrected_error_rate=ratios.rate(left, wrong),
        false_alarm_rate=ratios.rate(alarms, right),
        broken=sum(check.broken for check in checks if check is not None),
        error_coverage=ratios.rate(covered, wrong),
        detected_by_label=_detected([check for check in checks if check is not None and check.wrong]),
    )


def _detected(checks: Sequence[FirstCheck]) -> dict[str, dict[str, int]]:
    errors = Counter(check.label or "other" for check in checks)
    found = Counter(check.label or "other" for check in checks if check.flagged)
    return {label: {"errors": errors[label], "detected": found[label]} for label in sorted(errors)}


class Ledger:
    """Pairs each case of a loop with what its first completion alone would have scored.

    That is what the loop ``none`` would have scored with the same completion, on the same question, prompt,
    shot and model, so a run of one loop has all its pairs.

    Args:
        clusters: By question id, the cluster of the question.
    """

    def __init__(self, clusters: Mapping[str, str]) -> None:
        self._clusters = clusters
        self._pairs: dict[tuple[str, str], list[tuple[str, Pair]]] = defaultdict(list)
        self._left_out: dict[tuple[str, str], int] = defaultdict(int)

    def add(self, record: Record) -> None:
        """Add a record; one without a loop is ignored, and one without scores is only counted."""
        if record.loop == NO_LOOP:
            return
        key, question = (record.model, record.loop), record.question_id
        pair = pair_of(record, self._clusters.get(question, question))
        if pair is None:
            self._left_out[key] += 1
        else:
            self._pairs[key].append((record.case_id, pair))

    def entries(self, models: Sequence[str] = (), loops: Sequence[str] = ()) -> list[LoopEntry]:
        """Return one entry for each model and loop, those with pairs as `LedgerEntry`.

        Models and loops come in the orders given; those not named come last, by name.
        """
        keys = {*self._pairs, *self._left_out}
        ordered = sorted(keys, key=lambda key: (listed_first(key[0], models), listed_first(key[1], loops)))
        return [self._entry(*key) for key in ordered]

    def _entry(self, model: str, loop: str) -> LoopEntry:
        pairs = [pair for _, pair in sorted(self._pairs[model, loop], key=lambda each: each[0])]
        validators = sorted({check.validator for pair in pairs for check in pair.checks})
        of_loop = [name for name in validators if name not in _REVIEWERS]
        validator = "both" if len(of_loop) > 1 else next(iter(of_loop), None)
        left_out = self._left_out[model, loop]
        if not pairs:
            return LoopEntry(model=model, loop=loop, validator=validator, left_out=left_out)
        ratios = Ratios([pair.cluster for pair in pairs])
        labels = Counter(pair.label or NO_LABEL for pair in pairs)
        return LedgerEntry(
            model=model,
            loop=loop,
            validator=validator,
            left_out=left_out,
            **vars(_counts(pairs, [True] * len(pairs), ratios)),
            by_label={
                label: _counts(pairs, [(pair.label or NO_LABEL) == label for pair in pairs], ratios)
                for label, _ in sorted(labels.items(), key=lambda item: (-item[1], item[0]))
            },
            validators={name: _validator_counts(pairs, name, ratios) for name in validators},
        )
