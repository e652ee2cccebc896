"""A passage: what a patent says of how a reaction was done."""

from dataclasses import dataclass

from kg.reactions import Source


@dataclass(frozen=True, slots=True)
class Passage:
    """The procedure text of a reaction of the graph.

    Attributes:
        reaction: Id of the reaction.
        text: The text, as the source gives it.
        molecules: Its molecules, as the graph names them.
        source: The record that both are from.
    """

    reaction: int
    text: str
    molecules: tuple[str, ...]
    source: Source
