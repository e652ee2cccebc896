"""Reading the claims of an answer."""

from kg.claims._model import Claim
from kg.claims._reader import Reader
from kg.claims._reading import Reading
from kg.molecules import canonical_name, find_molecules


def read_answer(
    text: str, about: str | None = None, known: frozenset[str] = frozenset(), *, routes: bool = False
) -> Reading:
    """Read what an answer says of the graph, by its words alone: SMILES, ids, numbers, words for roles.

    A molecule for which no word says a role is claimed to take part in the reaction that is spoken of, so
    that none goes unchecked. After 100,000 characters or 2,000 molecules the rest is not read.

    Args:
        text: The answer: sentences, lists, Markdown tables, arrows, JSON.
        about: The molecule the question asks about, by its canonical name. What is said to react, without
            the id of a reaction, reacts in one that makes it.
        known: All molecules of the question, of which nothing is claimed by naming them.
        routes: Whether routes are asked for, so that ids in square brackets follow one another.
    """
    return Reader(text, about, known, routes=routes).read()


def read_claims(text: str, question: str = "") -> list[Claim]:
    """Return the claims of an answer as `read_answer` reads them.

    Args:
        text: The answer.
        question: The question; where it names one molecule, the answer is about that.
    """
    named = [canonical_name(mention.smiles) for mention in find_molecules(question)]
    names = list(dict.fromkeys(name for name in named if name))
    about = names[0] if len(names) == 1 else None
    return list(read_answer(text, about, frozenset(names)).claims)
