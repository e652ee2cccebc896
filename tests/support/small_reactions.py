"""A handful of reactions, for queries that are run over a graph in memory and on a server."""

from retrocypher.kg.graph.reaction import Reaction

REACTIONS = (
    Reaction(1, ("A", "B"), ("T",), ("C",), ("D",), (61.0,)),
    Reaction(2, ("E",), ("T", "P"), (), ("F",), (None, 72.5)),
    Reaction(3, ("Z",), ("A",), ("X",), (), (None,)),
)
