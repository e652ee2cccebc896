"""A passage: what a patent says of how a reaction was done."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """The procedure text of a reaction of the graph.

    Attributes:
        reaction: Id of the reaction.
        text: The text, as the source gives it.
        file: Name of the file that reaction and text were read from.
        row: Row of the record in that file, from 1.
    """

    reaction: int
    text: str
    file: str
    row: int
