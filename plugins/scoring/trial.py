"""Trying a query on the small graphs for its question.

A query is right there where the scores call its rows right. The gold answer of a small graph comes from the
same walk over its reactions as that of the benchmark.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from retrocypher.kg.cypher.clauses import relationship_patterns
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.graph.reaction import ROLES
from retrocypher.kg.interpreter.graph import SmallGraph
from retrocypher.kg.interpreter.interpreter import MOST_STEPS, SmallResult, interpret
from retrocypher.kg.interpreter.values import NotInterpretedError, QueryFailsError
from retrocypher.kg.labels.error_labels import with_detail
from retrocypher.kg.questions.gold import traverse
from retrocypher.kg.questions.question import MULTI_STEP_TASKS, Question, setting_of
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.scoring.columns import ID_KEY
from retrocypher.plugins.scoring.label_evidence import Evidence, evidence, part_of_route
from retrocypher.plugins.scoring.loss import Split, explain_loss
from retrocypher.plugins.scoring.routes import multi_step_scores, routes
from retrocypher.plugins.scoring.single_step import (
    Values,
    asks_for_reactions,
    focus_key,
    single_step_scores,
    values_by_key,
)
from retrocypher.plugins.scoring.small_graphs import APART, LENGTH, SET, TYPE, Trial, small_graphs
from retrocypher.plugins.scoring.table import atoms
from retrocypher.prompts.validation.finding import Convention, Finding, QuestionIntent
from retrocypher.prompts.validation.reaction_graph import load_domain

_MAY_HAVE_NONE = frozenset({"co_products", "conditions"})
"""Tasks whose answer, as asked, may leave out a reaction that has nothing of what is asked for."""

_WHERE = "On a small test graph, the query"

_LOST = "duplicate_or_incomplete"

_MOLECULES = (*ROLES, "co_products")
"""Keys whose values are names of molecules."""

_Answers = set[tuple[Any, ...]]
"""Reactions or routes, each the ids of its reactions."""


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
    """What a query gets wrong on the small graphs.

    Attributes:
        shown: What its rows show on one of them; None where it ends with an error.
    """

    finding: Finding
    shown: Evidence | None = None


@dataclass(frozen=True, slots=True)
class _Tried:
    """A query on one small graph.

    Attributes:
        result: None where it ends with an error.
        finding: None where it is right.
    """

    prepared: _Prepared
    result: SmallResult | None
    finding: Finding | None

    @property
    def is_wrong(self) -> bool:
        """Whether something is wrong that says more than that nothing is returned."""
        return self.finding is not None and self.finding.label != "empty_result"


def try_query(parsed: ParsedQuery, asked: QuestionIntent, convention: Convention) -> Failure | None:
    """Return what a query gets wrong on the small graphs; None if it is right on all of them.

    Raises NotInterpretedError where it does something that the interpreter does not know.
    """
    tried: list[_Tried] = []
    for prepared in _prepared(asked):
        try:
            tried.append(_try(parsed, prepared, asked, convention))
        except NotInterpretedError:
            if not any(each.is_wrong for each in tried):
                raise
    failed = sorted((each for each in tried if each.finding), key=lambda each: not each.is_wrong)
    if not failed:
        return None
    first, *_ = failed
    assert first.finding is not None
    if first.result is None:
        return Failure(first.finding)
    found = _of_loss(tried)
    if len(failed) == len(tried) and not first.is_wrong and asked.steps and asked.intent in MULTI_STEP_TASKS:
        found = _of_paths(parsed, asked.steps)
    return Failure(found or first.finding, _shown(first.prepared, first.result))


def _try(parsed: ParsedQuery, prepared: _Prepared, asked: QuestionIntent, convention: Convention) -> _Tried:
    try:
        result = interpret(parsed, prepared.graph, MOST_STEPS)
    except QueryFailsError as error:
        return _Tried(prepared, None, _finding("runtime_error", f"ends with an error: {error}"))
    found = _judge(prepared, result, asked, convention)
    if found is None and prepared.is_varied:
        found = _judge_size(prepared, result)
    return _Tried(prepared, result, found)


def _of_paths(parsed: ParsedQuery, steps: int) -> Finding | None:
    """Why paths find nothing: no route has their types, or their length of two relationships a step."""
    patterns = relationship_patterns(parsed)
    into = {each.type for each in load_domain().components.values() if each.into}
    types = {kind for pattern in patterns for kind in pattern.types}
    if types and (types <= into or types.isdisjoint(into)):
        return _finding("wrong_relationship", f"only follows {' and '.join(sorted(types))}")
    length = patterns[0].length if len(patterns) == 1 else None
    if length is not None and length.minimum == length.maximum != 2 * steps:
        return _finding("path_length", f"finds no path of {counted(length.minimum, 'relationship')}")
    return None


def _of_loss(tried: Sequence[_Tried]) -> Finding | None:
    """Why right reactions or routes are left out, where nothing else is wrong on any small graph."""
    splits = []
    for each in tried:
        if each.result is None or (each.is_wrong and each.finding and each.finding.label != _LOST):
            return None
        gold, returned = _answers(each.prepared, each.result)
        if not returned <= gold or (each.result.rows and not returned):
            return None
        splits.append(_split(each, gold & returned, gold - returned))
    found = explain_loss(splits)
    return None if found is None else _finding(*found)


def _split(tried: _Tried, kept: _Answers, lost: _Answers) -> Split:
    reactions = tried.prepared.trial.reactions
    made = {each.id: each for each in reactions}
    parts = [[tuple(made[number] for number in answer) for answer in part] for part in (kept, lost)]
    rows = len(tried.result.rows) if tried.result else 0
    named = tried.prepared.question.slots.get("products", ("one",))
    return Split(parts[0], parts[1], reactions, rows, len(named))


def _answers(prepared: _Prepared, result: SmallResult) -> tuple[_Answers, _Answers]:
    """The right reactions or routes, and those that are returned."""
    if prepared.question.setting == "multi_step":
        return {tuple(row["route"]) for row in prepared.question.gold}, routes(result.columns, result.rows)
    gold, returned = _values(prepared.question, result)[ID_KEY]
    return {(number,) for number in gold}, {(number,) for number in returned}


def _shown(prepared: _Prepared, result: SmallResult) -> Evidence:
    question = prepared.question
    scores = (
        multi_step_scores(question, result.columns, result.rows)
        if question.setting == "multi_step"
        else single_step_scores(question, result.columns, result.rows, None)
    )
    return evidence(question, _execution(result), scores, _values(question, result))


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
    found = (
        _judge_whole(prepared, result)
        if convention == "benchmark"
        else _judge_as_asked(prepared, result, asked)
    )
    if found is None or prepared.question.task != "best_yield" or len(result.rows) < 2:
        return found
    first = SmallResult(result.columns, result.rows[:1])
    if _judge(prepared, first, asked, convention) is None:
        return _finding("limit", "returns further reactions after the best one")
    return found


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
        or next(filter(None, (_of_values(question, key, values[key]) for key in needed)), None)
    )
    if found is not None:
        return found
    if not ids.returned:
        return _finding("missing_component:id", "does not say which molecules belong to one reaction")
    return _finding(
        "wrong_aggregation_or_order", "returns molecules of other reactions in the row of a reaction"
    )


def _several_ids(row: list[Any], trial: Trial) -> bool:
    """Whether a value of a row has the ids of several reactions."""
    values = [each for cell in row for each in (cell.values() if isinstance(cell, dict) else [cell])]
    return any(len(trial.notes.keys() & set(atoms(value))) > 1 for value in values)


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
    return next(
        (found for key in wanted if (found := _of_values(question, key, values[key])) is not None), None
    )


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
    if _either_end(prepared, extra):
        return _finding("set_logic", "returns routes with either the start or the target")
    if any(route[::-1] in gold for route in extra):
        return _finding("wrong_aggregation_or_order", "returns routes from the target back")
    if extra and all(any(set(route) == set(each) for each in gold) for route in extra):
        return _finding("wrong_aggregation_or_order", "returns the reactions of a route in another order")
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


def _either_end(prepared: _Prepared, extra: Sequence[tuple[Any, ...]]) -> bool:
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
    further = [note for number, note in notes.items() if number in ids.returned - ids.gold]
    if not further:
        return None
    # A relationship of any type finds molecules at the other end, too.
    ranks = (APART, SET, TYPE)
    note = min(further, key=lambda each: ranks.index(each.label) if each.label in ranks else len(ranks))
    if not note.label and prepared.question.task == "best_yield":
        return _finding("wrong_aggregation_or_order", "returns a reaction without the best yield")
    return _finding(note.label or "wrong_aggregation_or_order", f"returns a reaction that {note.text}")


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


def _taken_for(question: Question, key: str, values: Values) -> str | None:
    """Which other component is returned for a key, or all that a reaction has arrows to beside it."""
    extra = values.returned - values.gold
    if not extra or key not in _MOLECULES:
        return None
    others = {
        role: {name for row in question.gold for name in row[role]}
        for role in ROLES
        if role not in (key, "products" if key == "co_products" else key)
    }
    if values.gold - values.returned:
        return next((role for role, names in others.items() if extra <= names), None)
    after = {name for role, names in others.items() if role != "reactants" for name in names} - values.gold
    return "molecules of all components" if after and extra >= after else None


def _one_of_each(question: Question, key: str, values: Values) -> bool:
    """Whether one value is returned for each reaction, where some have several."""
    rows = [set(row[key]) for row in question.gold if key in ROLES and row[key]]
    return 0 < len(values.returned) <= len(rows) < len(values.gold) and all(
        row & values.returned for row in rows
    )


def _of_values(question: Question, key: str, values: Values) -> Finding | None:
    """What is wrong with the values of a key."""
    what = key.replace("co_", "co-").replace("_", " ") if key != ID_KEY else "ids of reactions"
    if (other := _taken_for(question, key, values)) is not None:
        return _finding("wrong_relationship", f"returns the {other} as {what}")
    if _one_of_each(question, key, values):
        return _finding("wrong_aggregation_or_order", f"returns only one of the {what} of each reaction")
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
