"""Errors in how patterns are joined, and what they do to the number of rows."""

from collections.abc import Sequence

from kg.cypher import Edit, ParsedQuery, Rule, relationship_patterns
from prompts.models.mutations._anchors import anchors
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._structure import body, end_before, last_return, matches, variables_in


def _one_required(query: ParsedQuery) -> Sequence[Mutation]:
    return [Mutation((edit,)) for edit in _not_optional(query)]


def _all_required(query: ParsedQuery) -> Sequence[Mutation]:
    edits = _not_optional(query)
    return [Mutation(tuple(edits))] if len(edits) > 1 else []


def _not_optional(query: ParsedQuery) -> list[Edit]:
    optional = [each for each in matches(query) if each.kind == "OPTIONAL MATCH"]
    return [Edit(each.start, each.start + len("OPTIONAL "), "") for each in optional]


def _other_reaction(query: ParsedQuery) -> Sequence[Mutation]:
    """A slip in the name of the reaction's variable joins a component with all reactions there are."""
    found = []
    for clause in matches(query)[1:]:
        for pattern in relationship_patterns(query):
            inside = clause.start <= pattern.start < clause.stop
            for end in (pattern.left, pattern.right):
                if not inside or end is None or end.variable is None or end.labels:
                    continue
                if end.variable in variables_in(query, matches(query)[0].node):
                    name = end.node.node(Rule.VARIABLE)
                    if name and end.variable not in _anchored(query):
                        slip = f"{end.variable[0]}x:Reaction"
                        found.append(Mutation((Edit(name.start, name.stop, slip),)))
    return found


def _anchor_apart(query: ParsedQuery) -> Sequence[Mutation]:
    """The molecule is looked up, but by a pattern that nothing joins with the path."""
    found = []
    for anchor in anchors(query):
        properties = anchor.pattern.node(Rule.PROPERTIES) if anchor.pattern else None
        clause = anchor.pattern.within(Rule.MATCH_CLAUSE) if anchor.pattern else None
        patterns = clause.node("patternList") if clause else None
        if properties and patterns:
            apart = f", (named:Molecule {query.source(properties)})"
            start = end_before(query, properties.start)
            edits = (
                Edit(start, properties.stop, ""),
                Edit(patterns.stop, patterns.stop, apart),
            )
            found.append(Mutation(edits))
    return found


def _anchored(query: ParsedQuery) -> set[str | None]:
    return {anchor.variable for anchor in anchors(query)}


def _no_distinct(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        Mutation((Edit(token.start, following.start, ""),))
        for token, following in zip(query.tokens, query.tokens[1:], strict=False)
        if token.name == "DISTINCT"
    ]


def _matched_too(query: ParsedQuery) -> Sequence[Mutation]:
    """Another MATCH, which loses the reactions that it does not fit, or multiplies rows past any cap."""
    clause, returned = matches(query)[0] if matches(query) else None, last_return(query)
    if clause is None or returned is None:
        return []
    reactions = [
        end.variable
        for pattern in relationship_patterns(query)
        for end in (pattern.left, pattern.right)
        if end and end.variable and "Reaction" in end.labels and end.start < clause.stop
    ]
    found = []
    if reactions and returned.start > clause.stop:
        for text in ("-[:USES_AGENT]->(catalyst:Molecule)", "-[:USES_SOLVENT]->(medium:Molecule)"):
            found.append(Mutation((Edit(clause.stop, clause.stop, f"\nMATCH ({reactions[0]}){text}"),)))
    patterns, distinct = body(clause).node("patternList"), body(returned).find("returnBody")
    word = distinct.token("DISTINCT") if distinct else None
    if patterns and word and not any("(" in item.expression for item in returned.items):
        edits = (
            Edit(patterns.stop, patterns.stop, ", (other:Molecule)"),
            Edit(word.start, word.stop + 1, ""),
        )
        found.append(Mutation(edits))
    return found


REQUIRE_MATCH = Operator(
    "require_match",
    "require one component, so that reactions without it are lost",
    "error",
    "duplicate_or_incomplete",
    _one_required,
)
REQUIRE_ALL = Operator(
    "require_all",
    "require all components, so that reactions without one of them are lost",
    "error",
    "duplicate_or_incomplete",
    _all_required,
)
OTHER_REACTION = Operator(
    "other_reaction",
    "take a component from all reactions there are, by a slip in a variable's name",
    "error",
    "duplicate_or_incomplete",
    _other_reaction,
)
ANCHOR_APART = Operator(
    "anchor_apart",
    "look the molecule up in a pattern that nothing joins with the rest",
    "error",
    "duplicate_or_incomplete",
    _anchor_apart,
)
DROP_DISTINCT = Operator(
    "drop_distinct", "leave out a DISTINCT", "style", "duplicate_or_incomplete", _no_distinct
)
EXTRA_MATCH = Operator(
    "extra_match",
    "match something more, by which rows are lost or multiplied",
    "error",
    "duplicate_or_incomplete",
    _matched_too,
)
