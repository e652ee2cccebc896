"""The ledger of the cases of one model and loop."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retrocypher.plugins.runs.record import asked_a_model, is_of_answer

if TYPE_CHECKING:
    from retrocypher.plugins.statistics.ratios import Ratios


NO_LOOP = "none"
_VALIDATOR = "validator:"


@dataclass(frozen=True, slots=True)
class Look:
    """The first look of a validator in a case.

    Attributes:
        validator: Its name.
        wrong: Whether the query it looked at returns something wrong: it has an error label.
        flagged: Whether it found something.
        malformed: Whether what it said could not be understood.
        label: Primary error label of the query; None where nothing is wrong.
        repaired: Whether it flagged a wrong query and the case ended right.
    """

    validator: str
    wrong: bool
    flagged: bool
    malformed: bool
    label: str | None
    repaired: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """A case that went through a loop, beside what its first answer alone would have been worth.

    Attributes:
        target: The molecule it clusters by.
        label: Primary error label of the first answer; None where nothing was wrong with it.
        right_before: Whether the first answer's query passes.
        right_after: Whether the case passes.
        f1_before: F1 of the first answer's query.
        f1_after: F1 of the case.
        calls: Calls of a model beyond the first.
        tokens: Their tokens, prompt and completion together, as far as told.
        seconds: Wall-clock seconds of all rounds beyond the first.
        cost: What those calls cost in USD; None where none of them tells.
        looks: First looks of the validators.
    """

    target: str
    label: str | None
    right_before: bool
    right_after: bool
    f1_before: float
    f1_after: float
    calls: int
    tokens: int
    seconds: float
    cost: float | None
    looks: tuple[Look, ...]


def pair_of(record: Mapping[str, Any], target: str) -> Pair | None:
    """Return a record as a pair; None where it has no loop, or no scores.

    Args:
        record: A record as in ``records.jsonl``.
        target: The molecule that its question clusters by.
    """
    if record["loop"] == NO_LOOP or record["scores"] is None:
        return None
    first, *rest = [turn for turn in record["rounds"] if not is_of_answer(turn["role"])]
    results = _results(record["rounds"])
    before = results.get(first["cypher"])
    if before is None:
        return None
    # Of an answer from the cache, tokens and time are those of the call that it was had by.
    asked = [turn for turn in rest if asked_a_model(turn)]
    costs = [turn["cost"] for turn in asked if turn["cost"] is not None]
    return Pair(
        target=target,
        label=next(iter(before["errors"]), None),
        right_before=before["passed"],
        right_after=record["passed"],
        f1_before=before["f1"],
        f1_after=record["scores"]["f1"],
        calls=len(asked),
        tokens=sum(sum((turn["tokens"] or {}).values()) for turn in asked),
        seconds=sum(turn["time_s"] for turn in rest),
        cost=sum(costs) if costs else None,
        looks=tuple(_looks(rest, results, record["passed"])),
    )


def _results(rounds: Sequence[Mapping[str, Any]]) -> dict[str | None, Mapping[str, Any]]:
    """What each query of a case is worth."""
    return {
        turn["cypher"]: finding["result"]
        for turn in rounds
        for finding in turn["findings"]
        if isinstance(finding, Mapping) and "result" in finding
    }


def _looks(
    rounds: Sequence[Mapping[str, Any]], results: Mapping[str | None, Mapping[str, Any]], passed: bool
) -> Iterator[Look]:
    seen: set[str] = set()
    for turn in rounds:
        name = turn["role"].removeprefix(_VALIDATOR)
        result = results.get(turn["cypher"])
        if name == turn["role"] or name in seen or result is None or result["status"] != "ok":
            continue
        seen.add(name)
        flagged = turn["verdict"] == "invalid"
        wrong = bool(result["errors"])
        yield Look(
            validator=name,
            wrong=wrong,
            flagged=flagged,
            malformed=turn["verdict"] == "malformed",
            label=next(iter(result["errors"]), None) if wrong else None,
            repaired=wrong and flagged and passed,
        )


NO_LABEL = "right"
_SPENT = ("calls", "tokens", "seconds")


def entry_of(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return counts, rates and costs of some cases, all together and by primary label.

    Args:
        pairs: The cases, at least one.
    """
    # NumPy and SciPy take a sixth of a second, which a run without loops need not wait for.
    from retrocypher.plugins.statistics.ratios import Ratios

    ratios = Ratios([pair.target for pair in pairs])
    every = [True] * len(pairs)
    labels = Counter(pair.label or NO_LABEL for pair in pairs)
    names = sorted({look.validator for pair in pairs for look in pair.looks})
    return {
        **_counts(pairs, every, ratios),
        "by_label": {
            label: _counts(pairs, [(pair.label or NO_LABEL) == label for pair in pairs], ratios)
            for label, _ in sorted(labels.items(), key=lambda item: (-item[1], item[0]))
        },
        "validators": {name: _validator(pairs, name, ratios) for name in names},
    }


def _counts(pairs: Sequence[Pair], within: Sequence[bool], ratios: "Ratios") -> dict[str, Any]:
    chosen = [pair for pair, counts in zip(pairs, within, strict=True) if counts]
    wrong = [counts and not pair.right_before for pair, counts in zip(pairs, within, strict=True)]
    right = [counts and pair.right_before for pair, counts in zip(pairs, within, strict=True)]
    repaired = [was and pair.right_after for pair, was in zip(pairs, wrong, strict=True)]
    broken = [was and not pair.right_after for pair, was in zip(pairs, right, strict=True)]
    gains = [counts * (pair.f1_after - pair.f1_before) for pair, counts in zip(pairs, within, strict=True)]
    spent = {
        name: [counts * float(getattr(pair, name)) for pair, counts in zip(pairs, within, strict=True)]
        for name in _SPENT
    }
    costs = [pair.cost for pair in chosen if pair.cost is not None]
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
        **{name: _round(sum(values)) for name, values in spent.items()},
        "cost": sum(costs) if costs else None,
        "per_repaired": {
            **{name: ratios.ratio(values, repaired) for name, values in spent.items()},
            "cost": sum(costs) / sum(repaired) if costs and sum(repaired) else None,
        },
    }


def _validator(pairs: Sequence[Pair], name: str, ratios: "Ratios") -> dict[str, Any]:
    """Return how well a validator tells right from wrong, as figure A2 of the paper counts it."""
    looks = [next((look for look in pair.looks if look.validator == name), None) for pair in pairs]

    def those(holds: Sequence[bool]) -> list[bool]:
        return [look is not None and held for look, held in zip(looks, holds, strict=True)]

    def told(attribute: str) -> list[bool]:
        return [look is not None and bool(getattr(look, attribute)) for look in looks]

    wrong, flagged = told("wrong"), told("flagged")
    right = those([not was for was in wrong])
    missed = [was and not found for was, found in zip(wrong, flagged, strict=True)]
    alarms = [was and found for was, found in zip(right, flagged, strict=True)]
    covered = [look is not None and look.wrong and look.label != "other" for look in looks]
    left = [was and not found for was, found in zip(wrong, told("repaired"), strict=True)]
    return {
        "looked_at": sum(look is not None for look in looks),
        "malformed": sum(told("malformed")),
        "retrieval_error_rate": ratios.rate(wrong, those([True] * len(looks))),
        "non_detected_error_rate": ratios.rate(missed, wrong),
        "non_corrected_error_rate": ratios.rate(left, wrong),
        "false_alarm_rate": ratios.rate(alarms, right),
        "error_coverage": ratios.rate(covered, wrong),
        "detected_by_label": _detected([look for look in looks if look is not None and look.wrong]),
    }


def _detected(looks: Sequence[Look]) -> dict[str, dict[str, int]]:
    errors = Counter(look.label or "other" for look in looks)
    found = Counter(look.label or "other" for look in looks if look.flagged)
    return {label: {"errors": errors[label], "detected": found[label]} for label in sorted(errors)}


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _round(value: float) -> float | int:
    return int(value) if value.is_integer() else round(value, 3)


class Ledger:
    """Pairs each case of a loop with what its first answer alone would have been worth.

    That is what the loop ``none`` would have scored with the same answer, on the same question, prompt, shot
    and model; so a run of one loop has all its pairs.

    Args:
        targets: By question id, the molecule that the question clusters by.
    """

    def __init__(self, targets: Mapping[str, str]) -> None:
        self._targets = targets
        self._pairs: dict[tuple[str, str], list[tuple[str, Pair]]] = defaultdict(list)
        self._left_out: dict[tuple[str, str], int] = defaultdict(int)

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record in; one without a loop is passed over, one without scores is only counted."""
        if record["loop"] == NO_LOOP:
            return
        key = (str(record["model"]), str(record["loop"]))
        question = str(record["question_id"])
        pair = pair_of(record, self._targets.get(question, question))
        if pair is None:
            self._left_out[key] += 1
        else:
            self._pairs[key].append((str(record["case_id"]), pair))

    def to_json(self) -> list[dict[str, Any]]:
        """Return one entry a model and loop; the order in which records came changes nothing."""
        return [self._entry(*key) for key in sorted({*self._pairs, *self._left_out})]

    def _entry(self, model: str, loop: str) -> dict[str, Any]:
        pairs = [pair for _, pair in sorted(self._pairs[model, loop], key=lambda each: each[0])]
        head = {
            "model": model,
            "loop": loop,
            "validator": _ledger_validator(pairs),
            "left_out": self._left_out[model, loop],
        }
        return {**head, **(entry_of(pairs) if pairs else {"cases": 0})}


def ledger_of(records: Iterable[Mapping[str, Any]], targets: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the ledger of some records, as ``summary.json`` holds it.

    Args:
        records: Records as in ``records.jsonl``.
        targets: By question id, the molecule that the question clusters by (``questions.jsonl``).
    """
    ledger = Ledger(targets)
    for record in records:
        ledger.add(record)
    return ledger.to_json()


def _ledger_validator(pairs: Iterable[Pair]) -> str | None:
    names = {look.validator for pair in pairs for look in pair.looks}
    return "both" if len(names) > 1 else next(iter(names), None)


COLUMNS = (
    "model",
    "loop",
    "validator",
    "label",
    "cases",
    "repaired",
    "broken",
    "unchanged_right",
    "unchanged_wrong",
    "repair_rate",
    "repair_rate_low",
    "repair_rate_high",
    "breakage_rate",
    "breakage_rate_low",
    "breakage_rate_high",
    "calls",
    "tokens",
    "seconds",
    "cost",
    "calls_per_repaired",
    "tokens_per_repaired",
    "seconds_per_repaired",
    "cost_per_repaired",
)
ALL = "all"
COUNTS = ("cases", "repaired", "broken", "unchanged_right", "unchanged_wrong")
SPENT = ("calls", "tokens", "seconds")


def ledger_rows(ledger: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the ledger as plain rows with the columns `COLUMNS`, for a report or a file.

    Args:
        ledger: The ``ledger`` of a ``summary.json``.

    Returns:
        For each model and loop a row with the label ``all``, then one a primary label of the first answer
        (``right`` for those with none), the most frequent first.
    """
    return [row for entry in ledger if entry["cases"] for row in _rows(entry)]


def _rows(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for label, counts in ((ALL, entry), *entry["by_label"].items()):
        row = {name: entry[name] for name in COLUMNS[:3]} | {"label": label}
        row |= {name: counts[name] for name in COUNTS}
        for rate in ("repair_rate", "breakage_rate"):
            row |= {rate: counts[rate]["value"]}
            row |= {f"{rate}_{end}": counts[rate][end] for end in ("low", "high")}
        row |= {name: counts[name] for name in (*SPENT, "cost")}
        row |= {f"{name}_per_repaired": counts["per_repaired"][name]["value"] for name in SPENT}
        yield row | {"cost_per_repaired": counts["per_repaired"]["cost"]}
