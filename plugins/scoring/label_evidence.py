"""What a question asks, from its slots, and what the rows of a result show."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, cast

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.labels.error_labels import detail_of, name_of, with_detail
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.runs.record import Scores
from retrocypher.plugins.scoring.single_step import Values, values_by_key
from retrocypher.prompts.validation.finding import Intent, QuestionIntent, QuestionMolecule


def asked_of(question: Question) -> QuestionIntent:
    """Return what a question asks."""
    slots = question.slots
    molecules = [QuestionMolecule(name, "product") for name in slots.get("products", ())]
    if "start" in slots:
        molecules.append(QuestionMolecule(slots["start"], "start"))
    if "target" in slots:
        molecules.append(QuestionMolecule(slots["target"], "target"))
    return QuestionIntent(
        intent=cast(Intent, question.task),
        molecules=tuple(molecules),
        steps=question.steps if question.setting == "multi_step" else None,
        components=frozenset({slots["role"]} if "role" in slots else ()),
    )


_ROLES = frozenset({"reactants", "products", "agents", "solvents"})

_SELECTING = frozenset(
    {
        "altered_smiles",
        "wrong_entity",
        "endpoint_anchoring",
        "path_length",
        "set_logic",
        "missing_null_check",
        "limit",
    }
)
"""Errors that return other reactions or routes than those of gold, or leave the result as it is."""

Comparison = Literal["equal", "fewer", "more", "other", "none", "unknown"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the rows show.

    Attributes:
        status: The execution's status.
        empty: Whether a query that ran returned no rows.
        readable: Whether anything in the rows could be read as a part of the answer.
        answers: The reactions (single-step) or routes (multi-step) returned, compared with gold.
        absent: Keys for which gold has values and the result no column.
        lacking: Keys that have a column, without some of gold's values.
        surplus: Keys with values that gold does not have.
        swapped: Keys whose values that gold does not have are all those of another component.
        added: Of these, keys that have all of gold's values, at least one.
        counted: Keys of molecules with numbers for values.
        reversed: Whether routes of gold were returned from the target to the precursor.
        lengths: Numbers of steps of the returned routes.
        singly: Whether each reaction of gold's routes was returned as a route of its own.
    """

    status: str
    empty: bool
    readable: bool
    answers: Comparison
    absent: frozenset[str]
    lacking: frozenset[str]
    surplus: frozenset[str]
    swapped: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()
    counted: frozenset[str] = frozenset()
    reversed: bool = False
    lengths: frozenset[int] = frozenset()
    singly: bool = False


def evidence(
    question: Question,
    execution: Execution,
    scores: Scores,
    values: Mapping[str, Values] | None = None,
) -> Evidence:
    """Compare a result with gold; `values` are those of `values_by_key` without an encoder, if known."""
    found = values_by_key(question, execution) if values is None else values
    empty = execution.status == "ok" and not execution.rows
    return (
        _of_routes(question, execution.status, empty, found["route"])
        if question.setting == "multi_step"
        else _of_reactions(execution.status, empty, found, scores)
    )


def _of_routes(question: Question, status: str, empty: bool, routes: Values) -> Evidence:
    lengths = frozenset(len(route) for route in routes.returned if isinstance(route, tuple))
    gold_routes = [route for route in routes.gold if isinstance(route, tuple)]
    turned = frozenset(route[::-1] for route in routes.returned if isinstance(route, tuple))
    return Evidence(
        status=status,
        empty=empty,
        readable=bool(routes.returned),
        answers=_compare(routes),
        absent=frozenset(),
        lacking=frozenset({"route"} if routes.gold - routes.returned else ()),
        surplus=frozenset({"route"} if routes.returned - routes.gold else ()),
        reversed=bool(turned & routes.gold) and not routes.returned & routes.gold,
        lengths=lengths,
        singly=lengths == {1} and {(each,) for route in gold_routes for each in route} <= routes.returned,
    )


def _of_reactions(status: str, empty: bool, found: Mapping[str, Values], scores: Scores) -> Evidence:
    keys = scores.per_key or {}
    missing = {key for key, counts in keys.items() if counts.fn}
    absent = frozenset(key for key in missing if not keys[key].columns)
    ids = found["id"]
    surplus = frozenset(key for key, counts in keys.items() if counts.fp)
    # Where all else is that of gold's reactions, numbers that are none of their ids are no ids.
    are_ids = missing or surplus or ids.returned & ids.gold
    swapped = frozenset(key for key in surplus & {*_ROLES, "co_products"} if _is_swapped(key, found))
    return Evidence(
        status=status,
        empty=empty,
        readable=any(values.returned for values in found.values()),
        answers=_compare(ids) if empty or (ids.returned and are_ids) else "unknown",
        absent=absent if status == "ok" else frozenset(),
        lacking=frozenset(missing - absent),
        surplus=surplus,
        swapped=swapped,
        added=frozenset(key for key in swapped if found[key].gold and found[key].gold <= found[key].returned),
        counted=frozenset(key for key in keys if key != "target_yield" and _are_numbers(found[key].returned)),
    )


def _is_swapped(key: str, found: Mapping[str, Values]) -> bool:
    extra = found[key].returned - found[key].gold
    others = _ROLES & found.keys() - {key, *(["products"] if key == "co_products" else [])}
    return bool(extra) and any(extra <= found[other].gold for other in others)


def _are_numbers(values: frozenset[Hashable]) -> bool:
    return bool(values) and all(isinstance(value, int | float) for value in values)


def _compare(values: Values) -> Comparison:
    gold: frozenset[Hashable] = values.gold
    if not values.returned:
        return "none"
    if values.returned == gold:
        return "equal"
    if values.returned < gold:
        return "fewer"
    return "more" if values.returned > gold else "other"


def contradicted(label: str, shown: Evidence, scores: Scores) -> bool:
    """Whether the rows show that an error cannot be why the result is wrong."""
    name, detail = name_of(label), detail_of(label)
    if shown.status != "ok":
        return False
    if shown.empty:
        return name in ("missing_component", "extra_component")
    if name == "limit" and shown.answers == "more" and "target_yield" not in (scores.per_key or {}):
        # Where all are asked for, it can only have taken some away.
        return True
    if name == "wrong_relationship" and shown.added and not shown.lacking:
        # Molecules of another component were added to the right ones.
        return shown.answers == "equal"
    if name == "wrong_aggregation_or_order" and shown.absent and not (shown.lacking or shown.surplus):
        # All that is returned is right.
        return shown.answers in ("equal", "unknown")
    if name in ("limit", "other") and shown.lacking:
        # A limit on rows of single molecules takes away some of them, and may leave all reactions.
        return False
    if name == "path_length" and shown.surplus:
        # Molecules of a reaction further away are returned with those of the right ones.
        return False
    if name in _SELECTING or name == "other":
        return shown.answers == "equal"
    if name == "missing_component" and detail == "id":
        return shown.answers != "unknown"
    if name in ("missing_component", "extra_component") and detail in shown.counted:
        return True
    if name in ("missing_component", "extra_component") and detail in (scores.per_key or {}):
        return detail not in (shown.surplus if name == "extra_component" else shown.absent | shown.lacking)
    if name == "duplicate_or_incomplete":
        whole = not shown.lacking and not shown.surplus and shown.answers != "fewer"
        return whole and (bool(shown.absent) or scores.row_f1 == 1.0)
    if name == "return_shape":
        return shown.reversed or (
            bool(scores.per_key) and shown.readable and not shown.absent and not shown.counted
        )
    return False


def symptoms(shown: Evidence, scores: Scores) -> Iterator[str]:
    """Yield what is missing from the result of a query that ran or extra in it, whatever the cause."""
    if shown.empty:
        yield "empty_result"
        return
    if not shown.readable:
        return
    missing = shown.absent
    if shown.answers in ("equal", "unknown"):
        # With other reactions, other molecules are missing and extra as a matter of course.
        missing |= shown.lacking
        for key in _in_order(scores, shown.surplus - shown.counted):
            yield with_detail("extra_component", key)
    for key in _in_order(scores, missing - shown.counted):
        yield with_detail("missing_component", key)


def guesses(question: Question, shown: Evidence, scores: Scores) -> Iterator[str]:
    """Yield the causes that fit the rows where the text shows none, the likeliest first."""
    if shown.empty and question.task == "multi_product":
        yield "set_logic"
    if not shown.readable:
        return
    if question.setting == "multi_step":
        yield from _labels_of_routes(question, shown)
    else:
        yield from _labels_of_reactions(question, shown)
    if shown.answers in ("more", "other") and len(asked_of(question).molecules) > 1:
        # All molecules are looked up, or the text would have told; not all of them bind what is found.
        yield "set_logic"


def _labels_of_routes(question: Question, shown: Evidence) -> Iterator[str]:
    if shown.reversed:
        yield "wrong_aggregation_or_order"
    elif max(shown.lengths) < question.steps:
        # The text says nothing against the length of the path, so the path was returned in part.
        yield part_of_route(shown.singly)
    elif shown.lengths != {question.steps}:
        yield "path_length"
    elif shown.answers == "fewer":
        yield "duplicate_or_incomplete"


def part_of_route(singly: bool) -> str:
    """Return the label of routes in parts: all their reactions singly, or some of the reactions of each."""
    return "return_shape" if singly else "missing_component:route"


def _labels_of_reactions(question: Question, shown: Evidence) -> Iterator[str]:
    if shown.counted:
        yield "return_shape"
    elif question.task == "best_yield" and shown.answers == "more":
        yield "limit"
    elif shown.answers == "fewer":
        yield "duplicate_or_incomplete"
    elif not (shown.absent or shown.lacking or shown.surplus):
        # Every value is there, but not in rows of one reaction each.
        yield "missing_component:id" if shown.answers == "unknown" else "wrong_aggregation_or_order"


def _in_order(scores: Scores, keys: frozenset[str]) -> list[str]:
    return [key for key in scores.per_key or {} if key in keys]
