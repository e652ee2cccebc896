"""The ledger: what it counts, and that the order of records changes nothing."""

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from support.records import record_of

from retrocypher.plugins.analysis import ledger as measured
from retrocypher.plugins.analysis.ledger import COLUMNS, Ledger, ledger_rows
from retrocypher.plugins.reporting.run_tables import render_ledger
from retrocypher.prompts.models.prices import Price


def result(passed: bool, label: str | None = None, status: str = "ok") -> dict[str, Any]:
    errors = [] if passed else [label or "path_length"]
    scores = dict.fromkeys(("f1", "precision", "recall", "row_f1", "focus_f1"), float(passed))
    return {"result": {"status": status, **scores, "passed": passed, "errors": errors}}


def turn(role: str, cypher: str | None, **more: Any) -> dict[str, Any]:
    plain = {
        "messages_sha256": None,
        "answer": "",
        "findings": [],
        "verdict": None,
        "time_s": 0.0,
        "tokens": None,
    }
    return {"role": role, "cypher": cypher, **plain, "cost": None, "cached": False, **more}


def asked(role: str, cypher: str | None, **more: Any) -> dict[str, Any]:
    tokens = {"prompt": 90, "completion": 10}
    return turn(role, cypher, messages_sha256="h", tokens=tokens, time_s=2.0, **more)


def record(
    number: int,
    before: bool,
    after: bool,
    *,
    label: str = "path_length",
    loop: str = "cove",
    verdict: str | None = None,
    status: str = "ok",
) -> dict[str, Any]:
    """A case of a loop with one look of a validator and, where something changed, one correction."""
    rounds = [asked("generator", "A", findings=[result(before, label, status)])]
    verdict = verdict or ("valid" if before else "invalid")
    rounds.append(turn("validator:schema", "A", verdict=verdict, time_s=0.5))
    if before != after:
        rounds.append(asked("corrector", "B", verdict="taken", findings=[result(after, label)]))
    return {
        "case_id": f"q{number}-{loop}",
        "question_id": f"q{number}",
        "model": "m",
        "loop": loop,
        "rounds": rounds,
        "scores": {"f1": float(after)},
        "passed": after,
    }


def ledger_of(records: list[dict[str, Any]], targets: dict[str, str]) -> list[dict[str, Any]]:
    return measured.ledger_of((record_of(**each) for each in records), targets)


def rendered(ledger: list[dict[str, Any]], unpriced: dict[str, str] | None = None) -> str:
    out = io.StringIO()
    Console(file=out, width=80).print(render_ledger(ledger, unpriced))
    return out.getvalue()


def test_every_case_is_one_of_four() -> None:
    records = [
        record(1, False, True),
        record(2, False, True, label="limit"),
        record(3, True, False),
        record(4, True, True),
        record(5, False, False),
        record(6, False, True, loop="none"),
        {**record(7, False, True), "scores": None},
    ]
    (entry,) = ledger_of(records, {})
    assert (entry["model"], entry["loop"], entry["validator"]) == ("m", "cove", "schema")
    assert (entry["cases"], entry["left_out"]) == (5, 1)
    assert [entry[name] for name in ("repaired", "broken", "unchanged_right", "unchanged_wrong")] == [
        2,
        1,
        1,
        1,
    ]
    assert entry["repair_rate"]["value"] == pytest.approx(2 / 3)
    assert entry["breakage_rate"]["value"] == 0.5
    assert (entry["f1_before"], entry["f1_after"]) == (0.4, 0.6)
    assert entry["f1_gain"]["value"] == pytest.approx(0.2)
    # Three corrections of 100 tokens and 2 s, five looks of 0.5 s.
    assert (entry["calls"], entry["tokens"], entry["seconds"], entry["cost"]) == (3, 300, 8.5, None)
    assert entry["per_repaired"]["tokens"]["value"] == 150
    assert {name: counts["cases"] for name, counts in entry["by_label"].items()} == {
        "path_length": 2,
        "right": 2,
        "limit": 1,
    }
    assert entry["by_label"]["limit"]["repaired"] == 1


def test_what_was_made_once_costs_a_case_nothing_and_known_costs_are_summed() -> None:
    one = record(1, False, True)
    one["rounds"][0]["cost"] = 7.0
    one["rounds"][1:1] = [{**asked("analyst", None, cached=True), "tokens": None, "time_s": 0.0}]
    one["rounds"][-1]["cost"] = 0.25
    (entry,) = ledger_of([one, record(2, False, True)], {})
    assert (entry["calls"], entry["cost"]) == (2, 0.25)
    assert entry["per_repaired"]["cost"] == 0.125


def test_an_answer_from_the_cache_is_a_call_that_costs_nothing_now() -> None:
    again = record(1, False, True)
    for turn in again["rounds"]:
        turn["cached"] = turn["messages_sha256"] is not None
    ((entry,), (anew,)) = ledger_of([again], {}), ledger_of([record(1, False, True)], {})
    assert again["rounds"][-1]["cached"]
    assert [entry[name] for name in ("calls", "tokens", "seconds")] == [
        anew[name] for name in ("calls", "tokens", "seconds")
    ]
    assert entry["cost"] is None


def test_a_priced_model_shows_what_a_repaired_case_costs() -> None:
    cost = Price(0.40, 1.60).cost({"prompt": 90, "completion": 10})
    records = [
        record(1, False, True),
        record(2, False, True),
        record(3, False, False),
        record(4, True, False),
    ]
    for each in records:
        for turn in each["rounds"]:
            turn["cost"] = cost if turn["tokens"] else None
    (entry,) = ledger_of(records, {})
    # Three corrections, two of which repaired.
    assert entry["cost"] == pytest.approx(3 * 52e-6)
    assert entry["per_repaired"]["cost"] == pytest.approx(78e-6)
    assert entry["by_label"]["right"]["cost"] == pytest.approx(52e-6)
    assert ledger_rows([entry])[0]["cost_per_repaired"] == entry["per_repaired"]["cost"]
    shown = "0.000156 USD beyond first answers, 0.000078 USD a repaired case, at list prices"
    assert shown in rendered([entry])
    (free,) = ledger_of([record(1, False, True)], {})
    assert (free["cost"], free["per_repaired"]["cost"]) == (None, None)
    assert "USD" not in rendered([free])
    assert "no list price for gpt-x" in rendered([free], {"m": "gpt-x"})
    assert "no list price" not in rendered([entry], {"m": "gpt-x"})


def test_a_validator_is_judged_by_its_first_look_at_a_query_that_ran() -> None:
    records = [
        record(1, False, True),  # found and corrected
        record(2, False, False),  # found, not corrected
        record(3, False, False, verdict="valid"),  # missed
        record(4, True, True),
        record(5, True, True, verdict="invalid"),  # false alarm
        record(6, False, False, label="other", verdict="malformed"),
        record(7, False, True, status="syntax_error"),  # not a retrieval error
    ]
    (entry,) = ledger_of(records, {})
    told = entry["validators"]["schema"]
    assert (told["looked_at"], told["malformed"]) == (6, 1)
    assert told["retrieval_error_rate"]["value"] == pytest.approx(4 / 6)
    assert told["non_detected_error_rate"]["value"] == 0.5
    assert told["non_corrected_error_rate"]["value"] == 0.75
    assert told["false_alarm_rate"]["value"] == 0.5
    assert told["error_coverage"]["value"] == 0.75
    assert told["detected_by_label"] == {
        "other": {"errors": 1, "detected": 0},
        "path_length": {"errors": 3, "detected": 2},
    }


CASES = st.lists(st.tuples(st.booleans(), st.booleans(), st.sampled_from(["limit", "other"])), max_size=25)


@given(CASES, st.randoms())
def test_counts_add_up_and_order_changes_nothing(cases: list[tuple[bool, bool, str]], random: Any) -> None:
    records = [record(n, before, after, label=label) for n, (before, after, label) in enumerate(cases)]
    targets = {f"q{n}": f"t{n % 3}" for n in range(len(cases))}
    found = ledger_of(records, targets)
    mixed = records[:]
    random.shuffle(mixed)
    assert ledger_of(mixed, targets) == found
    for entry in found:
        parts = ("repaired", "broken", "unchanged_right", "unchanged_wrong")
        for counts in (entry, *entry["by_label"].values()):
            assert sum(counts[part] for part in parts) == counts["cases"]
        for part in (*parts, "cases", "calls", "tokens"):
            assert sum(counts[part] for counts in entry["by_label"].values()) == entry[part]
        for rate in ("repair_rate", "breakage_rate"):
            value, low, high = (entry[rate][name] for name in ("value", "low", "high"))
            if value is not None and high is not None:
                assert 0 <= low <= high <= 1


def test_the_table_for_a_report() -> None:
    rows = ledger_rows(ledger_of([record(1, False, True), record(2, True, True)], {}))
    assert [row["label"] for row in rows] == ["all", "path_length", "right"]
    assert all(tuple(row) == COLUMNS for row in rows)
    assert rows[0]["repaired"] == 1
    assert rows[0]["tokens_per_repaired"] == 100.0


def test_the_terminal_shows_it_within_80_columns() -> None:
    records = [record(n, n % 3 == 0, n % 2 == 0, label="missing_component:target_yield") for n in range(60)]
    for each in records:
        for step in each["rounds"]:
            step["cost"] = 0.123456 if step["tokens"] else None
            if step["role"] == "validator:schema":
                looks = [{**step, "role": "validator:checklist"}]
        each["rounds"] += looks
    text = rendered(ledger_of(records, {}))
    assert "m, loop cove, validator both: before and after" in text
    assert "repaired 0.500 [0.33, 0.66] of 40 wrong" in text
    headings = "error of first answer cases repaired broken stayed right stayed wrong"
    assert headings in " ".join(text.split())
    rows = [line.split() for line in text.splitlines()]
    assert ["missing_component:target_yield", "40", "20", "0", "0", "20"] in rows
    assert ["right", "20", "0", "10", "10", "0"] in rows
    assert max(map(len, text.splitlines())) <= 80
    assert "\N{HORIZONTAL ELLIPSIS}" not in text


def test_a_validator_is_shown_with_what_its_rates_are_of() -> None:
    records = [record(n, n == 0, n == 0, verdict="valid" if n < 2 else "invalid") for n in range(4)]
    rows = [line.split() for line in rendered(ledger_of(records, {})).splitlines()]
    assert ["validator", "schema"] in rows
    assert ["looked", "at", "4"] in rows
    assert ["non-detected", "error", "rate", "0.333", "of", "3"] in rows
    assert ["false", "alarm", "rate", "0.000", "of", "1"] in rows


def test_a_validator_that_was_never_understood_has_no_rates() -> None:
    records = [record(n, n == 0, n == 0, verdict="malformed") for n in range(4)]
    rows = [line.split() for line in rendered(ledger_of(records, {})).splitlines()]
    for rate in ("non-detected error rate", "non-corrected error rate", "false alarm rate"):
        assert [*rate.split(), "n/a"] in rows
    assert ["retrieval", "error", "rate", "0.750", "of", "4"] in rows


def test_a_loop_that_repaired_nothing_is_not_certain_to() -> None:
    (entry,) = ledger_of([record(n, False, False) for n in range(14)], {})
    rate = entry["repair_rate"]
    assert (rate["value"], rate["low"], rate["of"]) == (0.0, 0.0, 14)
    assert rate["high"] == pytest.approx(1 - 0.025 ** (1 / 14))
    text = rendered([entry])
    assert "repaired 0.000 [0.00, 0.23] of 14 wrong" in text
    assert "gain 0.000, since no F1 changed" in text


def test_no_pairs_no_figures() -> None:
    ledger = Ledger({})
    ledger.add(record_of(**{**record(1, True, True), "scores": None}))
    assert ledger.to_json() == [{"model": "m", "loop": "cove", "validator": None, "left_out": 1, "cases": 0}]
    assert ledger_rows(ledger.to_json()) == []
