"""What models were asked for, counted from records."""

from typing import Any

import pytest
from msgspec import to_builtins
from support.records import record_of

from retrocypher.plugins.analysis.summary import Usage
from retrocypher.plugins.runs.record import Record

TOKENS = {"prompt": 100, "completion": 20}


def turn(role: str = "generator", **fields: Any) -> dict[str, Any]:
    told = {"attempts": 1, "finish_reason": "stop", "model": "gpt-x-2025", "system_fingerprint": "fp_1"}
    return {
        "role": role,
        "messages_sha256": "h",
        "answer": "",
        "cypher": None,
        "time_s": 1.5,
        "cached": False,
        "tokens": TOKENS,
        "cost": 0.25,
        "findings": [{"label": "other", "model": "of a validator"}, told],
        **fields,
    }


def record(*rounds: dict[str, Any], model: str = "m", **fields: Any) -> Record:
    return record_of(model=model, rounds=list(rounds), **fields)


def counts(usage: Usage) -> dict[str, Any]:
    found: dict[str, Any] = to_builtins(usage.counts())
    return found


def test_nothing_was_asked_for() -> None:
    usage = Usage()
    usage.add(record(turn(messages_sha256=None), turn(time_s=0.0)))
    assert counts(usage) == {"cache": None, "asked": 0, "from_cache": 0, "cost": None, "by_model": {}}


def test_answers_are_counted_by_the_model_that_gave_them() -> None:
    usage = Usage({"m": "player"})
    usage.add(record(turn(), turn("corrector", findings=[{"attempts": 2}])))
    usage.add(record(turn(cached=True, cost=None)))
    usage.add(record(turn(tokens=None, cost=None), model="other"))
    told = counts(usage)
    assert (told["asked"], told["from_cache"], told["cost"]) == (3, 1, 0.5)
    assert list(told["by_model"]) == ["m", "other", "player"]
    assert told["by_model"]["m"] == {
        "asked": 1,
        "from_cache": 1,
        "without_tokens": 0,
        "tokens": TOKENS,
        "tokens_from_cache": TOKENS,
        "cost": 0.25,
        "seconds": 1.5,
        "served": [{"model": "gpt-x-2025", "system_fingerprint": "fp_1", "answers": 2}],
    }
    assert told["by_model"]["other"]["without_tokens"] == 1
    assert told["by_model"]["other"]["cost"] is None
    assert told["by_model"]["player"]["served"] == []


def test_what_was_made_once_for_the_run_is_in_the_totals() -> None:
    usage = Usage()
    usage.add_once([{"cached": False, "tokens": TOKENS, "cost": 0.5, "time_s": 1.0}])
    assert counts(usage) == {"cache": None, "asked": 1, "from_cache": 0, "cost": 0.5, "by_model": {}}


@pytest.mark.parametrize("told", [{}, {"system_fingerprint": "b1"}, {"model": "m-1"}, {"model": None}])
def test_servers_may_leave_out_what_they_are(told: dict[str, Any]) -> None:
    usage = Usage()
    usage.add(record(turn(findings=[{"finish_reason": "stop", **told}])))
    (served,) = counts(usage)["by_model"]["m"]["served"] or [{}]
    assert served.get("model") == told.get("model")
    assert served.get("system_fingerprint") == told.get("system_fingerprint")


def test_writers_of_answers_are_counted_by_themselves() -> None:
    usage = Usage({"m": "player"}, {"m": "writer"})
    written = turn("answer:text"), turn("answer:claims", cached=True, cost=None)
    verification = {"verdict": "VERIFIED", "support": 1.0, "claims": 1, "judge": {"model": "j"}}
    usage.add(record(turn(), *written, turn("answer:judge:faithfulness"), verification=verification))
    told = counts(usage)["by_model"]
    assert list(told) == ["judge:j", "m", "writer"]
    assert (told["writer"]["asked"], told["writer"]["from_cache"]) == (1, 1)
