"""Names put in place of SMILES while a model works on a query, and the SMILES put back to the letter."""

import re
from dataclasses import dataclass

from kg.cypher import Edit, TokenKind, apply_edits, quote, string_literals, tokens
from prompts.validation import find_molecules

_SHORTEST = 5
"""Shorter SMILES are not looked for outside of string literals: they are parts of words."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A question and a query without SMILES.

    Attributes:
        question: The question with names for its molecules.
        query: The query with names for its string literals; a molecule of the question has one name in both.
        literals: By name, the literal that stands for it in Cypher, quotes included.
        values: By name, the text it stands for.
    """

    question: str
    query: str
    literals: dict[str, str]
    values: dict[str, str]
    _pattern: re.Pattern[str]

    @property
    def example(self) -> str:
        """A name, to show what names look like."""
        return next(iter(self.literals), "MOLECULE_1")

    def hide(self, text: str) -> str:
        """Return another text, such as an error message, with names for what is masked."""
        named = {**{raw: name for name, raw in self.literals.items()}}
        named |= {value: name for name, value in self.values.items() if len(value) >= _SHORTEST}
        return _replaced(text, named)

    def unknown_names(self, query: str) -> list[str]:
        """Return names in a query that look like ours and stand for nothing."""
        return sorted(name for name in set(self._pattern.findall(query)) if name not in self.literals)

    def restore(self, query: str) -> str:
        """Return a query with the literals put back for their names, within quotes or without."""
        edits: list[Edit] = []
        found = tokens(query)
        for place, token in enumerate(found):
            name = token.text[1:-1] if token.kind is TokenKind.STRING else token.text
            if name in self.literals and token.kind in (TokenKind.STRING, TokenKind.IDENTIFIER):
                # A model that takes a name for a parameter means the text all the same.
                dollar = place > 0 and found[place - 1].name == "DOLLAR"
                start = found[place - 1].start if dollar else token.start
                edits.append(Edit(start, token.stop, self.literals[name]))
        return apply_edits(query, edits)


def mask(question: str, query: str) -> Masked:
    """Give names to the molecules of a question and to the string literals of a query.

    Args:
        question: The question as asked.
        query: A query, which may be broken.
    """
    prefix = _free_prefix(question + query)
    mentions = find_molecules(question)
    names: dict[str, str] = {}
    for mention in mentions:
        names.setdefault(mention.smiles, f"{prefix}_{len(names) + 1}")
    found = string_literals(query)
    # As first written in the query, so that putting back changes no character.
    literals = {name: quote(smiles) for smiles, name in names.items()}
    written: dict[str, str] = {}
    for at in found:
        name = names.get(at.value)
        if name is not None and name not in written.values():
            literals[name] = at.raw
            written[at.raw] = name
        elif at.raw not in written:
            written[at.raw] = f"{prefix}_{len(literals) + 1}"
            literals[written[at.raw]] = at.raw
    values = {name: smiles for smiles, name in names.items()}
    values |= {written[at.raw]: at.value for at in found}
    masked = apply_edits(query, [Edit(at.start, at.stop, f"'{written[at.raw]}'") for at in found])
    # Where a quote is broken, SMILES stand outside of any literal.
    masked = _replaced(masked, {smiles: name for smiles, name in names.items() if len(smiles) >= _SHORTEST})
    return Masked(
        question=apply_edits(question, [Edit(at.start, at.stop, names[at.smiles]) for at in mentions]),
        query=masked,
        literals=literals,
        values=values,
        _pattern=re.compile(rf"\b{prefix}_\d+\b"),
    )


def _free_prefix(text: str) -> str:
    prefix = "MOLECULE"
    while prefix in text:
        prefix += "X"
    return prefix


def _replaced(text: str, names: dict[str, str]) -> str:
    if not names:
        return text
    longest_first = sorted(names, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), lambda match: names[match[0]], text)
