"""Which column is which key."""

from pathlib import Path

import pytest
import yaml

from retrocypher.plugins.scoring.columns import (
    Match,
    match_columns,
    normalise,
    parse_column_names,
    plain_name,
    resolve,
)

KEYS = ("id", "reactants", "products", "agents", "solvents")
ALL_KEYS = (*KEYS, "target_yield", "co_products")
NAMES = yaml.safe_load(Path(__file__).with_name("column_names.yaml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (key, name)
        for table in ("observed_in_the_paper", "written_by_chemists")
        for key, row in NAMES[table].items()
        for name in row.split()
    ],
)
def test_variants_of_names(key: str, name: str) -> None:
    match = resolve(plain_name(name), ALL_KEYS)
    assert match is not None
    assert match.key == key


@pytest.mark.parametrize(("name", "normal"), NAMES["normalised"])
def test_normalise(name: str, normal: str) -> None:
    assert normalise(name) == normal


@pytest.mark.parametrize(("expression", "name"), NAMES["expressions"])
def test_expressions(expression: str, name: str) -> None:
    assert plain_name(expression) == name


@pytest.mark.parametrize(
    "name", ["conditions", "n", "name", "count(reactant)", "yield", "patent", "molecule", "size(agents)"]
)
def test_names_that_match_nothing(name: str) -> None:
    assert resolve(plain_name(name), KEYS) is None


def test_stages() -> None:
    names = {name: name for name in ("agents", "Agent 2", "catalyst", "patent", "n")}
    assert match_columns(names, frozenset({"n"}), KEYS[1:], None) == {
        "agents": Match("agents", "exact"),
        "Agent 2": Match("agents", "stem"),
        "catalyst": Match("agents", "alias"),
        "n": Match("id", "nodes"),
    }


def test_co_products_are_products_where_they_are_not_asked_for() -> None:
    assert resolve("byproduct", ALL_KEYS) == Match("co_products", "alias")
    assert resolve("byproduct", KEYS) == Match("products", "alias")


def test_the_table_is_read_by_stem() -> None:
    table = parse_column_names(
        {
            "aliases": {"agents": ["Promoters", "helperName"], "solvents": ["promoter"]},
            "transparent_functions": ["apoc.coll.toSet"],
            "molecule_properties": ["Name"],
            "reaction_words": ["reactions"],
            "count_words": ["numbers_of"],
            "quantities": ["lengths"],
            "positions": ["steps", "routeIds"],
            "ordinals": {"First": 1},
        }
    )

    assert table.aliases == {"promot": ("agents", "solvents"), "helper": ("agents",)}
    assert table.transparent_functions == {"apoc.coll.toset"}
    assert table.molecule_properties == {"name"}
    assert table.reaction_words == {("reaction",)}
    assert table.count_words == {("number", "of")}
    assert table.quantities == {"length"}
    assert table.positions == {("step",), ("rout", "id")}
    assert table.ordinals == {"first": 1}
