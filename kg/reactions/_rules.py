"""What a record must be to become a reaction of the graph."""

from dataclasses import dataclass

MAX_PER_ROLE = 4
"""At most this many reactants, products, agents and solvents each: the paper's limit (section 2)."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that a person may set; the others always hold.

    Attributes:
        min_count: A molecule in fewer reactions than this is rare, and its reactions go; 1 keeps all.
        sample: Keep this many reactions, chosen by ``seed``; None keeps all.
        seed: Seed of the sample.
    """

    min_count: int = 1
    sample: int | None = None
    seed: int = 0
