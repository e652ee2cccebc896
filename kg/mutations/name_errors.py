"""Errors in names and syntax: unknown names, other molecules, altered SMILES, queries that cannot run."""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from retrocypher.kg.cypher.clauses import relationship_patterns
from retrocypher.kg.cypher.edits import Edit, quote, string_literals
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import Node, TokenKind
from retrocypher.kg.mutations.operator import (
    CALL,
    CALL_NAME,
    PROPERTY_NAME,
    Mutation,
    Operator,
    anchors,
    body,
    data,
    end_before,
    error,
    inserted,
    last_return,
    main_clauses,
    make_operator,
    matches,
    replaced,
    scope_before,
    where_of,
)

_PLACEHOLDERS = ("<MOLECULE>", "SMILES_STRING", "target_molecule")
_OTHERS = 3
_AROMATIC = re.compile(r"(?<!\[)[cnos](?![a-z])")
_ALIPHATIC = re.compile(r"(?<!\[)[CNOS](?![a-z])")
_RING_DIGIT = re.compile(r"(?<=[A-Za-z\]])\d")
_ATOM = re.compile(r"\[[^\]]*\]|Br|Cl|[A-Za-z]")
_CHARGED = re.compile(r"\[([A-Z][a-z]?)H?\d?[+-]\d?\]")
_STEREO = re.compile(r"@@?|[/\\]")

_CLOSING = ("RPAREN", "RBRACKET", "RCURLY")
_UNCLOSED, _UNQUOTED = (None, ""), ("", "")
_TYPOGRAPHIC = ("\N{LEFT SINGLE QUOTATION MARK}", "\N{RIGHT SINGLE QUOTATION MARK}")


@error("schema_violation")
def anchor_property(query: ParsedQuery) -> Sequence[Mutation]:
    """Look a molecule up by a property that the schema does not have."""
    places = {anchor.name.start: anchor.name for anchor in anchors(query)}
    return list(_invented_names(query, places.values(), "properties", "property"))


@error("schema_violation")
def returned_property(query: ParsedQuery) -> Sequence[Mutation]:
    """Return a property that the schema does not have."""
    clause = last_return(query)
    names = clause.node.find_all(PROPERTY_NAME) if clause else ()
    return list(_invented_names(query, names, "properties", "property"))


@error("schema_violation")
def yield_elsewhere(query: ParsedQuery) -> Iterator[Mutation]:
    """Take the yield for a property of a node."""
    for pattern in relationship_patterns(query):
        for end in (pattern.left, pattern.right):
            uses = [
                name
                for name in query.root.find_all(PROPERTY_NAME)
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
        for name in expression.find_all(Rule.SYMBOLIC_NAME)
    ]
    return list(_invented_names(query, names, "labels", "label"))


@error("schema_violation")
def invented_type(query: ParsedQuery) -> Sequence[Mutation]:
    """Invent a relationship type."""
    names = [
        name
        for expression in query.root.find_all(Rule.LABEL_EXPRESSION)
        if expression.within(Rule.RELATIONSHIP_PATTERN)
        for name in expression.find_all(Rule.SYMBOLIC_NAME)
    ]
    return list(_invented_names(query, names, "types", "type"))


@error("schema_violation")
def join_molecules(query: ParsedQuery) -> Iterator[Mutation]:
    """Join two molecules directly, without the reaction between them."""
    named = [anchor.variable for anchor in anchors(query) if anchor.variable]
    for clause in matches(query)[1:]:
        scope = scope_before(query, clause)
        for pattern in relationship_patterns(query):
            inside = clause.start <= pattern.start < clause.stop
            for end in (pattern.left, pattern.right):
                name = end.node.node(Rule.VARIABLE) if end and end.variable in scope else None
                if inside and name and named and named[0] in scope and query.source(name) not in named:
                    yield replaced(name, named[0], "edge")


def _invented_names(query: ParsedQuery, names: Iterable[Node], kind: str, detail: str) -> Iterator[Mutation]:
    for name in names:
        for other in data("invented.yaml")[kind].get(query.source(name), ()):
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
    """Lose or repeat an atom of a SMILES."""
    found = list(_ATOM.finditer(smiles))
    if len(found) > 3:
        for match in (found[-1], found[len(found) // 2]):
            yield smiles[: match.start()] + smiles[match.end() :]
            yield smiles[: match.end()] + match.group() + smiles[match.end() :]


@error("altered_smiles")
def smiles_backslash(query: ParsedQuery) -> Iterator[Mutation]:
    """Leave a SMILES' backslashes unescaped, out, or escape them twice."""
    for anchor in anchors(query):
        raw = query.source(anchor.literal)
        for written in ("\\", "", "\\\\\\\\"):
            changed = raw.replace("\\\\", written)
            if changed != raw:
                yield replaced(anchor.literal, changed)


@error("syntax_error")
def unbalanced_bracket(query: ParsedQuery) -> Sequence[Mutation]:
    """Lose a closing bracket."""
    return [replaced(token, "") for token in query.tokens if token.name in _CLOSING]


@error("syntax_error")
def sql_words(query: ParsedQuery) -> Sequence[Mutation]:
    """Write SQL where Cypher belongs."""
    clause, found = last_return(query), main_clauses(query)
    if clause is None:
        return []
    returned = query.text[clause.start + len("RETURN") : clause.stop].strip()
    mutations = [
        Mutation((Edit(clause.start, clause.start + len("RETURN"), "SELECT"),)),
        Mutation((Edit(0, 0, f"SELECT {returned}\nFROM Reaction\n"), Edit(clause.start, clause.stop, ""))),
        inserted(clause.stop, f"\nGROUP BY {clause.items[0].expression}")
        if clause.items
        else inserted(0, "SELECT * FROM "),
    ]
    optional = [each for each in found if each.kind == "OPTIONAL MATCH"]
    if optional:
        edits = tuple(Edit(each.start, each.start + len("OPTIONAL MATCH"), "LEFT JOIN") for each in optional)
        mutations.append(Mutation(edits))
    return mutations


@error("syntax_error")
def missing_return(query: ParsedQuery) -> Sequence[Mutation]:
    """Leave out RETURN."""
    clause = last_return(query)
    return [Mutation((Edit(end_before(query, clause.start), clause.stop, ""),))] if clause else []


@error("syntax_error")
def prose_around(query: ParsedQuery) -> Iterator[Mutation]:
    """Write prose around the query."""
    for text in data("prose.yaml"):
        before, _, after = text.partition("{query}")
        end = len(query.text)
        yield Mutation((Edit(0, 0, before), Edit(end, end, after)))


@error("syntax_error")
def broken_quotes(query: ParsedQuery) -> Iterator[Mutation]:
    """Lose a string's quotes or take those of a text editor."""
    for token in query.tokens:
        if token.kind is TokenKind.STRING:
            first, last = (token.start, token.start + 1), (token.stop - 1, token.stop)
            for opening, closing in (_UNCLOSED, _UNQUOTED, _TYPOGRAPHIC):
                opened = token.text[0] if opening is None else opening
                yield Mutation((Edit(*first, opened), Edit(*last, closing)))


@error("syntax_error")
def unknown_variable(query: ParsedQuery) -> Iterator[Mutation]:
    """Return a variable that nothing binds."""
    clause = last_return(query)
    if clause is None:
        return
    for item in clause.items:
        expression = item.node.node(Rule.EXPRESSION)
        variable = expression.find(Rule.VARIABLE) if expression else None
        local = variable and variable.within("listComprehension", "allReduce")
        if variable and not local:
            yield inserted(variable.stop, "s")


@error("syntax_error")
def invented_function(query: ParsedQuery) -> Iterator[Mutation]:
    """Call a function that Neo4j does not have."""
    for call in query.root.find_all(CALL):
        name = call.node(CALL_NAME)
        others = data("invented.yaml")["functions"].get(query.source(name).lower(), ()) if name else ()
        # DISTINCT goes with it: only aggregating functions take one, and these are none.
        distinct = call.token("DISTINCT")
        dropped = (Edit(distinct.start, distinct.stop + 1, ""),) if distinct else ()
        yield from [Mutation((Edit(name.start, name.stop, other), *dropped)) for other in others if name]


@error("syntax_error")
def missing_comma(query: ParsedQuery) -> Sequence[Mutation]:
    """Leave out a comma between returned items."""
    clause = last_return(query)
    items = clause.node.find(Rule.RETURN_ITEMS) if clause else None
    commas = [token for token in query.tokens if token.name == "COMMA"]
    direct = [comma for comma in commas if items and comma in items.children]
    return [replaced(comma, "") for comma in direct]


@error("runtime_error")
def parameter_for_literal(query: ParsedQuery) -> Sequence[Mutation]:
    """Ask for a parameter instead of naming the molecule."""
    return [
        replaced(anchor.literal, f"${name}") for anchor in anchors(query) for name in ("target", "smiles")
    ]


@error("refused")
def write_clause(query: ParsedQuery) -> Iterator[Mutation]:
    """Write to the graph."""
    clause, found = last_return(query), main_clauses(query)
    if clause is None or not found or found[0].kind != "MATCH":
        return
    scope = scope_before(query, clause)
    if scope:
        yield inserted(clause.start, "MERGE (:Answer)\n")
    patterns = body(found[0]).node("patternList")
    long = patterns is None or patterns.find("pathLength", "quantifier") is not None
    if where_of(found[0]) is None and not long:
        yield Mutation((Edit(found[0].start, found[0].start + len("MATCH"), "MERGE"),))


@error("no_query")
def nothing_to_run(query: ParsedQuery) -> Sequence[Mutation]:
    """Answer with a comment only."""
    lines = query.text.splitlines()
    commented = "\n".join(f"// {line}" for line in lines)
    return [
        Mutation((Edit(0, len(query.text), commented),)),
        Mutation((Edit(0, len(query.text), "// The schema does not tell how to answer this question."),)),
    ]
