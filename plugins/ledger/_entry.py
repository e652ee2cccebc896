"""The ledger of the cases of one model and loop."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from plugins.ledger._pair import Look, Pair

if TYPE_CHECKING:
    from plugins.statistics import Ratios

NO_LABEL = "right"
_SPENT = ("calls", "tokens", "seconds")


def entry_of(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return counts, rates and costs of some cases, all together and by primary label.

    Args:
        pairs: The cases, at least one.
    """
    # NumPy and SciPy take a sixth of a second, which a run without loops need not wait for.
    from plugins.statistics import Ratios

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
