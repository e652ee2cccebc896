"""Errors in which molecule is looked up."""

import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from kg.cypher import Edit, ParsedQuery, Rule, quote
from prompts.models.mutations._anchors import anchors
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._structure import end_before

_PLACEHOLDERS = ("<MOLECULE>", "SMILES_STRING", "target_molecule")
_OTHERS = 3


@cache
def _molecules() -> tuple[str, ...]:
    text = Path(__file__).with_name("molecules.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("# "))


def _other_molecule(query: ParsedQuery) -> Sequence[Mutation]:
    found, known = [], _molecules()
    written = {query.source(anchor.literal) for anchor in anchors(query)}
    for anchor in anchors(query):
        raw = query.source(anchor.literal)
        first = zlib.crc32(raw.encode())
        others = [quote(known[(first + 7 * step) % len(known)]) for step in range(_OTHERS)]
        found += [
            Mutation((Edit(anchor.literal.start, anchor.literal.stop, other),))
            for other in others
            if other not in written
        ]
    return found


def _placeholder(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        Mutation((Edit(anchor.literal.start, anchor.literal.stop, quote(text)),))
        for anchor in anchors(query)
        for text in _PLACEHOLDERS
    ]


def _no_molecule(query: ParsedQuery) -> Sequence[Mutation]:
    found = []
    for anchor in anchors(query):
        properties = anchor.pattern.node(Rule.PROPERTIES) if anchor.pattern else None
        if properties:
            start = end_before(query, properties.start)
            found.append(Mutation((Edit(start, properties.stop, ""),)))
    return found


WRONG_MOLECULE = Operator(
    "wrong_molecule", "look up another molecule of the graph", "error", "wrong_entity", _other_molecule
)
PLACEHOLDER = Operator(
    "placeholder", "leave a placeholder where the molecule belongs", "error", "wrong_entity", _placeholder
)
DROP_ANCHOR = Operator(
    "drop_anchor", "leave out which molecule is asked for", "error", "wrong_entity", _no_molecule
)
