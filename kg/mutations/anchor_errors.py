"""Errors that put a molecule of the question at the wrong end."""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from retrocypher.kg.cypher.clauses import relationship_patterns, reverse
from retrocypher.kg.cypher.edits import Edit, quote, string_literals
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import Node
from retrocypher.kg.mutations.operator import ELEMENT, Anchor, Mutation, Operator, anchors, end_before


class _Path(NamedTuple):
    first: Node
    last: Node


def _other_end(query: ParsedQuery) -> Sequence[Mutation]:
    found = anchors(query)
    mutations = []
    for path in _paths(query):
        ends = [_anchors_of(query, found, end) for end in path]
        if bool(ends[0]) != bool(ends[1]):
            anchored = 0 if ends[0] else 1
            edits = _moved(query, ends[anchored], path[1 - anchored])
            mutations += [Mutation(edits)] if edits else []
    return mutations


def _ends_swapped(query: ParsedQuery) -> Sequence[Mutation]:
    found = anchors(query)
    mutations = []
    for path in _paths(query):
        ends = [_anchors_of(query, found, end) for end in path]
        if len(ends[0]) == len(ends[1]) == 1:
            one, other = ends[0][0].literal, ends[1][0].literal
            edits = (
                Edit(one.start, one.stop, query.source(other)),
                Edit(other.start, other.stop, query.source(one)),
            )
            mutations.append(Mutation(edits))
    return mutations


def _target_reacts(query: ParsedQuery) -> Sequence[Mutation]:
    named = {anchor.variable for anchor in anchors(query)}
    mutations = []
    for pattern in relationship_patterns(query):
        ends = [end for end in (pattern.left, pattern.right) if end]
        anchored = any(
            (end.variable in named and end.variable) or end.node.node("properties") for end in ends
        )
        edits = reverse(pattern)
        if pattern.types == ("PRODUCES",) and pattern.type_expression and anchored and edits:
            mutations.append(Mutation((*edits, Edit(*pattern.type_expression, ":REACTS_IN"))))
    return mutations


def _paths(query: ParsedQuery) -> Iterator[_Path]:
    """Paths between molecules: of variable length, quantified, or with several relationships."""
    for element in query.root.find_all(ELEMENT):
        if element.within(Rule.MATCH_CLAUSE) is None or element.within("parenthesizedPath"):
            continue
        nodes = element.nodes(Rule.NODE_PATTERN)
        long = len(element.nodes(Rule.RELATIONSHIP_PATTERN)) > 1 or element.find(
            Rule.PATH_LENGTH, Rule.QUANTIFIER
        )
        if len(nodes) > 1 and long:
            yield _Path(nodes[0], nodes[-1])


def _anchors_of(query: ParsedQuery, found: Sequence[Anchor], end: Node) -> list[Anchor]:
    variable = end.node(Rule.VARIABLE)
    name = query.source(variable) if variable else None
    return [each for each in found if each.pattern is end or (name and each.variable == name)]


def _moved(query: ParsedQuery, found: Sequence[Anchor], end: Node) -> tuple[Edit, ...]:
    anchor = found[0]
    if anchor.pattern is not None:
        properties = anchor.pattern.node(Rule.PROPERTIES)
        if properties is None or end.node(Rule.PROPERTIES):
            return ()
        return (
            Edit(properties.start, properties.stop, ""),
            Edit(end.stop - 1, end.stop - 1, f" {query.source(properties)}"),
        )
    variable = end.node(Rule.VARIABLE)
    used = anchor.condition.find(Rule.VARIABLE) if anchor.condition else None
    if variable is None or used is None:
        return ()
    return (Edit(used.start, used.stop, query.source(variable)),)


ANCHOR_OTHER_END = Operator(
    "anchor_other_end",
    "anchor a path's other end, the target as its start",
    "error",
    "endpoint_anchoring",
    _other_end,
)
SWAP_ENDS = Operator(
    "swap_ends",
    "swap the molecules at the two ends of a path",
    "error",
    "endpoint_anchoring",
    _ends_swapped,
)
TARGET_REACTS = Operator(
    "target_reacts",
    "look for reactions that consume the target instead of making it",
    "error",
    "endpoint_anchoring",
    _target_reacts,
)


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


_AROMATIC = re.compile(r"(?<!\[)[cnos](?![a-z])")
_ALIPHATIC = re.compile(r"(?<!\[)[CNOS](?![a-z])")
_RING_DIGIT = re.compile(r"(?<=[A-Za-z\]])\d")
_ATOM = re.compile(r"\[[^\]]*\]|Br|Cl|[A-Za-z]")
_CHARGED = re.compile(r"\[([A-Z][a-z]?)H?\d?[+-]\d?\]")
_STEREO = re.compile(r"@@?|[/\\]")


def _altered(change: Callable[[str], Iterable[str]]) -> Callable[[ParsedQuery], list[Mutation]]:
    def mutations(query: ParsedQuery) -> list[Mutation]:
        values = {literal.start: literal.value for literal in string_literals(query.text)}
        return [
            Mutation((Edit(literal.start, literal.stop, quote(text)),))
            for anchor in anchors(query)
            if (literal := anchor.literal)
            for text in dict.fromkeys(change(values[literal.start]))
            if text and text != values[literal.start]
        ]

    return mutations


def _case(smiles: str) -> Iterator[str]:
    for pattern in (_AROMATIC, _ALIPHATIC):
        found = list(pattern.finditer(smiles))
        for match in found[:1] + found[-1:]:
            yield smiles[: match.start()] + match.group().swapcase() + smiles[match.end() :]
    yield smiles.upper()


def _ring_digit(smiles: str) -> Iterator[str]:
    found = list(_RING_DIGIT.finditer(smiles))
    for match in found[:1] + found[-1:]:
        other = str(int(match.group()) % 9 + 1)
        yield smiles[: match.start()] + other + smiles[match.end() :]
        yield smiles[: match.start()] + smiles[match.end() :]


def _bracket(smiles: str) -> Iterator[str]:
    for character in "()[]":
        place = smiles.rfind(character)
        if place >= 0:
            yield smiles[:place] + smiles[place + 1 :]


def _stereo(smiles: str) -> Iterator[str]:
    yield _STEREO.sub("", smiles)
    for match in list(_STEREO.finditer(smiles))[:2]:
        turned = {"@": "@@", "@@": "@", "/": "\\", "\\": "/"}[match.group()]
        yield smiles[: match.start()] + turned + smiles[match.end() :]


def _charge(smiles: str) -> Iterator[str]:
    for match in list(_CHARGED.finditer(smiles))[:2]:
        yield smiles[: match.start()] + match.group(1) + smiles[match.end() :]


def _atom(smiles: str) -> Iterator[str]:
    """One atom less or more, as when a long SMILES is copied from memory."""
    found = list(_ATOM.finditer(smiles))
    if len(found) > 3:
        for match in (found[-1], found[len(found) // 2]):
            yield smiles[: match.start()] + smiles[match.end() :]
            yield smiles[: match.end()] + match.group() + smiles[match.end() :]


def _backslash(query: ParsedQuery) -> Sequence[Mutation]:
    """The literal as written: one backslash for two, none, or four."""
    found = []
    for anchor in anchors(query):
        raw = query.source(anchor.literal)
        for written in ("\\", "", "\\\\\\\\"):
            changed = raw.replace("\\\\", written)
            if changed != raw:
                found.append(Mutation((Edit(anchor.literal.start, anchor.literal.stop, changed),)))
    return found


def _operator(name: str, summary: str, change: Callable[[str], Iterable[str]]) -> Operator:
    return Operator(name, summary, "error", "altered_smiles", _altered(change))


SMILES_CASE = _operator("smiles_case", "write an atom of a SMILES in the other case", _case)
SMILES_RING = _operator("smiles_ring", "change or lose a ring digit of a SMILES", _ring_digit)
SMILES_BRACKET = _operator("smiles_bracket", "lose a bracket of a SMILES", _bracket)
SMILES_STEREO = _operator("smiles_stereo", "turn or lose the stereochemistry of a SMILES", _stereo)
SMILES_CHARGE = _operator("smiles_charge", "lose a charge of a SMILES", _charge)
SMILES_ATOM = _operator("smiles_atom", "lose or repeat an atom of a SMILES", _atom)
SMILES_BACKSLASH = Operator(
    "smiles_backslash",
    "leave a SMILES' backslashes unescaped, out, or escape them twice",
    "error",
    "altered_smiles",
    _backslash,
)
