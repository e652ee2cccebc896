"""What the schema of a graph could name."""

import pytest

from retrocypher.kg.audit.suggestions import OTHER, agent_class, suggestions
from retrocypher.kg.graph.reaction import Reaction


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("[Pd]", "metal catalyst or reagent"),
        ("[Cl][Cu]", "metal catalyst or reagent"),
        ("O=C([O-])[O-]", "base"),
        ("O=C([O-])O", "base"),
        ("CCN(CC)CC", "base"),
        ("O=S(=O)(O)O", "acid"),
        ("Cl", "acid"),
        ("c1ccc(P(c2ccccc2)c2ccccc2)cc1", "ligand"),
        ("[BH4-]", "reducing agent"),
        ("O=C(OO)c1cccc(Cl)c1", "oxidising agent"),
        ("C(=NC1CCCCC1)=NC1CCCCC1", "coupling agent"),
        ("[Na+]", "counter-ion"),
        ("CC(=O)OCC", OTHER),
    ],
)
def test_the_class_of_an_agent(name: str, expected: str) -> None:
    assert agent_class(name) == expected


def test_suggestions_are_counted_with_examples() -> None:
    reactions = [
        Reaction(1, ("A",), ("B",), ("[Pd]", "[H][H]"), (), (None,)),
        Reaction(2, ("A",), ("C",), ("[Pd]",), (), (None,)),
    ]
    texts = {1: "Stirred at 80° C. for 3 hours, then refluxed.", 2: "Shaken."}
    found = [
        (each.name, each.place, each.count, each.of, each.examples) for each in suggestions(reactions, texts)
    ]
    assert found == [
        ("metal catalyst or reagent", "USES_AGENT", 2, 3, ["[Pd] (2)"]),
        ("reducing agent", "USES_AGENT", 1, 3, ["[H][H] (1)"]),
        ("temperature (°C)", "Reaction", 1, 2, ["80° c (1)", "refluxed (1)"]),
        ("time (hours or minutes)", "Reaction", 1, 2, ["3 hours (1)"]),
    ]
    assert not [each for each in suggestions(reactions, {}) if each.place == "Reaction"]
