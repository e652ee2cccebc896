"""What was paid for a case before it was asked again."""

from collections.abc import Iterator, Mapping
from typing import Any

from plugins.judge import VARIANTS
from plugins.records import asked_a_model

Call = tuple[str, str | None, int]
"""A call of a case: role or variant, hash of what was asked, how many of the same came before."""


def paid_calls(record: Mapping[str, Any]) -> dict[Call, float | None]:
    """Return what each call of a case cost that was made for it, and not had from the cache.

    Args:
        record: A record as in ``records.jsonl``.
    """
    return {call: told["cost"] for call, told in _calls(record) if not told["cached"]}


def with_costs(record: dict[str, Any], paid: Mapping[Call, float | None]) -> bool:
    """Put on a record what its run paid for before it was asked again; tell whether there was such.

    The cache has the answers of the attempt before, but this run paid for them: so they are told as in a run
    in which the case was asked once.

    Args:
        record: The new record; changed.
        paid: What `paid_calls` gave of the one before.
    """
    found = [(call, told) for call, told in _calls(record) if told["cached"] and call in paid]
    for call, told in found:
        told["cached"], told["cost"] = False, paid[call]
    return bool(found)


def _calls(record: Mapping[str, Any]) -> Iterator[tuple[Call, Any]]:
    seen: dict[tuple[str, str | None], int] = {}
    turns = [
        (str(turn["role"]), turn["messages_sha256"], turn) for turn in record["rounds"] if asked_a_model(turn)
    ]
    judge = record.get("judge") or {}
    judged = [(variant, judge[variant]) for variant in VARIANTS if judge.get(variant)]
    turns += [(variant, told["asked_sha256"], told) for variant, told in judged if told["time_s"] > 0]
    for role, asked, told in turns:
        seen[role, asked] = number = seen.get((role, asked), -1) + 1
        yield (role, asked, number), told
