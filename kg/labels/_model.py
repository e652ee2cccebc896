"""What an error label is."""

from dataclasses import dataclass
from typing import Literal

Source = Literal["paper", "cypherbench", "ours"]


@dataclass(frozen=True, slots=True)
class Label:
    """A kind of error.

    Attributes:
        name: As records write it, e.g. ``path_length``.
        meaning: What it says, in one sentence.
        source: Where its definition comes from: the reaction Text2Cypher paper, CypherBench, or ours.
        where: The table, figure or category of that source; for our own, why it is needed.
        example: What such a query does.
        details: What may stand after the colon, as in ``missing_component:agents``.
    """

    name: str
    meaning: str
    source: Source
    where: str
    example: str
    details: tuple[str, ...] = ()
