"""Trying a query on the small graphs for its question.

A query is right there where the scores call its rows right. The gold answer of a small graph comes from the
same walk over its reactions as that of the benchmark.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from retrocypher.kg.cypher.clauses import relationship_patterns
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.interpreter.interpreter import SmallResult, interpret
from retrocypher.kg.interpreter.values import NotInterpretedError, QueryFailsError
from retrocypher.kg.questions.gold import traverse
from retrocypher.kg.questions.question import MULTI_STEP_TASKS, Question, setting_of
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.scoring.columns import ID_KEY
from retrocypher.plugins.scoring.loss import Split, explain_loss
from retrocypher.plugins.scoring.routes import routes
from retrocypher.plugins.scoring.small_graphs import Trial, small_graphs
from retrocypher.plugins.scoring.trial_rows import LOST, Prepared, finding_on, judge, judge_size, values_of
from retrocypher.prompts.validation.finding import Convention, Finding, QuestionIntent
from retrocypher.prompts.validation.reaction_graph import load_domain

_Answers = set[tuple[Any, ...]]
"""Reactions or routes, each the ids of its reactions."""


def can_be_tried(asked: QuestionIntent) -> bool:
    """Whether there are small graphs for a question."""
    return bool(_prepared(asked))


@dataclass(frozen=True, slots=True)
class _Tried:
    """A query on one small graph.

    Attributes:
        result: None where it ends with an error.
        finding: None where it is right.
    """

    prepared: Prepared
    result: SmallResult | None
    finding: Finding | None

    @property
    def is_wrong(self) -> bool:
        """Whether something is wrong that says more than that nothing is returned."""
        return self.finding is not None and self.finding.label != "empty_result"


def try_query(parsed: ParsedQuery, asked: QuestionIntent, convention: Convention) -> Finding | None:
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
    if first.result is None:
        return first.finding
    found = _of_loss(tried)
    if len(failed) == len(tried) and not first.is_wrong and asked.steps and asked.intent in MULTI_STEP_TASKS:
        found = _of_paths(parsed, asked.steps)
    return found or first.finding


def _try(parsed: ParsedQuery, prepared: Prepared, asked: QuestionIntent, convention: Convention) -> _Tried:
    try:
        result = interpret(parsed, prepared.graph)
    except QueryFailsError as error:
        return _Tried(prepared, None, finding_on("runtime_error", f"ends with an error: {error}"))
    found = judge(prepared, result, asked, convention)
    if found is None and prepared.is_varied:
        found = judge_size(prepared, result)
    return _Tried(prepared, result, found)


def _of_paths(parsed: ParsedQuery, steps: int) -> Finding | None:
    """Why paths find nothing: no route has their types, or their length of two relationships a step."""
    patterns = relationship_patterns(parsed)
    into = {each.type for each in load_domain().components.values() if each.into}
    types = {kind for pattern in patterns for kind in pattern.types}
    if types and (types <= into or types.isdisjoint(into)):
        return finding_on("wrong_relationship", f"only follows {' and '.join(sorted(types))}")
    length = patterns[0].length if len(patterns) == 1 else None
    if length is not None and length.minimum == length.maximum != 2 * steps:
        return finding_on("path_length", f"finds no path of {counted(length.minimum, 'relationship')}")
    return None


def _of_loss(tried: Sequence[_Tried]) -> Finding | None:
    """Why right reactions or routes are left out, where nothing else is wrong on any small graph."""
    splits = []
    for each in tried:
        if each.result is None or (each.is_wrong and each.finding and each.finding.label != LOST):
            return None
        gold, returned = _answers(each.prepared, each.result)
        if not returned <= gold or (each.result.rows and not returned):
            return None
        splits.append(_split(each, gold & returned, gold - returned))
    found = explain_loss(splits)
    return None if found is None else finding_on(*found)


def _split(tried: _Tried, kept: _Answers, lost: _Answers) -> Split:
    reactions = tried.prepared.trial.reactions
    made = {each.id: each for each in reactions}
    parts = [[tuple(made[number] for number in answer) for answer in part] for part in (kept, lost)]
    rows = len(tried.result.rows) if tried.result else 0
    named = tried.prepared.question.slots.get("products", ("one",))
    return Split(parts[0], parts[1], reactions, rows, len(named))


def _answers(prepared: Prepared, result: SmallResult) -> tuple[_Answers, _Answers]:
    """The right reactions or routes, and those that are returned."""
    if prepared.question.setting == "multi_step":
        return {tuple(row["route"]) for row in prepared.question.gold}, routes(result.columns, result.rows)
    gold, returned = values_of(prepared.question, result)[ID_KEY]
    return {(number,) for number in gold}, {(number,) for number in returned}


@lru_cache(maxsize=64)
def _prepared(asked: QuestionIntent) -> tuple[Prepared, ...]:
    trials = small_graphs(asked)
    varied = max(trials, key=lambda trial: len({note.text for note in trial.notes.values()}), default=None)
    return tuple(_prepare(trial, asked, is_varied=trial is varied) for trial in trials)


def _prepare(trial: Trial, asked: QuestionIntent, *, is_varied: bool) -> Prepared:
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
    return Prepared(trial, trial.graph(load_domain()), question, molecules, is_varied)


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
