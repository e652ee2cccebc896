"""Reactions as the relationships of a graph."""

from retrocypher.kg.graph.reaction import Reaction, relationships_of


def test_a_role_may_have_any_number_of_molecules() -> None:
    # Graphs that are built have at most four; small graphs for trials have more.
    five = tuple("ABCDE")
    reaction = Reaction(1, five, ("T", "U", "V", "W", "X"), five, five, (80.0, None, None, None, 5.0))
    found = dict(relationships_of(reaction, {(1, "REACTS_IN", "E"): {"confidence": 0.5}}))
    assert [len(members) for members in found.values()] == [5, 5, 5, 5]
    assert found["PRODUCES"][-1] == ("X", {"yield": 5.0})
    assert found["REACTS_IN"][-1] == ("E", {"confidence": 0.5})
    assert found["USES_SOLVENT"][-1] == ("E", {})
