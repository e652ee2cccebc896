"""What is wrong with a query, given what was asked."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kg.labels import name_of
from kg.questions import MULTI_STEP_TASKS
from kg.reading.model import QueryModel
from kg.schema import Schema
from prompts.validation._case import Case
from prompts.validation._check_molecules import Spellings, check_anchors
from prompts.validation._check_reaction import check_reaction
from prompts.validation._check_return import check_return
from prompts.validation._check_route import check_route, find_route
from prompts.validation._check_rows import check_rows
from prompts.validation._check_schema import check_edge_properties, check_edges, check_schema
from prompts.validation._check_sets import check_sets
from prompts.validation._check_text import check_text
from prompts.validation._check_yield import check_yield
from prompts.validation._domain import load_domain
from prompts.validation._focus import find_focus, follows_path
from prompts.validation._model import Asked, Convention, Finding, Intent
from prompts.validation._view import View

_CAUSES_FIRST = (
    "no_query",
    "syntax_error",
    "refused",
    "runtime_error",
    "schema_violation",
    "altered_smiles",
    "wrong_entity",
    "traversal_direction",
    "endpoint_anchoring",
    "path_length",
    "wrong_relationship",
    "set_logic",
    "duplicate_or_incomplete",
    "missing_null_check",
    "wrong_aggregation_or_order",
    "limit",
    "extra_component",
    "missing_component",
    "return_shape",
    "other",
)
_PATHS: dict[str, Intent] = {
    "precursors": "multi_step_precursors",
    "producing_reactions": "chains_to_target",
}


def critique(
    reading: QueryModel, asked: Asked, schema: Schema, convention: Convention
) -> tuple[Finding, ...]:
    """Return what is wrong with a query, the cause before its consequences.

    Args:
        reading: The query, read with the same schema.
        asked: What the question asks for; with no intent, only what the schema decides is checked, and
            whether the molecules of the question are looked up.
        schema: The schema of the graph.
        convention: What must be returned: ``benchmark`` for the full context of each reaction or whole
            routes of reactions, ``as-asked`` for what the question's words ask for.
    """
    found = list(check_text(reading))
    if reading.parsed.errors:
        return tuple(found)
    found += check_schema(reading, schema)
    spellings = Spellings(reading, [molecule.name for molecule in asked.molecules])
    found += spellings.findings()
    domain = load_domain()
    if not domain.fits(schema):
        return _ordered(found)
    case = Case(reading, View(reading, domain, spellings.renamed), asked, schema, domain, convention)
    found += check_edges(case)
    # What follows would only repeat a name that does not exist, or a variable that is not bound.
    if asked.intent is not None and not any(_hides_the_rest(finding) for finding in found):
        found += _answer(case)
    found += check_edge_properties(case, found)
    return _ordered(found)


def _hides_the_rest(finding: Finding) -> bool:
    return name_of(finding.label) in ("no_query", "syntax_error", "refused", "schema_violation")


def _answer(case: Case) -> Iterator[Finding]:
    """What is wrong with the query as an answer to its question."""
    if len(case.reading.branches) != 1:
        return
    yield from check_anchors(case)
    case = _as_path(case)
    if case.asked.intent in MULTI_STEP_TASKS:
        route = find_route(case)
        yield from check_route(case, route)
        yield from check_return(case, route)
    else:
        focus = find_focus(case)
        yield from focus.findings
        columns = list(check_reaction(case, focus))
        yield from columns
        if [finding.label for finding in columns] == ["return_shape"]:
            return  # which rows there are does not matter while they say nothing
        if case.asked.intent == "best_yield":
            yield from check_yield(case, focus)
        if case.asked.intent == "multi_product":
            yield from check_sets(case, focus)
    yield from check_rows(case)


def _as_path(case: Case) -> Case:
    """A question about one step as one about routes, where the query follows a path through the reaction.

    Where whole reactions have to be returned, such a path cannot give them.
    """
    intent = _PATHS.get(case.asked.intent or "")
    if intent is None or case.full or not follows_path(case):
        return case
    return replace(case, asked=replace(case.asked, intent=intent, steps=1))


def _ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    rank = {label: place for place, label in enumerate(_CAUSES_FIRST)}
    unique = dict.fromkeys(findings)
    return tuple(sorted(unique, key=lambda finding: (rank[name_of(finding.label)], finding.start)))
