"""The rules that drop or change records."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.cleaning import Report, clean
from retrocypher.kg.graph.reaction import Reaction, Record, Rules

molecules = st.lists(st.sampled_from(["C", "OC", "CO", "CC", "N", "C(", "[CH4:1]"]), max_size=6)


def record(row: int, left: str, right: str, agents: str = "", solvents: str = "", **more: object) -> Record:
    roles = (tuple(role.split()) for role in (left, right, agents, solvents))
    return Record("patents.csv", row, *roles, **more)  # type: ignore[arg-type]


def cleaned(records: Iterable[Record], **rules: int) -> tuple[list[Reaction], Report]:
    report = Report()
    return clean(records, Rules(**rules), report), report


@pytest.mark.parametrize(
    ("bad", "rule"),
    [
        (Record("patents.csv", 7, fault="broken"), "unreadable_record"),
        (record(7, "C", ""), "no_products"),
        (record(7, "C C(", "CO"), "unreadable_smiles"),
        (record(7, "", "CO", "O"), "no_reactants"),
        (record(7, "C CC CCC CCCC CCCCC", "CO"), "over_four"),
        (record(7, "C", "CO CN CS CF CCl"), "over_four"),
        (record(7, "C", "CO", "N O S F Cl"), "over_four"),
        (record(7, "C", "CO", "", "N O S F Cl"), "over_four"),
        (record(7, "C O", "CO OC O"), "product_is_reactant"),
        (record(7, "C", "CC"), "duplicate"),
    ],
)
def test_each_rule_drops_its_record_and_tells_where_it_stands(bad: Record, rule: str) -> None:
    kept, report = cleaned([record(1, "C", "CC"), bad])
    assert [reaction.products for reaction in kept] == [("CC",)]
    assert report.read == 2
    assert report.dropped() == {name: int(name == rule) for name in report.dropped()}
    (drop,) = report.drops
    assert (drop.rule, drop.file, drop.row) == (rule, "patents.csv", 7)


def test_the_smiles_that_cannot_be_read_is_named() -> None:
    assert cleaned([record(3, "C", "CQ")])[1].drops[0].detail == "CQ"


def test_four_in_every_role_are_kept() -> None:
    assert len(cleaned([record(1, "C CC CCC CCCC", *["N CN CCN CCCN"] * 3)])[0]) == 1


def test_a_molecule_named_twice_in_a_role_counts_once_and_keeps_its_known_yield() -> None:
    kept, report = cleaned([record(1, "SC CS C", "CO N OC", yields=(None, 3.0, 40.0))])
    assert kept[0].reactants == ("CS", "C")
    assert kept[0].products == ("CO", "N")
    assert kept[0].yields == (40.0, 3.0)
    assert report.changed()["repeated_molecule"] == 2


@pytest.mark.parametrize(
    ("values", "shown", "out_of_range"),
    [
        ((0.0, 0.5, 100.0, -0.0), ("0.0", "0.5", "100.0", "0.0"), 0),
        ((-0.1, 100.1, 6e7, float("inf")), ("None",) * 4, 1),
        ((None, float("nan")), ("None", "None"), 0),
    ],
)
def test_a_yield_outside_0_to_100_is_absent_and_zero_has_no_sign(
    values: tuple[float | None, ...], shown: tuple[str, ...], out_of_range: int
) -> None:
    results = [cleaned([record(1, "C", "CC", yields=(value,))]) for value in values]
    assert tuple(repr(kept[0].yields[0]) for kept, _ in results) == shown
    assert {report.changed()["yield_out_of_range"] for _, report in results} == {out_of_range}


@pytest.mark.parametrize(
    ("values", "warned"),
    [
        ((0.85, 1.0, None), True),
        ((0.85, 85.0), False),
        ((0.0, 0.0), False),
        ((None,), False),
        ((0.5, -5.0), True),
    ],
)
def test_yields_that_are_all_fractions_give_a_warning(values: tuple[float | None, ...], warned: bool) -> None:
    records = [record(1, "C", "CC", yields=(50.0,)), record(2, "C", "CS", yields=(1.0,))]
    records += [
        replace(record(row, "C", "C" * row, yields=(value,)), file="lab.csv")
        for row, value in enumerate(values, 3)
    ]
    warnings = cleaned(records)[1].warnings()
    assert [text.partition(":")[0] for text in warnings] == ["lab.csv"] * warned


def test_ignored_columns_are_told_by_file() -> None:
    records = [record(1, "C", "CC", ignored=("yield", "x")), record(2, "C", "", ignored=("a", "x"))]
    assert cleaned(records)[1].ignored_columns() == {"patents.csv": ["a", "x", "yield"]}


def test_of_duplicates_the_first_with_a_possible_yield_is_kept() -> None:
    kept, report = cleaned(
        [
            record(1, "C O", "CC N", yields=(None, None)),
            record(2, "O C", "N CC", yields=(400.0, None)),
            record(3, "C O", "CC N", yields=(50.0, None)),
            record(4, "C O", "CC N", yields=(90.0, None)),
            record(5, "C O", "CC N", "S"),
        ]
    )

    assert [(r.id, r.source.row) for r in kept if r.source] == [(1, 3), (2, 5)]
    assert kept[0].yields == (50.0, None)
    assert [drop.row for drop in report.drops] == [1, 2, 4]
    assert report.drops[0].detail == "of patents.csv row 3"


@pytest.mark.parametrize(
    ("products", "second", "disputed"),
    [
        ("CC N", (50.0, 40.0), False),
        # The same yields in another order of the products, and one that is not known.
        ("N CC", (40.0, 50.0), False),
        ("CC N", (None, None), False),
        ("CC N", (50.0, 41.0), True),
        ("N CC", (50.0, 40.0), True),
    ],
)
def test_duplicates_with_other_yields_make_the_yields_disputed(
    products: str, second: tuple[float | None, ...], disputed: bool
) -> None:
    first = record(1, "C O", "CC N", yields=(50.0, 40.0))
    kept, _ = cleaned([first, record(2, "C O", products, yields=second)])
    assert [each.yields_disputed for each in kept] == [disputed]


def test_molecules_in_another_role_do_not_make_a_duplicate() -> None:
    assert len(cleaned([record(1, "C", "CC", "O"), record(2, "C", "CC", "", "O")])[0]) == 2


def test_rare_molecules_take_their_reactions_until_none_is_left() -> None:
    # CCC goes for CCCC, and only then CC is in one reaction too few.
    records = [record(1, "C", "O"), record(2, "O", "C"), record(3, "C CC", "O"), record(4, "CC", "CCCC")]
    kept, report = cleaned(records, min_count=2)
    assert [r.source.row for r in kept if r.source] == [1, 2]
    assert {drop.row: drop.detail for drop in report.drops} == {4: "CCCC", 3: "CC"}


def many(count: int) -> list[Record]:
    return [record(row, "C" * row, "O" + "C" * row) for row in range(1, count + 1)]


def test_a_sample_is_seeded_and_small_samples_lie_within_large_ones() -> None:
    ten, report = cleaned(many(40), sample=10, seed=1)
    again, _ = cleaned(reversed(many(40)), sample=10, seed=1)
    twenty, _ = cleaned(many(40), sample=20, seed=1)
    other, _ = cleaned(many(40), sample=10, seed=2)
    products = {r.products for r in ten}
    assert [r.id for r in ten] == list(range(1, 11))
    assert report.dropped()["not_sampled"] == 30
    assert products == {r.products for r in again}
    assert products < {r.products for r in twenty}
    assert products != {r.products for r in other}


def test_a_sample_larger_than_what_is_left_is_refused() -> None:
    with pytest.raises(InputError, match=r"sample of 5 .* keep only 4"):
        cleaned(many(4), sample=5)


@given(st.lists(st.tuples(molecules, molecules, molecules), max_size=12))
def test_no_record_is_lost_and_no_two_reactions_are_the_same(roles: list[tuple[list[str], ...]]) -> None:
    records = [
        Record("f", row, *(tuple(r) for r in three), yields=(None,) * len(three[1]))
        for row, three in enumerate(roles, start=1)
    ]
    kept, report = cleaned(records)
    rows = [r.source.row for r in kept if r.source] + [drop.row for drop in report.drops]
    assert sorted(rows) == list(range(1, len(records) + 1))
    keys = {(frozenset(r.reactants), frozenset(r.products), frozenset(r.agents)) for r in kept}
    assert len(keys) == len(kept)
    assert all(r.reactants and r.products and len(r.products) == len(r.yields) for r in kept)
