"""The ledger: what it counts, and that the order of records changes nothing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.consoles import printed
from support.records import ledger_of, record_of

from retrocypher.plugins.analysis.ledger import Ledger, LoopEntry
from retrocypher.plugins.reporting.figure_tables import ledger_rows
from retrocypher.plugins.reporting.run_tables import render_ledger
from retrocypher.plugins.runs.record import Record, Round, fields_of
from retrocypher.prompts.models.prices import Price

FATES = ("repaired", "broken", "unchanged_right", "unchanged_wrong")


def asked(role: str, cypher: str | None, passed: bool, label: str, status: str = "ok", **more: Any) -> Round:
    """Return a query that a model was asked for, with its score."""
    scores = dict.fromkeys(("f1", "precision", "recall", "row_f1", "focus_f1"), float(passed))
    result = {"status": status, **scores, "passed": passed, "errors": [] if passed else [label]}
    called = {"tokens": {"prompt": 90, "completion": 10}, "time_s": 2.0, **more}
    return Round(role, "h", "", cypher, findings=[{"result": result}], **called)


def case(
    number: int,
    before: bool,
    after: bool,
    label: str = "path_length",
    loop: str = "cove",
    verdict: str | None = None,
    status: str = "ok",
    cost: float | None = None,
    **fields: Any,
) -> Record:
    """A case of a loop with one look of a validator and, where something changed, one correction."""
    verdict = verdict or ("valid" if before else "invalid")
    rounds = [
        asked("generator", "A", before, label, status, cost=cost),
        Round("validator:schema", None, "", "A", verdict, time_s=0.5),
    ]
    if before != after:
        rounds.append(asked("corrector", "B", after, label, verdict="taken", cost=cost))
    scored = {"rounds": rounds, "scores": {"f1": float(after)}, "passed": after, **fields}
    return record_of(f"q{number}-{loop}", question_id=f"q{number}", loop=loop, **scored)


def rendered(ledger: list[LoopEntry], unpriced: dict[str, str] | None = None) -> str:
    return printed(render_ledger(ledger, unpriced))


def test_every_case_is_one_of_four() -> None:
    records = [
        case(1, False, True),
        case(2, False, True, label="limit"),
        case(3, True, False),
        case(4, True, True),
        case(5, False, False),
        case(6, False, True, loop="none"),
        case(7, False, True, scores=None),
    ]
    (entry,) = ledger_of(records, {})
    assert (entry.model, entry.loop, entry.validator) == ("m", "cove", "schema")
    assert (entry.cases, entry.left_out) == (5, 1)
    assert [getattr(entry, name) for name in FATES] == [2, 1, 1, 1]
    assert entry.repair_rate.value == pytest.approx(2 / 3)
    assert entry.breakage_rate.value == 0.5
    assert (entry.f1_before, entry.f1_after) == (0.4, 0.6)
    assert entry.f1_gain.value == pytest.approx(0.2)
    # Three corrections of 100 tokens and 2 s, five looks of 0.5 s.
    assert (entry.calls, entry.tokens, entry.seconds, entry.cost) == (3, 300, 8.5, None)
    assert entry.per_repaired.tokens.value == 150
    cases = {name: counts.cases for name, counts in entry.by_label.items()}
    assert cases == {"path_length": 2, "right": 2, "limit": 1}
    assert entry.by_label["limit"].repaired == 1


def test_what_a_loop_takes_from_cases_that_were_wrong_already_is_counted() -> None:
    """The first case falls from 0.5 to 0.25, the second is broken, the third is repaired."""
    worse = case(1, False, False)
    result = worse.rounds[0].findings[0]["result"]
    worse.rounds[0].findings[0]["result"] = {**result, "f1": 0.5}
    records = [
        replace(worse, scores=replace(worse.scores, f1=0.25)),
        case(2, True, False),
        case(3, False, True),
    ]
    (entry,) = ledger_of(records, {})
    assert (entry.worsened, entry.f1_lost, entry.f1_lost_by_worsened) == (1, 1.25, 0.25)
    assert (entry.by_label["path_length"].f1_lost, entry.by_label["right"].worsened) == (0.25, 0)
    assert "F1 lost: 1.250 in all, 0.250 of it by 1 case already wrong" in rendered([entry])
    assert [row["f1_lost"] for row in ledger_rows(entry)] == [1.25, 0.25, 1.0]


def test_a_right_query_that_a_validator_flags_may_be_broken() -> None:
    records = [
        case(1, True, False, verdict="invalid"),
        case(2, True, True, verdict="invalid"),
        case(3, True, False),
    ]
    (entry,) = ledger_of(records, {})
    counts = entry.validators["schema"]
    assert (counts.broken, counts.false_alarm_rate.value) == (1, pytest.approx(2 / 3))
    assert "broken after a false alarm" in rendered([entry])


def test_what_was_made_once_costs_a_case_nothing_and_known_costs_are_summed() -> None:
    one = case(1, False, True, cost=0.25)
    one.rounds[0].cost = 7.0
    one.rounds.insert(1, Round("analyst", "h", "", None, cached=True))
    (entry,) = ledger_of([one, case(2, False, True)], {})
    assert (entry.calls, entry.cost) == (2, 0.25)
    assert entry.per_repaired.cost == 0.125


def test_an_answer_from_the_cache_is_a_call_that_costs_nothing_now() -> None:
    again = case(1, False, True)
    for turn in again.rounds:
        turn.cached = turn.messages_sha256 is not None
    assert ledger_of([again], {}) == ledger_of([case(1, False, True)], {})


def test_a_priced_model_shows_what_a_repaired_case_costs() -> None:
    cost = Price(0.40, 1.60).cost({"prompt": 90, "completion": 10})
    fates = ((False, True), (False, True), (False, False), (True, False))
    (entry,) = ledger_of([case(number, *fate, cost=cost) for number, fate in enumerate(fates)], {})
    # Three corrections, two of which repaired.
    assert entry.cost == pytest.approx(3 * 52e-6)
    assert entry.per_repaired.cost == pytest.approx(78e-6)
    assert entry.by_label["right"].cost == pytest.approx(52e-6)
    assert next(ledger_rows(entry))["cost_per_repaired"] == entry.per_repaired.cost
    shown = "0.000156 USD beyond first answers, 0.0000780 USD a repaired case, at list prices"
    assert shown in rendered([entry])
    (free,) = ledger_of([case(1, False, True)], {})
    assert (free.cost, free.per_repaired.cost) == (None, None)
    assert "USD" not in rendered([free])
    assert "no list price for gpt-x" in rendered([free], {"m": "gpt-x"})
    assert "no list price" not in rendered([entry], {"m": "gpt-x"})


def test_a_validator_is_judged_by_its_first_look_at_a_query_that_ran() -> None:
    records = [
        case(1, False, True),  # found and corrected
        case(2, False, False),  # found, not corrected
        case(3, False, False, verdict="valid"),  # missed
        case(4, True, True),
        case(5, True, True, verdict="invalid"),  # false alarm
        case(6, False, False, label="other", verdict="malformed"),
        case(7, False, True, status="syntax_error"),  # not a retrieval error
    ]
    (entry,) = ledger_of(records, {})
    schema = entry.validators["schema"]
    assert (schema.looked_at, schema.malformed) == (6, 1)
    assert schema.retrieval_error_rate.value == pytest.approx(4 / 6)
    assert schema.non_detected_error_rate.value == 0.5
    assert schema.non_corrected_error_rate.value == 0.75
    assert schema.false_alarm_rate.value == 0.5
    assert schema.error_coverage.value == 0.75
    assert schema.detected_by_label == {
        "other": {"errors": 1, "detected": 0},
        "path_length": {"errors": 3, "detected": 2},
    }


CASES = st.lists(st.tuples(st.booleans(), st.booleans(), st.sampled_from(["limit", "other"])), max_size=25)


@given(CASES, st.randoms())
def test_counts_add_up_and_order_changes_nothing(cases: list[tuple[bool, bool, str]], random: Any) -> None:
    records = [case(n, before, after, label=label) for n, (before, after, label) in enumerate(cases)]
    targets = {f"q{n}": f"t{n % 3}" for n in range(len(cases))}
    found = ledger_of(records, targets)
    mixed = records[:]
    random.shuffle(mixed)
    assert ledger_of(mixed, targets) == found
    for entry in found:
        for _, counts in entry.rows:
            assert sum(getattr(counts, part) for part in FATES) == counts.cases
        for part in (*FATES, "cases", "calls", "tokens"):
            assert sum(getattr(counts, part) for counts in entry.by_label.values()) == getattr(entry, part)
        for rate in (entry.repair_rate, entry.breakage_rate):
            if rate.value is not None and rate.high is not None:
                assert 0 <= rate.low <= rate.high <= 1


def test_the_table_for_a_report() -> None:
    (entry,) = ledger_of([case(1, False, True), case(2, True, True)], {})
    rows = list(ledger_rows(entry))
    assert [row["label"] for row in rows] == ["all", "path_length", "right"]
    assert rows[0]["repaired"] == 1
    assert rows[0]["tokens_per_repaired"] == 100.0


def test_the_terminal_shows_it_within_80_columns() -> None:
    label = "missing_component:target_yield"
    records = [case(n, n % 3 == 0, n % 2 == 0, label=label, cost=0.123456) for n in range(60)]
    for each in records:
        each.rounds.append(replace(each.rounds[1], role="validator:checklist"))
    text = rendered(ledger_of(records, {}))
    assert "m, loop cove, validator both: before and after" in text
    assert "repaired 0.500 [0.34, 0.66] of 40 wrong" in text
    headings = "error of first answer cases repaired broken stayed right stayed wrong"
    assert headings in " ".join(text.split())
    rows = [line.split() for line in text.splitlines()]
    assert [label, "40", "20", "0", "0", "20"] in rows
    assert ["right", "20", "0", "10", "10", "0"] in rows
    assert max(map(len, text.splitlines())) <= 80
    assert "\N{HORIZONTAL ELLIPSIS}" not in text


@pytest.mark.parametrize(
    ("verdict", "rows"),
    [
        (None, ["validator schema", "looked at 4", "non-detected error rate 0.333 of 3"]),
        (None, ["false alarm rate 0.000 of 1"]),
        ("malformed", ["non-detected error rate n/a", "non-corrected error rate n/a"]),
        ("malformed", ["false alarm rate n/a", "retrieval error rate 0.750 of 4"]),
    ],
)
def test_a_validator_is_shown_with_what_its_rates_are_of(verdict: str | None, rows: list[str]) -> None:
    verdicts = [verdict or given for given in ("valid", "valid", "invalid", "invalid")]
    records = [case(n, n == 0, n == 0, verdict=verdict) for n, verdict in enumerate(verdicts)]
    shown = [" ".join(line.split()) for line in rendered(ledger_of(records, {})).splitlines()]
    assert set(rows) <= set(shown)


def test_a_loop_that_repaired_nothing_is_not_certain_to() -> None:
    (entry,) = ledger_of([case(n, False, False) for n in range(14)], {})
    text = rendered([entry])
    assert "repaired 0.000 [0.00, 0.23] of 14 wrong" in text
    assert "gain 0.000 [-0.23, 0.23]" in text


def test_no_pairs_no_figures() -> None:
    ledger = Ledger({})
    ledger.add(case(1, True, True, scores=None))
    (entry,) = ledger.entries()
    expected = {"model": "m", "loop": "cove", "validator": None, "left_out": 1, "cases": 0}
    assert fields_of(entry) == expected


@pytest.mark.parametrize("loop", ["self-review", "review"])
def test_reviewers_are_counted_like_validators(loop: str) -> None:
    """The schema analyst of self-review acts before the first completion; earlier runs have it after."""

    def reviewed(number: int, right: bool, verdict: str) -> Record:
        analyst = Round("analyst", "h", "", None, "made", cached=True)
        first = asked("generator", "A", right, "limit")
        before = [analyst, first] if loop == "self-review" else [first, analyst]
        rounds = [*before, Round("reviewer", "h", "", "A", verdict, time_s=1.0)]
        scored = {"rounds": rounds, "scores": {"f1": float(right)}, "passed": right}
        return record_of(f"q{number}", question_id=f"q{number}", loop=loop, **scored)

    verdicts = [(True, "accepted"), (True, "rejected"), (False, "accepted"), (False, "malformed")]
    (entry,) = ledger_of([reviewed(number, *each) for number, each in enumerate(verdicts)], {})
    assert [getattr(entry, name) for name in FATES] == [0, 0, 2, 2]
    assert entry.validator is None
    found = entry.validators["reviewer"]
    assert (found.looked_at, found.malformed) == (4, 1)
    assert (found.false_alarm_rate.value, found.non_detected_error_rate.value) == (0.5, 1.0)
    assert "reviewer" in rendered([entry])
