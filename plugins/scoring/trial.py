"""Trying a query on the small graphs for its question.

A query is right there where the scores call its rows right. The gold answer of a small graph comes from the
same walk over its reactions as that of the benchmark.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.graph.reaction import ROLES
from retrocypher.kg.interpreter.graph import SmallGraph
from retrocypher.kg.interpreter.interpreter import MOST_STEPS, SmallResult, interpret
from retrocypher.kg.interpreter.values import NotInterpretedError, QueryFailsError
from retrocypher.kg.labels.error_labels import with_detail
from retrocypher.kg.questions.gold import traverse
from retrocypher.kg.questions.question import Question, setting_of
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.scoring.columns import ID_KEY
from retrocypher.plugins.scoring.label_evidence import Evidence, evidence, part_of_route
from retrocypher.plugins.scoring.repair import find_repair
from retrocypher.plugins.scoring.routes import multi_step_scores, routes
from retrocypher.plugins.scoring.single_step import (
    Values,
    asks_for_reactions,
    focus_key,
    single_step_scores,
    values_by_key,
)
from retrocypher.plugins.scoring.small_graphs import APART, LENGTH, Trial, small_graphs
from retrocypher.plugins.scoring.table import atoms
from retrocypher.prompts.validation.finding import Convention, Finding, QuestionIntent
from retrocypher.prompts.validation.reaction_graph import load_domain

_MAY_HAVE_NONE = frozenset({"co_products", "conditions"})
"""Tasks whose answer, as asked, may leave out a reaction that has nothing of what is asked for."""

_WHERE = "On a small test graph, the query"

_STEPS_OF_AN_EDITED_QUERY = 25_000
"""A right query takes at most some thousands; an edited one that takes many more is hardly right."""


@dataclass(frozen=True, slots=True)
class _Prepared:
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


def can_be_tried(asked: QuestionIntent) -> bool:
    """Whether there are small graphs for a question."""
    return bool(_prepared(asked))


@dataclass(frozen=True, slots=True)
class Failure:
    """What a query gets wrong on a small graph.

    Attributes:
        shown: What its rows show; None where it ends with an error.
        trapped: The labels of the reactions and routes that it wrongly returns; empty for one without one.
        repair: The edit that makes the query right on all small graphs; None if there is none.
    """

    finding: Finding
    shown: Evidence | None = None
    trapped: frozenset[str] = frozenset()
    repair: Finding | None = None

    @property
    def is_plain(self) -> bool:
        """Whether the finding explains all that is wrongly returned."""
        return self.trapped == {self.finding.label} and self.finding.label != APART

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The edit that would make the query right, where one was found, and what is wrong with its rows."""
        return (self.finding,) if self.repair is None else (self.repair, self.finding)


def try_query(parsed: ParsedQuery, asked: QuestionIntent, convention: Convention) -> Failure | None:
    """Return what a query gets wrong on the small graphs; None if it is right on all of them.

    Of several failures it is the first that shows more than that nothing is returned.
    Raises NotInterpretedError where it does something that the interpreter does not know.
    """
    failure = _first_failure(parsed, asked, convention)
    if failure is None or failure.shown is None or failure.is_plain:
        return failure
    repair = find_repair(
        parsed, asked, failure.shown, load_domain(), lambda query: _is_right(query, asked, convention)
    )
    return replace(failure, repair=repair)


def _is_right(parsed: ParsedQuery, asked: QuestionIntent, convention: Convention) -> bool:
    try:
        return not any(True for _ in _findings(parsed, asked, convention, _STEPS_OF_AN_EDITED_QUERY))
    except NotInterpretedError:
        return False


def _first_failure(parsed: ParsedQuery, asked: QuestionIntent, convention: Convention) -> Failure | None:
    without_rows = None
    for found, prepared, result in _findings(parsed, asked, convention, MOST_STEPS):
        if result is None:
            return Failure(found)
        if found.label != "empty_result":
            return _failure(found, prepared, result)
        without_rows = without_rows or _failure(found, prepared, result)
    return without_rows


def _findings(
    parsed: ParsedQuery, asked: QuestionIntent, convention: Convention, most_steps: int
) -> Iterator[tuple[Finding, _Prepared, SmallResult | None]]:
    """Yield what is wrong on each small graph, with the result there; None where it ends with an error."""
    for prepared in _prepared(asked):
        try:
            result = interpret(parsed, prepared.graph, most_steps)
        except QueryFailsError as error:
            yield _finding("runtime_error", f"ends with an error: {error}"), prepared, None
            continue
        found = _judge(prepared, result, asked, convention)
        if found is None and prepared.is_varied:
            found = _judge_size(prepared, result)
        if found is not None:
            yield found, prepared, result


def _failure(found: Finding, prepared: _Prepared, result: SmallResult) -> Failure:
    question = prepared.question
    scores = (
        multi_step_scores(question, result.columns, result.rows)
        if question.setting == "multi_step"
        else single_step_scores(question, result.columns, result.rows, None)
    )
    values = _values(question, result)
    shown = evidence(question, _execution(result), scores, values)
    if question.setting == "multi_step":
        gold, returned = values["route"]
        extra = [route for route in returned - gold if isinstance(route, tuple)]
        trapped = {label for route in extra for label in _explanations(prepared, route)}
    else:
        notes, (gold, returned) = prepared.trial.notes, values[ID_KEY]
        trapped = {note.label for number, note in notes.items() if number in returned - gold}
        if not trapped and found.label == LENGTH:
            trapped = {LENGTH}
    return Failure(found, shown, frozenset(trapped))


@lru_cache(maxsize=64)
def _prepared(asked: QuestionIntent) -> tuple[_Prepared, ...]:
    trials = small_graphs(asked)
    varied = max(trials, key=lambda trial: len({note.text for note in trial.notes.values()}), default=None)
    return tuple(_prepare(trial, asked, is_varied=trial is varied) for trial in trials)


def _prepare(trial: Trial, asked: QuestionIntent, *, is_varied: bool) -> _Prepared:
    task = asked.intent
    assert task is not None
    slots = _slots(asked)
    network = trial.network
    question = Question(
        id="small",
        task=task,
        setting=setting_of(task),
        steps=asked.steps or 1,
        text="",
        slots=slots,
        reference_cypher="",
        gold=traverse(network, task, slots),
        target=slots["target"],
        discriminating=True,
    )
    molecules: frozenset[str] = frozenset()
    if task in ("intermediates", "multi_step_precursors"):
        walks = list(network.walks_to(slots["target"], slots["steps"]))
        parts = [walk[2:-1:2] if task == "intermediates" else walk[:1] for walk in walks]
        molecules = frozenset(str(name) for part in parts for name in part)
    return _Prepared(trial, trial.graph(load_domain()), question, molecules, is_varied)


def _slots(asked: QuestionIntent) -> dict[str, Any]:
    names = [molecule.name for molecule in asked.molecules]
    roles = {molecule.role: molecule.name for molecule in asked.molecules}
    slots: dict[str, Any] = {"target": roles.get("target", names[0]), "steps": asked.steps}
    if "start" in roles:
        slots["start"] = roles["start"]
    if asked.intent == "multi_product":
        slots["products"] = names
    if asked.intent == "conditions" and len(asked.components) == 1:
        (slots["role"],) = asked.components
    return slots


def _judge(
    prepared: _Prepared, result: SmallResult, asked: QuestionIntent, convention: Convention
) -> Finding | None:
    if not result.rows:
        return _finding("empty_result", "returns no rows, although the question has an answer there")
    if prepared.question.setting == "multi_step":
        return _judge_routes(prepared, result, convention)
    if convention == "benchmark":
        return _judge_whole(prepared, result)
    return _judge_as_asked(prepared, result, asked)


def _judge_size(prepared: _Prepared, result: SmallResult) -> Finding | None:
    """Whether each row comes again for each of all reactions or molecules, which fills the real result."""
    times = Counter(map(repr, result.rows))
    if min(times.values()) < len(prepared.trial.reactions):
        return None
    return _finding(
        "duplicate_or_incomplete",
        "returns each row once for each of many nodes that it has nothing to do with",
    )


def _judge_whole(prepared: _Prepared, result: SmallResult) -> Finding | None:
    """Whether whole reactions are returned."""
    question, trial = prepared.question, prepared.trial
    scores = single_step_scores(question, result.columns, result.rows, None)
    complete = scores.focus_f1 == 1.0 or not asks_for_reactions(question)
    if scores.is_perfect and complete:
        return None
    values = _values(question, result)
    ids = values[ID_KEY]
    known = {name for each in trial.reactions for name in (each.id, *each.molecules)}
    if not any(known & each.returned for each in values.values()):
        return _finding("return_shape", "returns nothing that can be read as a part of a reaction")
    if any(_several_ids(row, trial) for row in result.rows):
        return _finding("wrong_aggregation_or_order", "puts several reactions into one row")
    needed = [key for key in values if key != ID_KEY or (asks_for_reactions(question) and not ids.returned)]
    found = (
        _of_further_reactions(prepared, ids)
        or next(filter(None, (_of_component(trial, key, values[key]) for key in needed)), None)
        or _of_lost_reactions(trial, ids)
        or next(filter(None, (_of_values(key, values[key]) for key in needed)), None)
    )
    if found is not None:
        return found
    if not ids.returned:
        return _finding("missing_component:id", "does not say which molecules belong to one reaction")
    return _finding(
        "duplicate_or_incomplete", "returns molecules of other reactions in the row of a reaction"
    )


def _several_ids(row: list[Any], trial: Trial) -> bool:
    """Whether a cell of a row has the ids of several reactions."""
    return any(len(trial.notes.keys() & set(atoms(cell))) > 1 for cell in row)


def _judge_as_asked(prepared: _Prepared, result: SmallResult, asked: QuestionIntent) -> Finding | None:
    """Whether what the question asks for is returned."""
    question = prepared.question
    values = _values(question, result)
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
    return next((found for key in wanted if (found := _of_values(key, values[key])) is not None), None)


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


def _judge_routes(prepared: _Prepared, result: SmallResult, convention: Convention) -> Finding | None:
    gold = {tuple(row["route"]) for row in prepared.question.gold}
    returned = routes(result.columns, result.rows)
    if returned == gold:
        return None
    if convention == "as-asked" and prepared.molecules:
        return _of_molecules(prepared, result)
    if not {number for route in returned for number in route} & prepared.trial.notes.keys():
        if any(_holds_several(set(atoms(row)), gold) for row in result.rows):
            return _finding("wrong_aggregation_or_order", "puts the reactions of several routes together")
        return _finding("return_shape", "returns no routes that can be read")
    extra, missing = sorted(returned - gold), sorted(gold - returned)
    if any(route[::-1] in gold for route in extra):
        return _finding("wrong_aggregation_or_order", "returns routes from the target back")
    if any(_holds_several(set(route), gold) for route in extra):
        return _finding("wrong_aggregation_or_order", "returns the reactions of several routes as one")
    for route in extra:
        if len(route) != prepared.question.steps and not set(route) <= set().union(*gold):
            (label, text), *_ = _explanations(prepared, route).items()
            return _finding(label, f"returns a route {text}")
    for route in extra:
        if len(route) < prepared.question.steps and set(route) <= set().union(*gold):
            return _finding(part_of_route(len(route)), "returns only some of the reactions of a route")
    counts = Counter(each for route in extra for each in _explanations(prepared, route).items())
    if any(label for label, _ in counts):
        label, text = max(counts, key=lambda each: (each[0] == APART, counts[each]))
        return _finding(label, f"returns a route {text}")
    if extra:
        return _finding("wrong_aggregation_or_order", "returns reactions in an order that is no route")
    note = next(note for number in missing[0] if (note := prepared.trial.notes[number]))
    return _finding("duplicate_or_incomplete", f"leaves out a route with a reaction that {note.text}")


def _holds_several(reactions: set[Any], routes: Iterable[tuple[Any, ...]]) -> bool:
    """Whether the reactions are those of several routes."""
    return sum(set(each) <= reactions for each in routes) > 1


def _explanations(prepared: _Prepared, route: tuple[Any, ...]) -> dict[str, str]:
    """By label, what may be why a route that does not belong to the answer is returned."""
    notes, steps = prepared.trial.notes, prepared.question.steps
    if len(route) != steps:
        return {"path_length": f"of {counted(len(route), 'reaction')} instead of {steps}"}
    made = {each.id: set(each.molecules) for each in prepared.trial.reactions}
    if any(not made.get(one, set()) & made.get(other, set()) for one, other in pairwise(route)):
        return {APART: "of reactions that have no molecule in common"}
    labelled = [note for number in route if (note := notes.get(number)) and note.label]
    return {note.label: f"with a reaction that {note.text}" for note in labelled} or {"": ""}


def _of_molecules(prepared: _Prepared, result: SmallResult) -> Finding | None:
    """Whether the molecules that are asked for are returned, in one column or in all together."""
    names = {name for reaction in prepared.trial.reactions for name in reaction.molecules}
    cells = [[row[place] for row in result.rows] for place in range(len(result.columns))]
    columns = [names.intersection(_texts(each)) for each in cells]
    together = set().union(*columns)
    if prepared.molecules in [*columns, together]:
        return None
    if not together:
        return _finding("return_shape", "returns no molecules that can be read")
    what = "intermediates" if prepared.question.task == "intermediates" else "precursors"
    if together - prepared.molecules:
        return _finding("extra_component:intermediates", f"returns molecules that are no {what}")
    return _finding("duplicate_or_incomplete", f"leaves out some of the {what}")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value if isinstance(value, list) else value.values():
            yield from _texts(each)


def _of_further_reactions(prepared: _Prepared, ids: Values) -> Finding | None:
    """What is wrong with reactions that are returned and belong to no answer."""
    notes = prepared.trial.notes
    if ids.returned - notes.keys():
        return _finding("missing_component:id", "returns something else as the id of a reaction")
    for number, note in notes.items():
        if number in ids.returned - ids.gold:
            if not note.label and prepared.question.task == "best_yield":
                return _finding("wrong_aggregation_or_order", "returns a reaction without the best yield")
            label = note.label or "wrong_aggregation_or_order"
            return _finding(label, f"returns a reaction that {note.text}")
    return None


def _of_lost_reactions(trial: Trial, ids: Values) -> Finding | None:
    """Which reaction is not returned, where ids say which ones are."""
    for number, note in trial.notes.items() if ids.returned else ():
        if number in ids.gold - ids.returned:
            return _finding("duplicate_or_incomplete", f"leaves out a reaction that {note.text}")
    return None


def _of_component(trial: Trial, key: str, values: Values) -> Finding | None:
    """Whether a component has molecules of a step too far, of all reactions, or none at all."""
    extra = values.returned - values.gold
    if key not in ROLES or not extra:
        return None
    there = {each.id: set(getattr(each, key)) for each in trial.reactions}
    if set().union(*there.values()) <= values.returned:
        return _finding("duplicate_or_incomplete", f"returns the {key} of all reactions as those of each")
    if not extra & {name for each in trial.reactions for name in each.molecules}:
        return _finding("return_shape", f"returns {key} that are no names of molecules")
    for number, note in trial.notes.items():
        if note.label == LENGTH and extra <= there[number]:
            return _finding(note.label, f"returns {key} of a reaction that {note.text}")
    return None


def _of_values(key: str, values: Values) -> Finding | None:
    """What is wrong with the values of a key."""
    what = key.replace("co_", "co-").replace("_", " ") if key != ID_KEY else "ids of reactions"
    if values.gold - values.returned:
        how = "leaves out some of the" if values.returned else "returns no"
        return _finding(with_detail("missing_component", key), f"{how} {what}")
    if values.returned - values.gold:
        return _finding(
            with_detail("extra_component", key), f"returns something as {what} that does not belong to them"
        )
    return None


def _values(question: Question, result: SmallResult) -> dict[str, Values]:
    return values_by_key(question, _execution(result))


def _execution(result: SmallResult) -> Execution:
    return Execution("ok", columns=result.columns, rows=result.rows, row_count=len(result.rows))


def _finding(label: str, told: str) -> Finding:
    return Finding(label, f"{_WHERE} {told}.", 0, 0)
