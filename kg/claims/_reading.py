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
        not_best: The reactions of which it says that they are not.
        unreadable: Words that look like SMILES and are none.
        unplaced: Numbers that are neither an id, nor a yield, nor anything else that the reader knows.
        without_role: Molecules of which nothing says what they do in the reaction that is spoken of.
        names: Molecules that are told by a name without a SMILES beside it.
        denied: What it denies of a reaction without it being clear what, some words each.
        whole: Whether all of the answer was read; False where it is longer than what is.
    """

    claims: tuple[Claim, ...] = ()
    routes: tuple[tuple[int, ...], ...] = ()
    reactions: tuple[int, ...] = ()
    molecules: tuple[str, ...] = ()
    best: tuple[int, ...] = ()
    not_best: tuple[int, ...] = ()
    unreadable: tuple[str, ...] = ()
    unplaced: tuple[str, ...] = ()
    without_role: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    whole: bool = True
