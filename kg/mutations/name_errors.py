"""Errors in names: what the schema does not have, other molecules and altered SMILES."""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import yaml

from retrocypher.kg.cypher.clauses import (
    relationship_patterns,
)
from retrocypher.kg.cypher.edits import Edit, quote, string_literals
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import Node
from retrocypher.kg.mutations.operator import (
    PROPERTY_NAME,
    Mutation,
    Operator,
    anchors,
    end_before,
    error,
    last_return,
    make_operator,
    matches,
    names_of,
    replaced,
    scope_before,
)

_PLACEHOLDERS = ("<MOLECULE>", "SMILES_STRING", "target_molecule")
_OTHERS = 3
_AROMATIC = re.compile(r"(?<!\[)[cnos](?![a-z])")
_ALIPHATIC = re.compile(r"(?<!\[)[CNOS](?![a-z])")
_RING_DIGIT = re.compile(r"(?<=[A-Za-z\]])\d")
_ATOM = re.compile(r"\[[^\]]*\]|Br|Cl|[A-Za-z]")
_CHARGED = re.compile(r"\[([A-Z][a-z]?)H?\d?[+-]\d?\]")
_STEREO = re.compile(r"@@?|[/\\]")
Kind = Literal["labels", "types", "properties", "functions"]


@cache
def invented(kind: Kind) -> Mapping[str, Sequence[str]]:
    """Return, by each name of a kind, names that are not in the schema or the language."""
    text = Path(__file__).with_name("invented.yaml").read_text(encoding="utf-8")
    names: Mapping[str, Sequence[str]] = yaml.safe_load(text)[kind]
    return names


@error("schema_violation")
def anchor_property(query: ParsedQuery) -> Sequence[Mutation]:
    """Look a molecule up by a property that the schema does not have."""
    places = {anchor.name.start: anchor.name for anchor in anchors(query)}
    return list(_invented_names(query, places.values(), "properties", "property"))


@error("schema_violation")
def returned_property(query: ParsedQuery) -> Sequence[Mutation]:
    """Return a property that the schema does not have."""
    clause = last_return(query)
    names = names_of(query, PROPERTY_NAME, clause.node) if clause else []
    return list(_invented_names(query, names, "properties", "property"))


@error("schema_violation")
def yield_elsewhere(query: ParsedQuery) -> Iterator[Mutation]:
    """Take the yield for a property of a node.

    A yield is looked for on the reaction or the molecule that its relationship joins.
    """
    for pattern in relationship_patterns(query):
        for end in (pattern.left, pattern.right):
            uses = [
                name
                for name in names_of(query, PROPERTY_NAME)
                if query.source(name) == "yield" and _owner(query, name) == pattern.variable
            ]
            if pattern.variable and end and end.variable and uses:
                places = [name.start - 1 - len(pattern.variable) for name in uses]
                edits = tuple(Edit(at, at + len(pattern.variable), end.variable) for at in places)
                yield Mutation(edits, "property")


def _owner(query: ParsedQuery, name: Node) -> str | None:
    holder = name.within("expression2")
    variable = holder.find(Rule.VARIABLE) if holder else None
    return query.source(variable) if variable and variable.stop == name.start - 1 else None


@error("schema_violation")
def invented_label(query: ParsedQuery) -> Sequence[Mutation]:
    """Invent a label."""
    names = [
        name
        for expression in query.root.find_all(Rule.LABEL_EXPRESSION)
        if expression.within(Rule.RELATIONSHIP_PATTERN) is None
        for name in names_of(query, Rule.SYMBOLIC_NAME, expression)
    ]
    return list(_invented_names(query, names, "labels", "label"))


@error("schema_violation")
def invented_type(query: ParsedQuery) -> Sequence[Mutation]:
    """Invent a relationship type."""
    names = [
        name
        for expression in query.root.find_all(Rule.LABEL_EXPRESSION)
        if expression.within(Rule.RELATIONSHIP_PATTERN)
        for name in names_of(query, Rule.SYMBOLIC_NAME, expression)
    ]
    return list(_invented_names(query, names, "types", "type"))


@error("schema_violation")
def join_molecules(query: ParsedQuery) -> Iterator[Mutation]:
    """Join two molecules directly, without the reaction between them.

    A component is joined with the molecule asked for, as if no reaction stood between them.
    """
    named = [anchor.variable for anchor in anchors(query) if anchor.variable]
    for clause in matches(query)[1:]:
        scope = scope_before(query, clause)
        for pattern in relationship_patterns(query):
            inside = clause.start <= pattern.start < clause.stop
            for end in (pattern.left, pattern.right):
                name = end.node.node(Rule.VARIABLE) if end and end.variable in scope else None
                if inside and name and named and named[0] in scope and query.source(name) not in named:
                    yield replaced(name, named[0], "edge")


def _invented_names(query: ParsedQuery, names: Iterable[Node], kind: Kind, detail: str) -> Iterator[Mutation]:
    for name in names:
        for other in invented(kind).get(query.source(name), ()):
            yield replaced(name, other, detail)


@cache
def _molecules() -> tuple[str, ...]:
    text = Path(__file__).with_name("molecules.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("# "))


@error("wrong_entity")
def wrong_molecule(query: ParsedQuery) -> Sequence[Mutation]:
    """Look up another molecule of the graph."""
    found, known = [], _molecules()
    written = {query.source(anchor.literal) for anchor in anchors(query)}
    for anchor in anchors(query):
        raw = query.source(anchor.literal)
        first = zlib.crc32(raw.encode())
        others = [quote(known[(first + 7 * step) % len(known)]) for step in range(_OTHERS)]
        found += [replaced(anchor.literal, other) for other in others if other not in written]
    return found


@error("wrong_entity")
def placeholder(query: ParsedQuery) -> Sequence[Mutation]:
    """Leave a placeholder where the molecule belongs."""
    return [replaced(anchor.literal, quote(text)) for anchor in anchors(query) for text in _PLACEHOLDERS]


@error("wrong_entity")
def drop_anchor(query: ParsedQuery) -> Iterator[Mutation]:
    """Leave out which molecule is asked for."""
    for anchor in anchors(query):
        properties = anchor.pattern.node(Rule.PROPERTIES) if anchor.pattern else None
        if properties:
            start = end_before(query, properties.start)
            yield Mutation((Edit(start, properties.stop, ""),))


def _smiles_error(change: Callable[[str], Iterable[str]]) -> Operator:
    """Make a function that returns other texts for a SMILES an operator."""

    def mutations(query: ParsedQuery) -> list[Mutation]:
        values = {literal.start: literal.value for literal in string_literals(query.text)}
        return [
            replaced(literal, quote(text))
            for anchor in anchors(query)
            if (literal := anchor.literal)
            for text in dict.fromkeys(change(values[literal.start]))
            if text and text != values[literal.start]
        ]

    return make_operator(change, mutations, "error", "altered_smiles")


@_smiles_error
def smiles_case(smiles: str) -> Iterator[str]:
    """Write an atom of a SMILES in the other case."""
    for pattern in (_AROMATIC, _ALIPHATIC):
        found = list(pattern.finditer(smiles))
        for match in found[:1] + found[-1:]:
            yield smiles[: match.start()] + match.group().swapcase() + smiles[match.end() :]
    yield smiles.upper()


@_smiles_error
def smiles_ring(smiles: str) -> Iterator[str]:
    """Change or lose a ring digit of a SMILES."""
    found = list(_RING_DIGIT.finditer(smiles))
    for match in found[:1] + found[-1:]:
        other = str(int(match.group()) % 9 + 1)
        yield smiles[: match.start()] + other + smiles[match.end() :]
        yield smiles[: match.start()] + smiles[match.end() :]


@_smiles_error
def smiles_bracket(smiles: str) -> Iterator[str]:
    """Lose a bracket of a SMILES."""
    for character in "()[]":
        place = smiles.rfind(character)
        if place >= 0:
            yield smiles[:place] + smiles[place + 1 :]


@_smiles_error
def smiles_stereo(smiles: str) -> Iterator[str]:
    """Turn or lose the stereochemistry of a SMILES."""
    yield _STEREO.sub("", smiles)
    for match in list(_STEREO.finditer(smiles))[:2]:
        turned = {"@": "@@", "@@": "@", "/": "\\", "\\": "/"}[match.group()]
        yield smiles[: match.start()] + turned + smiles[match.end() :]


@_smiles_error
def smiles_charge(smiles: str) -> Iterator[str]:
    """Lose a charge of a SMILES."""
    for match in list(_CHARGED.finditer(smiles))[:2]:
        yield smiles[: match.start()] + match.group(1) + smiles[match.end() :]


@_smiles_error
def smiles_atom(smiles: str) -> Iterator[str]:
    """Lose or repeat an atom of a SMILES.

    One atom less or more, as when a long SMILES is copied from memory.
    """
    found = list(_ATOM.finditer(smiles))
    if len(found) > 3:
        for match in (found[-1], found[len(found) // 2]):
            yield smiles[: match.start()] + smiles[match.end() :]
            yield smiles[: match.end()] + match.group() + smiles[match.end() :]


@error("altered_smiles")
def smiles_backslash(query: ParsedQuery) -> Iterator[Mutation]:
    """Leave a SMILES' backslashes unescaped, out, or escape them twice.

    The literal as written: one backslash for two, none, or four.
    """
    for anchor in anchors(query):
        raw = query.source(anchor.literal)
        for written in ("\\", "", "\\\\\\\\"):
            changed = raw.replace("\\\\", written)
            if changed != raw:
                yield replaced(anchor.literal, changed)
