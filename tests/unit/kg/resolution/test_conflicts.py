"""Conflicts of a graph with their candidate values, and what the strategies decide."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from retrocypher.kg.audit.rules import audit
from retrocypher.kg.graph.reaction import Reaction, RecordYield, Source
from retrocypher.kg.resolution.proposal import Candidate, Conflict, Keep, Thresholds, decide, find_conflicts

PAPER = Thresholds(0.85, 3)
ESTER = "CCOC(C)=O"
# Acetic acid and ethanol give ethyl acetate, with sulfuric acid, in toluene.
SOUND = Reaction(
    1,
    ("CC(=O)O", "CCO"),
    (ESTER,),
    ("O=S(=O)(O)O",),
    ("Cc1ccccc1",),
    (80.0,),
    Source("a.csv", 2, "", "1995-11"),
)


def conflicts_of(
    *reactions: Reaction,
    texts: Mapping[int, str] | None = None,
    records: Sequence[RecordYield] = (),
) -> list[Conflict]:
    by_reaction = {1: list(records)} if records else {}
    findings = list(audit(reactions, texts, by_reaction))
    return list(find_conflicts(reactions, findings, texts or {}, by_reaction))


def record(value: float, row: int, date: str | None = "1995-11") -> RecordYield:
    return RecordYield(1, ESTER, value, "a.csv", row, date)


def named(conflict: Conflict) -> dict[object, tuple[str, ...]]:
    return {each.value: each.named_by for each in conflict.candidates}


def test_a_sound_graph_has_no_conflict() -> None:
    assert conflicts_of(SOUND, texts={1: "Obtained in 80.4% yield."}) == []


def test_yields_of_records_are_named_with_file_row_and_month() -> None:
    disputed = replace(SOUND, yields_disputed=True)
    records = [record(80.0, 2), record(70.0, 5, "2001-07"), record(80.0, 9, None)]
    (conflict,) = conflicts_of(disputed, records=records)
    assert (conflict.rules, conflict.about) == (("record_yields",), "yield")
    assert (conflict.reactions, conflict.molecule) == ((1,), ESTER)
    assert named(conflict) == {
        70.0: ("a.csv row 5 (2001-07)",),
        80.0: ("a.csv row 2 (1995-11)", "a.csv row 9"),
    }
    assert [each.date for each in conflict.candidates] == ["2001-07", "1995-11"]
    assert all(0 < each.confidence < 1 for each in conflict.candidates)


def test_without_the_yields_of_records_only_the_kept_one_is_named() -> None:
    (conflict,) = conflicts_of(replace(SOUND, yields_disputed=True))
    assert named(conflict) == {80.0: ("a.csv row 2 (1995-11)",)}
    assert decide(conflict, Thresholds(0.0, 0)) == ("review", "review")


def test_only_the_product_with_other_yields_is_in_conflict() -> None:
    two = replace(SOUND, products=(ESTER, "O"), yields=(80.0, 5.0), yields_disputed=True)
    records = [record(80.0, 2), record(70.0, 5), replace(record(5.0, 2), product="O")]
    assert [each.molecule for each in conflicts_of(two, records=records)] == [ESTER]


def test_the_yield_of_a_text_is_a_candidate_where_it_differs() -> None:
    (conflict,) = conflicts_of(SOUND, texts={1: "3 g (75% of theory)"})
    assert conflict.rules == ("text_yield",)
    assert named(conflict) == {75.0: ("procedure text",), 80.0: ("a.csv row 2 (1995-11)",)}


def test_a_text_that_agrees_with_another_record_is_a_source_of_its_yield() -> None:
    disputed = replace(SOUND, yields_disputed=True)
    records = [record(80.0, 2), record(70.0, 5)]
    (conflict,) = conflicts_of(disputed, texts={1: "yield: 70.4%"}, records=records)
    assert conflict.rules == ("record_yields", "text_yield")
    assert named(conflict)[70.0] == ("a.csv row 5 (1995-11)", "procedure text")
    assert named(conflict)[80.0] == ("a.csv row 2 (1995-11)",)


def test_a_text_that_confirms_its_own_record_is_no_source_against_other_records() -> None:
    disputed = replace(SOUND, yields_disputed=True)
    (conflict,) = conflicts_of(disputed, texts={1: "yield: 80%"}, records=[record(80.0, 2), record(70.0, 5)])
    assert named(conflict)[80.0] == ("a.csv row 2 (1995-11)",)


@pytest.mark.parametrize(
    ("changed", "rules", "values"),
    [
        ({"agents": ("CCO",)}, ("two_roles",), ["reactants", "agents"]),
        (
            {"reactants": ("CC(=O)O", "CCO", ESTER)},
            ("product_is_reactant",),
            ["reactants", "products"],
        ),
        (
            {"reactants": ("CC(=O)O", "CCO", ESTER), "solvents": (ESTER,)},
            ("two_roles", "product_is_reactant"),
            ["reactants", "products", "solvents"],
        ),
        ({"yields": (104.0,)}, ("yield_out_of_range",), [104.0]),
    ],
)
def test_other_conflicts_of_one_reaction(
    changed: dict[str, object], rules: tuple[str, ...], values: list[object]
) -> None:
    (conflict,) = conflicts_of(replace(SOUND, **changed))
    assert conflict.rules == rules
    assert [each.value for each in conflict.candidates] == values
    assert decide(conflict, PAPER) == ("review", "review")


def test_each_yield_is_a_conflict_where_all_exceed_100() -> None:
    found = conflicts_of(replace(SOUND, products=(ESTER, "O"), yields=(80.0, 30.0)))
    assert [(each.molecule, [c.value for c in each.candidates]) for each in found] == [
        (ESTER, [80.0]),
        ("O", [30.0]),
    ]


def test_of_duplicates_one_can_be_kept() -> None:
    (conflict,) = conflicts_of(SOUND, replace(SOUND, id=2, agents=("[Na+]", *SOUND.agents)))
    assert (conflict.rules, conflict.about, conflict.reactions) == (("same_but_salt",), "reaction", (1, 2))
    assert [each.value for each in conflict.candidates] == [1, 2]
    # The confidence of each is a prior, so it decides nothing.
    assert decide(conflict, Thresholds(0.0, 3)) == ("review", "review")


def conflict_of(
    *candidates: tuple[float, float | None, int, str | None], rule: str = "record_yields"
) -> Conflict:
    made = (Candidate(value, sure, count, (), date) for value, sure, count, date in candidates)
    return Conflict((rule,), "yield", (1,), "C", tuple(made))


@pytest.mark.parametrize(
    ("candidates", "strategy", "kept"),
    [
        ([(1.0, 0.86, 1, None), (2.0, 0.5, 9, None)], "highest_confidence", 1.0),
        ([(1.0, 0.86, 1, None), (2.0, 0.9, 1, None)], "highest_confidence", 2.0),
        ([(1.0, 0.85, 1, None), (2.0, 0.5, 4, None)], "most_evidence", 2.0),
        ([(1.0, 0.9, 4, None), (2.0, 0.9, 5, None)], "most_evidence", 2.0),
        ([(1.0, 0.5, 3, "1995-11"), (2.0, 0.5, 3, "2001-07")], "review", None),
        ([(1.0, 0.9, 4, None), (2.0, 0.9, 4, None)], "review", None),
        ([(1.0, 0.99, 9, None)], "review", None),
        ([(1.0, 0.99, 1, None), (2.0, None, 1, None)], "review", None),
    ],
)
def test_strategies_in_the_order_of_the_paper(
    candidates: list[tuple[float, float | None, int, str | None]], strategy: str, kept: float | None
) -> None:
    expected = "review" if kept is None else Keep(kept)
    assert decide(conflict_of(*candidates), PAPER) == (strategy, expected)


def test_recency_decides_only_conflicts_that_are_declared_temporal() -> None:
    dated = ((1.0, 0.5, 1, "1995-11"), (2.0, 0.5, 1, "2001-07"), (3.0, 0.5, 1, None))
    temporal = Thresholds(0.85, 3, ("record_yields",))
    assert decide(conflict_of(*dated), temporal) == ("most_recent", Keep(2.0))
    assert decide(conflict_of(*dated, rule="text_yield"), temporal) == ("review", "review")
    # What is no ISO date cannot be compared.
    others = ((1.0, 0.5, 1, "1995-11"), (2.0, 0.5, 1, "Jan 1999"), (3.0, 0.5, 1, "2001-13"))
    assert decide(conflict_of(*others), temporal) == ("most_recent", Keep(1.0))
