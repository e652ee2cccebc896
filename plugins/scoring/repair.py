"""What is wrong with a query, by the smallest edit that makes it right on the small graphs."""

from collections.abc import Callable, Iterator
from itertools import groupby, takewhile

from retrocypher.kg.cypher.parser import ParsedQuery, parse
from retrocypher.kg.mutations.repairs import (
    Repair,
    end_repairs,
    length_repairs,
    limit_repairs,
    list_repairs,
    logic_repairs,
    row_repairs,
    single_row_repairs,
    type_repairs,
)
from retrocypher.kg.questions.question import MULTI_STEP_TASKS
from retrocypher.plugins.scoring.label_evidence import Evidence, part_of_route
from retrocypher.prompts.validation.finding import Finding, QuestionIntent
from retrocypher.prompts.validation.reaction_graph import Domain

MOST_TRIED = 40
"""Edits that are tried on one query."""


def find_repair(
    query: ParsedQuery,
    asked: QuestionIntent,
    shown: Evidence,
    domain: Domain,
    is_right: Callable[[ParsedQuery], bool],
) -> Finding | None:
    """Return what the first edit undoes that makes a query right; None if none of those tried does.

    If a relationship of either of two other types makes it right, its type shows nothing: the query is right
    because the relationship finds nothing, or always something.

    Args:
        shown: What the rows of the query show on a small graph.
        is_right: Whether a query is right on the small graphs.
    """
    tried = {query.text}

    def helps(repair: Repair) -> bool:
        try:
            text = repair.apply(query)
        except ValueError:
            # One of its edits lies within another, as a LIMIT in a subquery of a LIMIT does.
            return False
        if text in tried:
            return False
        tried.add(text)
        edited = parse(text)
        return not edited.errors and is_right(edited)

    repairs = takewhile(lambda _: len(tried) <= MOST_TRIED, enumerate(_repairs(query, asked, shown, domain)))
    for _, there in groupby(repairs, lambda each: _place(*each)):
        found = [repair for _, repair in there if helps(repair)]
        if len(found) == 1:
            return _finding(query, found[0])
    return None


def _place(number: int, repair: Repair) -> tuple[str, int]:
    """What edits of the type of one relationship have in common; each other edit is alone."""
    label = repair.label
    return label, repair.edits[-1].start if label == "wrong_relationship" else -number


def _repairs(query: ParsedQuery, asked: QuestionIntent, shown: Evidence, domain: Domain) -> Iterator[Repair]:
    steps = asked.steps if asked.intent in MULTI_STEP_TASKS else None
    fewer = shown.empty or shown.answers in ("fewer", "other", "none")
    loses = fewer or bool(shown.lacking)
    into = [each.type for each in domain.components.values() if each.into]
    out = [each.type for each in domain.components.values() if not each.into]
    if asked.intent == "best_yield" and shown.answers in ("more", "other"):
        yield from single_row_repairs(query)
    if loses:
        yield from limit_repairs(query)
        for each in list_repairs(query):
            if steps is None or shown.answers == "fewer":
                yield each
            else:
                yield each._replace(label=part_of_route(max(shown.lengths, default=1)))
    yield from logic_repairs(query)
    if steps is not None:
        yield from length_repairs(query, steps)
    if loses:
        yield from end_repairs(query)
        # Where all reactions are returned, a condition only takes away molecules of a component.
        yield from (each for each in row_repairs(query) if fewer or each.label != "other")
    if shown.empty or shown.lacking or shown.surplus:
        yield from type_repairs(query, into, out, f"{into[0]}|{domain.yield_type}", steps)


def _finding(query: ParsedQuery, repair: Repair) -> Finding:
    start = min(edit.start for edit in repair.edits)
    stop = max(edit.stop for edit in repair.edits)
    changes = ", ".join(_change(query, edit.start, edit.stop, edit.replacement) for edit in repair.edits)
    return Finding(repair.label, f"On small test graphs, the query is right {changes}.", start, stop)


def _change(query: ParsedQuery, start: int, stop: int, text: str) -> str:
    old, new = (" ".join(each.split()) for each in (query.text[start:stop], text))
    if not new:
        return f"without `{old}`"
    return f"with `{new}` instead of `{old}`" if old else f"with `{new}` added"
