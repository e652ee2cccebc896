"""One case before and after its loop."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plugins.records import asked_a_model, is_of_answer

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
