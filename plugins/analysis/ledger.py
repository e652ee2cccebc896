"""The ledger: what loops repaired and broke, by model and loop, and what that cost."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from retrocypher.plugins.runs.record import NO_LOOP, JsonValue, Record, Round, RoundResult

if TYPE_CHECKING:
    from retrocypher.plugins.statistics.means import Ratios


_VALIDATOR = "validator:"


class FirstCheck(Struct, frozen=True):
    """The first check of a query by a validator in a case."""

    validator: str
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


class Pair(Struct, frozen=True):
    """A case with a loop, and what its first completion alone would have scored."""

    target: str
    """The molecule that the question clusters by."""
    label: str | None
    """Primary error label of the first completion; None if nothing was wrong."""
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


def pair_of(record: Record, target: str) -> Pair | None:
    """Return a record as a pair; None if it has no loop or no scores."""
    if record.loop == NO_LOOP or record.scores is None:
        return None
    first, *rest = [turn for turn in record.rounds if not turn.of_answer]
    results = _results(record.rounds)
    before = results.get(first.cypher)
    if before is None:
        return None
    # Tokens and time of a cached completion are those of the original call.
    asked = [turn for turn in rest if turn.asked_model]
    costs = [turn.cost for turn in asked if turn.cost is not None]
    return Pair(
        target=target,
        label=next(iter(before.errors), None),
        right_before=before.passed,
        right_after=record.passed,
        f1_before=before.f1,
        f1_after=record.scores.f1,
        calls=len(asked),
        tokens=sum(turn.token_count for turn in asked),
        seconds=sum(turn.time_s for turn in rest),
        cost=sum(costs) if costs else None,
        checks=tuple(_checks(rest, results, record.passed)),
    )


def _results(rounds: Sequence[Round]) -> dict[str | None, RoundResult]:
    return {turn.cypher: result for turn in rounds if (result := turn.result) is not None}


def _checks(
    rounds: Sequence[Round], results: Mapping[str | None, RoundResult], passed: bool
) -> Iterator[FirstCheck]:
    seen: set[str] = set()
    for turn in rounds:
        name = turn.role.removeprefix(_VALIDATOR)
        result = results.get(turn.cypher)
        if name == turn.role or name in seen or result is None or result.status != "ok":
            continue
        seen.add(name)
        flagged = turn.verdict == "invalid"
        wrong = bool(result.errors)
        yield FirstCheck(
            validator=name,
            wrong=wrong,
            flagged=flagged,
            malformed=turn.verdict == "malformed",
            label=next(iter(result.errors), None),
            repaired=wrong and flagged and passed,
        )


NO_LABEL = "right"
SPENT = ("calls", "tokens", "seconds")


def entry_of(pairs: Sequence[Pair]) -> dict[str, JsonValue]:
    """Return counts, rates and costs of some cases, at least one: all together, and by primary label."""
    # Imported late: runs without loops need not wait for NumPy and SciPy.
    from retrocypher.plugins.statistics.means import Ratios

    ratios = Ratios([pair.target for pair in pairs])
    every = [True] * len(pairs)
    labels = Counter(pair.label or NO_LABEL for pair in pairs)
    names = sorted({check.validator for pair in pairs for check in pair.checks})
    return {
        **_counts(pairs, every, ratios),
        "by_label": {
            label: _counts(pairs, [(pair.label or NO_LABEL) == label for pair in pairs], ratios)
            for label, _ in sorted(labels.items(), key=lambda item: (-item[1], item[0]))
        },
        "validators": {name: _validator(pairs, name, ratios) for name in names},
    }


def _counts(pairs: Sequence[Pair], within: Sequence[bool], ratios: "Ratios") -> dict[str, JsonValue]:
    chosen = [pair for pair, counts in zip(pairs, within, strict=True) if counts]
    wrong = [counts and not pair.right_before for pair, counts in zip(pairs, within, strict=True)]
    right = [counts and pair.right_before for pair, counts in zip(pairs, within, strict=True)]
    repaired = [was and pair.right_after for pair, was in zip(pairs, wrong, strict=True)]
    broken = [was and not pair.right_after for pair, was in zip(pairs, right, strict=True)]
    gains = [counts * (pair.f1_after - pair.f1_before) for pair, counts in zip(pairs, within, strict=True)]
    spent = {
        name: [counts * float(getattr(pair, name)) for pair, counts in zip(pairs, within, strict=True)]
        for name in SPENT
    }
    costs = [pair.cost for pair in chosen if pair.cost is not None]
    sums = {name: float(sum(values)) for name, values in spent.items()}
    return {
        "cases": len(chosen),
        "repaired": sum(repaired),
        "broken": sum(broken),
        "unchanged_right": sum(right) - sum(broken),
        "unchanged_wrong": sum(wrong) - sum(repaired),
        "repair_rate": ratios.rate(repaired, wrong),
        "breakage_rate": ratios.rate(broken, right),
        "f1_before": _mean([pair.f1_before for pair in chosen]),
        "f1_after": _mean([pair.f1_after for pair in chosen]),
        "f1_gain": ratios.gain(gains, within),
        **{name: int(each) if each.is_integer() else round(each, 3) for name, each in sums.items()},
        "cost": sum(costs) if costs else None,
        "per_repaired": {
            **{name: ratios.ratio(values, repaired) for name, values in spent.items()},
            "cost": sum(costs) / sum(repaired) if costs and sum(repaired) else None,
        },
    }


def _validator(pairs: Sequence[Pair], name: str, ratios: "Ratios") -> dict[str, JsonValue]:
    """Return how well a validator detects wrong queries, as figure A2 of the paper counts it."""
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
    return {
        "looked_at": sum(checked),
        "malformed": sum(check.malformed for check in checks if check is not None),
        "retrieval_error_rate": ratios.rate(wrong, checked),
        "non_detected_error_rate": ratios.rate(missed, wrong),
        "non_corrected_error_rate": ratios.rate(left, wrong),
        "false_alarm_rate": ratios.rate(alarms, right),
        "error_coverage": ratios.rate(covered, wrong),
        "detected_by_label": _detected([check for check in checks if check is not None and check.wrong]),
    }


def _detected(checks: Sequence[FirstCheck]) -> dict[str, dict[str, int]]:
    errors = Counter(check.label or "other" for check in checks)
    found = Counter(check.label or "other" for check in checks if check.flagged)
    return {label: {"errors": errors[label], "detected": found[label]} for label in sorted(errors)}


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


class Ledger:
    """Pairs each case of a loop with what its first completion alone would have scored.

    That is what the loop ``none`` would have scored with the same completion, on the same question, prompt,
    shot and model, so a run of one loop has all its pairs.

    Args:
        targets: By question id, the molecule that the question clusters by.
    """

    def __init__(self, targets: Mapping[str, str]) -> None:
        self._targets = targets
        self._pairs: dict[tuple[str, str], list[tuple[str, Pair]]] = defaultdict(list)
        self._left_out: dict[tuple[str, str], int] = defaultdict(int)

    def add(self, record: Record) -> None:
        """Add a record; one without a loop is ignored, and one without scores is only counted."""
        if record.loop == NO_LOOP:
            return
        key, question = (record.model, record.loop), record.question_id
        pair = pair_of(record, self._targets.get(question, question))
        if pair is None:
            self._left_out[key] += 1
        else:
            self._pairs[key].append((record.case_id, pair))

    def to_json(self) -> list[dict[str, JsonValue]]:
        """Return one entry for each model and loop, as ``summary.json`` holds them."""
        return [self._entry(*key) for key in sorted({*self._pairs, *self._left_out})]

    def _entry(self, model: str, loop: str) -> dict[str, JsonValue]:
        pairs = [pair for _, pair in sorted(self._pairs[model, loop], key=lambda each: each[0])]
        names = {check.validator for pair in pairs for check in pair.checks}
        head = {
            "model": model,
            "loop": loop,
            "validator": "both" if len(names) > 1 else next(iter(names), None),
            "left_out": self._left_out[model, loop],
        }
        return {**head, **(entry_of(pairs) if pairs else {"cases": 0})}


def ledger_of(records: Iterable[Record], targets: Mapping[str, str]) -> list[dict[str, JsonValue]]:
    """Return the `Ledger` of some records."""
    ledger = Ledger(targets)
    for record in records:
        ledger.add(record)
    return ledger.to_json()


COUNTS = ("cases", "repaired", "broken", "unchanged_right", "unchanged_wrong")
_RATES = ("repair_rate", "breakage_rate")
COLUMNS = (
    *("model", "loop", "validator", "label", *COUNTS),
    *(f"{rate}{end}" for rate in _RATES for end in ("", "_low", "_high")),
    *(f"{name}{of}" for of in ("", "_per_repaired") for name in (*SPENT, "cost")),
)
ALL = "all"


def ledger_rows(ledger: Sequence[Mapping[str, JsonValue]]) -> list[dict[str, JsonValue]]:
    """Return the ``ledger`` of a ``summary.json`` as rows with `COLUMNS`, for a report or a file.

    Each model and loop has a row with the label ``all``, then one for each primary label of the first
    completion (``right`` for those with none), the most frequent first.
    """
    return [row for entry in ledger if entry["cases"] for row in _rows(entry)]


def _rows(entry: Mapping[str, JsonValue]) -> Iterator[dict[str, JsonValue]]:
    for label, counts in ((ALL, entry), *entry["by_label"].items()):
        row = {name: entry[name] for name in COLUMNS[:3]} | {"label": label}
        row |= {name: counts[name] for name in COUNTS}
        for rate in _RATES:
            row |= {rate: counts[rate]["value"]}
            row |= {f"{rate}_{end}": counts[rate][end] for end in ("low", "high")}
        row |= {name: counts[name] for name in (*SPENT, "cost")}
        row |= {f"{name}_per_repaired": counts["per_repaired"][name]["value"] for name in SPENT}
        yield row | {"cost_per_repaired": counts["per_repaired"]["cost"]}
