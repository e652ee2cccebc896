"""Errors by which a query does not run to its end, though its text is Cypher, or by which there is none."""

from collections.abc import Sequence

from kg.cypher import Edit, ParsedQuery
from prompts.models.mutations._anchors import anchors
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._structure import body, last_return, main_clauses, scope_before, where_of


def _parameter(query: ParsedQuery) -> Sequence[Mutation]:
    """A query for an application, whose parameters nobody gives."""
    return [
        Mutation((Edit(anchor.literal.start, anchor.literal.stop, f"${name}"),))
        for anchor in anchors(query)
        for name in ("target", "smiles")
    ]


def _writes(query: ParsedQuery) -> Sequence[Mutation]:
    clause, found = last_return(query), main_clauses(query)
    if clause is None or not found or found[0].kind != "MATCH":
        return []
    mutations = []
    scope = scope_before(query, clause)
    if scope:
        mutations.append(Mutation((Edit(clause.start, clause.start, "MERGE (:Answer)\n"),)))
    patterns = body(found[0]).node("patternList")
    long = patterns is None or patterns.find("pathLength", "quantifier") is not None
    if where_of(found[0]) is None and not long:
        mutations.append(Mutation((Edit(found[0].start, found[0].start + len("MATCH"), "MERGE"),)))
    return mutations


def _commented_out(query: ParsedQuery) -> Sequence[Mutation]:
    lines = query.text.splitlines()
    commented = "\n".join(f"// {line}" for line in lines)
    return [
        Mutation((Edit(0, len(query.text), commented),)),
        Mutation((Edit(0, len(query.text), "// The schema does not tell how to answer this question."),)),
    ]


PARAMETER_FOR_LITERAL = Operator(
    "parameter_for_literal",
    "ask for a parameter instead of naming the molecule",
    "error",
    "runtime_error",
    _parameter,
)
WRITE_CLAUSE = Operator("write_clause", "write to the graph", "error", "refused", _writes)
NOTHING_TO_RUN = Operator("nothing_to_run", "answer with a comment only", "error", "no_query", _commented_out)
