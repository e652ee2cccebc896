"""What was read from an answer."""

from dataclasses import dataclass

from kg.claims._model import Claim


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer says of the graph.

    Attributes:
        claims: Its claims in the order of the text, each once.
        routes: The chains of reactions it names, first step first.
        reactions: The reactions it names, other than to say that they are not meant.
        molecules: The molecules it names, by their canonical names.
        best: The reactions that it calls the best.
        unreadable: Words that look like SMILES and are none.
        whole: Whether all of the answer was read; False where it is longer than what is.
    """

    claims: tuple[Claim, ...] = ()
    routes: tuple[tuple[int, ...], ...] = ()
    reactions: tuple[int, ...] = ()
    molecules: tuple[str, ...] = ()
    best: tuple[int, ...] = ()
    unreadable: tuple[str, ...] = ()
    whole: bool = True
