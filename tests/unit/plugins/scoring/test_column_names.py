"""Which column is which key."""

import pytest

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
OBSERVED_IN_THE_PAPER = {
    "reactants": "direct_precursors precursor precursor_name precursor_names precursors reactants "
    "directPrecursors",
    "products": "product productName product_name products products1 products2 target_product mainProduct "
    "main_product produced_molecule target_products",
    "solvents": "solvents solventNames",
    "agents": "agent agentName agent_names agents agentNames",
    "target_yield": "best_yield reaction_yield rel.yield yield target_yield",
    "co_products": "coProducts co_product co_product_name co_product_names co_products coproducs coproducts",
}


WRITTEN_BY_CHEMISTS = {
    "reactants": "all_reactants allReactants reactants_used reaction_reactants precursor_list all_precursors",
    "products": "all_products reaction_products formed_products",
    "agents": "agents_used all_agents usedAgents reagents reagents_used base bases catalyst catalysts_used "
    "ligand additives oxidant reducing_agent reaction_agents",
    "solvents": "solvents_used solventsUsed all_solvents used_solvent reaction_solvent solvent_used",
}


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (key, name)
        for table in (OBSERVED_IN_THE_PAPER, WRITTEN_BY_CHEMISTS)
        for key, row in table.items()
        for name in row.split()
    ],
)
def test_variants_of_names(key: str, name: str) -> None:
    match = resolve(plain_name(name), ALL_KEYS)
    assert match is not None
    assert match.key == key


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("  Agents ", "agents"),
        ("agentNames", "agent"),
        ("HTTPServerName", "http_server"),
        ("name", "name"),
        ("names", "names"),
        ("co-products", "co_products"),
        ("Yield (%)", "yield"),
        ("__x__", "x"),
        ("", ""),
    ],
)
def test_normalise(name: str, normal: str) -> None:
    assert normalise(name) == normal


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("r.id", "id"),
        ("r.`id`", "id"),
        ("agent.name", "agent"),
        ("row.reactants", "reactants"),
        ("collect(DISTINCT reactant.name)", "reactant"),
        ("collect( distinct  reactant . name )", "reactant"),
        ("toFloat(max(rel.yield))", "yield"),
        ("coalesce(p.yield, 0)", "yield"),
        ("collect(agent.name)[0]", "agent"),
        ("[x IN collect(agent) | x.name]", "agent"),
        ("[x IN agents WHERE x.name <> 'CC|O' | x.name]", "agents"),
        ("[x IN agents]", "agents"),
        ("[r IN reactions | r.id]", "id"),
        ("reaction {.id}", "reaction"),
        ("(r.id)", "id"),
        ("Direct Precursors", "direct_precursors"),
        ("count(agent)", "count_agent"),
        ("size(collect(agent.name))", "size_collect_agent"),
        ("p.yield * 100", "p_yield_100"),
        ("'CC(=O)O'", "cc_o_o"),
        (")(", ""),
    ],
)
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
