"""What is wrong with the rows that a query returns on a small graph."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.graph.reaction import ROLES
from retrocypher.kg.interpreter.graph import SmallGraph
from retrocypher.kg.interpreter.interpreter import SmallResult
from retrocypher.kg.labels.error_labels import with_detail
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.scoring.columns import ID_KEY
from retrocypher.plugins.scoring.label_evidence import part_of_route
from retrocypher.plugins.scoring.routes import routes
from retrocypher.plugins.scoring.single_step import (
    Values,
    asks_for_reactions,
    focus_key,
    single_step_scores,
    values_by_key,
)
from retrocypher.plugins.scoring.small_graphs import APART, LENGTH, SET, TYPE, Trial
from retrocypher.plugins.scoring.table import atoms
from retrocypher.prompts.validation.finding import Convention, Finding, QuestionIntent

_MAY_HAVE_NONE = frozenset({"co_products", "conditions"})
"""Tasks whose answer, as asked, may leave out a reaction that has nothing of what is asked for."""

_WHERE = "On a small test graph, the query"

LOST = "duplicate_or_incomplete"
"""The label of a query that leaves out right answers, whatever makes it do so."""

_MOLECULES = (*ROLES, "co_products")
"""Keys whose values are names of molecules."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A small graph with the question as it is asked of it.

    Attributes:
        molecules: The molecules that are asked for; empty where reactions or routes are.
        is_varied: Whether it has the most kinds of reactions. Where the right ones are alike, rows may come
            several times for no other reason.
    """

    trial: Trial
    graph: SmallGraph
    question: Question
    molecules: frozenset[str]
    is_varied: bool


def judge(
    prepared: Prepared, result: SmallResult, asked: QuestionIntent, convention: Convention
) -> Finding | None:
    """Return what is wrong with rows; None if the scores call them right, for whole reactions or as asked."""
    if not result.rows:
        return finding_on("empty_result", "returns no rows, although the question has an answer there")
    if prepared.question.setting == "multi_step":
        return _judge_routes(prepared, result, convention)
    found = (
        _judge_whole(prepared, result)
        if convention == "benchmark"
        else _judge_as_asked(prepared, result, asked)
    )
    if found is None or prepared.question.task != "best_yield" or len(result.rows) < 2:
        return found
    first = SmallResult(result.columns, result.rows[:1])
    if judge(prepared, first, asked, convention) is None:
        return finding_on("limit", "returns further reactions after the best one")
    return found


def judge_size(prepared: Prepared, result: SmallResult) -> Finding | None:
    """Whether each row comes again for each of all reactions or molecules, which fills the real result."""
    times = Counter(map(repr, result.rows))
    if min(times.values()) < len(prepared.trial.reactions):
        return None
    return finding_on(
        "duplicate_or_incomplete",
        "returns each row once for each of many nodes that it has nothing to do with",
    )


def _judge_whole(prepared: Prepared, result: SmallResult) -> Finding | None:
    """Whether whole reactions are returned."""
    question, trial = prepared.question, prepared.trial
    scores = single_step_scores(question, result.columns, result.rows, None)
    complete = scores.focus_f1 == 1.0 or not asks_for_reactions(question)
    if scores.is_perfect and complete:
        return None
    values = values_of(question, result)
    ids = values[ID_KEY]
    known = {name for each in trial.reactions for name in (each.id, *each.molecules)}
    if not any(known & each.returned for each in values.values()):
        return finding_on("return_shape", "returns nothing that can be read as a part of a reaction")
    if any(_several_ids(row, trial) for row in result.rows):
        return finding_on("wrong_aggregation_or_order", "puts several reactions into one row")
    needed = [key for key in values if key != ID_KEY or (asks_for_reactions(question) and not ids.returned)]
    found = (
        _of_further_reactions(prepared, ids)
        or next(filter(None, (_of_component(trial, key, values[key]) for key in needed)), None)
        or _of_lost_reactions(trial, ids)
        or next(filter(None, (_of_values(question, key, values[key]) for key in needed)), None)
    )
    if found is not None:
        return found
    if not ids.returned:
        return finding_on("missing_component:id", "does not say which molecules belong to one reaction")
    return finding_on(
        "wrong_aggregation_or_order", "returns molecules of other reactions in the row of a reaction"
    )


def _several_ids(row: list[Any], trial: Trial) -> bool:
    """Whether a value of a row has the ids of several reactions."""
    values = [each for cell in row for each in (cell.values() if isinstance(cell, dict) else [cell])]
    return any(len(trial.notes.keys() & set(atoms(value))) > 1 for value in values)


def _judge_as_asked(prepared: Prepared, result: SmallResult, asked: QuestionIntent) -> Finding | None:
    """Whether what the question asks for is returned."""
    question = prepared.question
    values = values_of(question, result)
    ids, focus = values[ID_KEY], focus_key(question)
    if ids.returned:
        there = _without_bare(question, ids, focus)
        found = _of_further_reactions(prepared, there) or _of_lost_reactions(prepared.trial, there)
        if found is not None:
            return found
        if question.task == "best_yield" and not values["target_yield"].returned:
            return None
    wanted = sorted(asked.components) if focus is None else [focus]
    if len(wanted) == 1 and _in_a_column_without_name(question, result, values[wanted[0]]):
        return None
    return next(filter(None, (_of_values(question, key, values[key]) for key in wanted)), None)


def _in_a_column_without_name(question: Question, result: SmallResult, values: Values) -> bool:
    """Whether a column whose name tells nothing has just what is asked for: people read it all the same."""
    unnamed = single_step_scores(question, result.columns, result.rows, None).unmatched_columns
    places = [place for place, name in enumerate(result.columns) if name in (unnamed or ())]
    return not values.returned and any(
        {atom for row in result.rows for atom in atoms(row[place])} == values.gold for place in places
    )


def _without_bare(question: Question, ids: Values, focus: str | None) -> Values:
    """The ids without those that are left out because the reaction has nothing of what is asked for."""
    if question.task not in _MAY_HAVE_NONE or focus is None:
        return ids
    bare = {row[ID_KEY] for row in question.gold if not row[focus]} - ids.returned
    return Values(ids.gold - bare, ids.returned)


def _judge_routes(prepared: Prepared, result: SmallResult, convention: Convention) -> Finding | None:
    gold = {tuple(row["route"]) for row in prepared.question.gold}
    returned = routes(result.columns, result.rows)
    if returned == gold:
        return None
    if convention == "as-asked" and prepared.molecules:
        return _of_molecules(prepared, result)
    if not {number for route in returned for number in route} & prepared.trial.notes.keys():
        if any(_holds_several(set(atoms(row)), gold) for row in result.rows):
            return finding_on("wrong_aggregation_or_order", "puts the reactions of several routes together")
        return finding_on("return_shape", "returns no routes that can be read")
    extra, missing = sorted(returned - gold), sorted(gold - returned)
    if _either_end(prepared, extra):
        return finding_on("set_logic", "returns routes with either the start or the target")
    if any(route[::-1] in gold for route in extra):
        return finding_on("wrong_aggregation_or_order", "returns routes from the target back")
    if extra and all(any(set(route) == set(each) for each in gold) for route in extra):
        return finding_on("wrong_aggregation_or_order", "returns the reactions of a route in another order")
    if any(_holds_several(set(route), gold) for route in extra):
        return finding_on("wrong_aggregation_or_order", "returns the reactions of several routes as one")
    for route in extra:
        if len(route) != prepared.question.steps and not set(route) <= set().union(*gold):
            (label, text), *_ = _explanations(prepared, route).items()
            return finding_on(label, f"returns a route {text}")
    for route in extra:
        if len(route) < prepared.question.steps and set(route) <= set().union(*gold):
            singly = {(number,) for each in gold for number in each} == returned
            return finding_on(part_of_route(singly), "returns only some of the reactions of a route")
    counts = Counter(each for route in extra for each in _explanations(prepared, route).items())
    if any(label for label, _ in counts):
        label, text = max(counts, key=lambda each: (each[0] == APART, counts[each]))
        return finding_on(label, f"returns a route {text}")
    if extra:
        return finding_on("wrong_aggregation_or_order", "returns reactions in an order that is no route")
    note = next(note for number in missing[0] if (note := prepared.trial.notes[number]))
    return finding_on("duplicate_or_incomplete", f"leaves out a route with a reaction that {note.text}")


def _either_end(prepared: Prepared, extra: Sequence[tuple[Any, ...]]) -> bool:
    """Whether routes from the start to elsewhere are returned, and routes from elsewhere to the target."""
    slots = prepared.question.slots
    made = {each.id: each for each in prepared.trial.reactions}
    ends = {
        (slots["start"] in made[route[0]].reactants, slots["target"] in made[route[-1]].products)
        for route in extra
        if "start" in slots and len(route) == prepared.question.steps and made.keys() >= set(route)
    }
    return {(True, False), (False, True)} <= ends


def _holds_several(reactions: set[Any], routes: Iterable[tuple[Any, ...]]) -> bool:
    """Whether the reactions are those of several routes."""
    return sum(set(each) <= reactions for each in routes) > 1


def _explanations(prepared: Prepared, route: tuple[Any, ...]) -> dict[str, str]:
    """By label, what may be why a route that does not belong to the answer is returned."""
    notes, steps = prepared.trial.notes, prepared.question.steps
    if len(route) != steps:
        return {"path_length": f"of {counted(len(route), 'reaction')} instead of {steps}"}
    made = {each.id: set(each.molecules) for each in prepared.trial.reactions}
    if any(not made.get(one, set()) & made.get(other, set()) for one, other in pairwise(route)):
        return {APART: "of reactions that have no molecule in common"}
    labelled = [note for number in route if (note := notes.get(number)) and note.label]
    return {note.label: f"with a reaction that {note.text}" for note in labelled} or {"": ""}


def _of_molecules(prepared: Prepared, result: SmallResult) -> Finding | None:
    """Whether the molecules that are asked for are returned, in one column or in all together."""
    names = {name for reaction in prepared.trial.reactions for name in reaction.molecules}
    cells = [[row[place] for row in result.rows] for place in range(len(result.columns))]
    columns = [names.intersection(_texts(each)) for each in cells]
    together = set().union(*columns)
    if prepared.molecules in [*columns, together]:
        return None
    if not together:
        return finding_on("return_shape", "returns no molecules that can be read")
    what = "intermediates" if prepared.question.task == "intermediates" else "precursors"
    if together - prepared.molecules:
        return finding_on("extra_component:intermediates", f"returns molecules that are no {what}")
    return finding_on("duplicate_or_incomplete", f"leaves out some of the {what}")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value if isinstance(value, list) else value.values():
            yield from _texts(each)


def _of_further_reactions(prepared: Prepared, ids: Values) -> Finding | None:
    """What is wrong with reactions that are returned and belong to no answer."""
    notes = prepared.trial.notes
    if ids.returned - notes.keys():
        return finding_on("missing_component:id", "returns something else as the id of a reaction")
    further = [note for number, note in notes.items() if number in ids.returned - ids.gold]
    if not further:
        return None
    # A relationship of any type finds molecules at the other end, too.
    ranks = (APART, SET, TYPE)
    note = min(further, key=lambda each: ranks.index(each.label) if each.label in ranks else len(ranks))
    if not note.label and prepared.question.task == "best_yield":
        return finding_on("wrong_aggregation_or_order", "returns a reaction without the best yield")
    return finding_on(note.label or "wrong_aggregation_or_order", f"returns a reaction that {note.text}")


def _of_lost_reactions(trial: Trial, ids: Values) -> Finding | None:
    """Which reaction is not returned, where ids say which ones are."""
    for number, note in trial.notes.items() if ids.returned else ():
        if number in ids.gold - ids.returned:
            return finding_on("duplicate_or_incomplete", f"leaves out a reaction that {note.text}")
    return None


def _of_component(trial: Trial, key: str, values: Values) -> Finding | None:
    """Whether a component has molecules of a step too far, of all reactions, or none at all."""
    extra = values.returned - values.gold
    if key not in ROLES or not extra:
        return None
    there = {each.id: set(getattr(each, key)) for each in trial.reactions}
    if set().union(*there.values()) <= values.returned:
        return finding_on("duplicate_or_incomplete", f"returns the {key} of all reactions as those of each")
    if not extra & {name for each in trial.reactions for name in each.molecules}:
        return finding_on("return_shape", f"returns {key} that are no names of molecules")
    for number, note in trial.notes.items():
        if note.label == LENGTH and extra <= there[number]:
            return finding_on(note.label, f"returns {key} of a reaction that {note.text}")
    return None


def _taken_for(question: Question, key: str, values: Values) -> str | None:
    """Which other component is returned for a key, or all that a reaction has arrows to beside it."""
    extra = values.returned - values.gold
    if not extra or key not in _MOLECULES:
        return None
    own = {key, "products"} if key == "co_products" else {key}
    others = {
        role: {name for row in question.gold for name in row[role]} for role in ROLES if role not in own
    }
    if values.gold - values.returned:
        return next((role for role, names in others.items() if extra <= names), None)
    after = {name for role, names in others.items() if role != "reactants" for name in names} - values.gold
    return "molecules of all components" if after and extra >= after else None


def _of_values(question: Question, key: str, values: Values) -> Finding | None:
    """What is wrong with the values of a key."""
    what = key.replace("co_", "co-").replace("_", " ") if key != ID_KEY else "ids of reactions"
    if (other := _taken_for(question, key, values)) is not None:
        return finding_on("wrong_relationship", f"returns the {other} as {what}")
    if values.gold - values.returned:
        how = "leaves out some of the" if values.returned else "returns no"
        return finding_on(with_detail("missing_component", key), f"{how} {what}")
    if values.returned - values.gold:
        return finding_on(
            with_detail("extra_component", key), f"returns something as {what} that does not belong to them"
        )
    return None


def values_of(question: Question, result: SmallResult) -> dict[str, Values]:
    """Return gold and returned values of rows, as `values_by_key` does."""
    return values_by_key(question, Execution("ok", columns=result.columns, rows=result.rows))


def finding_on(label: str, told: str) -> Finding:
    """Return a finding about what a query does on a small graph; it stands at no place of the query."""
    return Finding(label, f"{_WHERE} {told}.", 0, 0)
