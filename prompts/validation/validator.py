"""What the text of a query shows of its errors, ordered, and the checklist for a question."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import is_label, name_of
from retrocypher.kg.questions.question import MULTI_STEP_TASKS, Setting
from retrocypher.kg.semantics.query_model import QueryModel
from retrocypher.kg.semantics.schema import Schema
from retrocypher.prompts.extraction.extract import extract_json, texts, yes_or_no
from retrocypher.prompts.validation.check_molecules import Spellings, check_anchors, check_sets
from retrocypher.prompts.validation.check_reaction import check_reaction
from retrocypher.prompts.validation.check_return import check_return
from retrocypher.prompts.validation.check_route import check_route, find_route
from retrocypher.prompts.validation.check_rows import check_connected, check_rows, check_yield
from retrocypher.prompts.validation.check_text import (
    check_edge_properties,
    check_edges,
    check_schema,
    check_text,
)
from retrocypher.prompts.validation.finding import (
    CONVENTIONS,
    Case,
    Convention,
    Finding,
    Intent,
    QuestionIntent,
)
from retrocypher.prompts.validation.graph_view import View, load_domain
from retrocypher.prompts.validation.roles import find_focus, follows_path

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


def find_issues(
    reading: QueryModel, asked: QuestionIntent, schema: Schema, convention: Convention
) -> tuple[Finding, ...]:
    """Return what is wrong with a query, the cause before its consequences.

    With no intent of the question, only what the schema decides is checked, and whether the molecules of the
    question are looked up. Of a query over a budget of the parser, nothing is said. The convention
    ``benchmark`` wants the full context of each reaction or whole routes of reactions, ``as-asked`` what the
    question's words ask for.
    """
    if reading.parsed.unread is not None:
        return ()
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
        for finding in check_route(case, route):
            # A route in pieces has no length.
            if finding.label != "path_length" or not any(check_connected(case)):
                yield finding
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


_FILE = "checklists.yaml"
_UNNAMED = "The validator calls the query invalid and does not say why."


@dataclass(frozen=True, slots=True)
class CheckItem:
    """One point of a checklist: what holds for a right query, and the error label of one that fails it.

    Attributes:
        convention: The prompts for which it holds; None for all.
    """

    label: str
    text: str
    convention: Convention | None = None


@dataclass(frozen=True, slots=True)
class ChecklistVerdict:
    """What a model said of a query; `valid` is None where the answer does not tell."""

    valid: bool | None
    findings: tuple[Finding, ...] = ()


def checklist_for(setting: Setting, intent: Intent | None, convention: Convention) -> tuple[CheckItem, ...]:
    """Return the checklist for a question; without an intent, the points for all questions of the setting.

    It has no points for prompts of another convention.

    Table questions may be about any graph, and have a list of their own.
    """
    lists = _checklists()
    if setting == "table":
        return tuple(lists["settings"]["table"])
    specific = lists["tasks"].get(intent, ()) if intent else ()
    points: tuple[CheckItem, ...] = (*lists["always"], *lists["settings"][setting], *specific)
    return tuple(item for item in points if item.convention in (None, convention))


def read_checklist_answer(answer: str, items: Sequence[CheckItem]) -> ChecklistVerdict:
    """Return what a model said of a query; anything that is not understood tells nothing.

    Errors count whatever ``valid`` says beside them.
    """
    said = extract_json(answer)
    if said is None or not {"valid", "errors"} & said.keys():
        # One word is an answer too.
        word = yes_or_no(answer)
        return ChecklistVerdict(word, () if word is not False else (_finding("other", _UNNAMED),))
    valid, errors = yes_or_no(said.get("valid")), said.get("errors")
    entries = errors if isinstance(errors, list) else [errors]
    findings = tuple(_finding(_label(entry, items), text) for entry in entries for text in texts(entry)[:1])
    if findings:
        return ChecklistVerdict(False, findings)
    if valid is False:
        return ChecklistVerdict(False, (_finding("other", _UNNAMED),))
    return ChecklistVerdict(True if valid or "errors" in said else None)


def _finding(label: str, message: str) -> Finding:
    return Finding(label, message, 0, 0)


def _label(entry: Any, items: Sequence[CheckItem]) -> str:
    number = entry.get("item") if isinstance(entry, dict) else None
    plain = isinstance(number, int | str) and str(number).isdecimal()
    place = int(number) - 1 if plain and number is not None else -1
    return items[place].label if 0 <= place < len(items) else "other"


@cache
def _checklists() -> Mapping[str, Any]:
    read = yaml.safe_load(Path(__file__).with_name(_FILE).read_text(encoding="utf-8"))
    return {
        "always": _items(read["always"]),
        **{
            part: {name: _items(entries) for name, entries in read[part].items()}
            for part in ("settings", "tasks")
        },
    }


def _items(entries: Sequence[Mapping[str, str]]) -> tuple[CheckItem, ...]:
    items = tuple(
        CheckItem(entry["label"], entry["text"], _convention(entry.get("convention"))) for entry in entries
    )
    for item in items:
        if not is_label(item.label):
            raise InputError(f"{_FILE}: {item.label!r} is no error label; kg/labels/labels.yaml lists them.")
    return items


def _convention(name: str | None) -> Convention | None:
    if name is None:
        return None
    for known in CONVENTIONS:
        if name == known:
            return known
    raise InputError(f"{_FILE}: {name!r} is no convention; write one of {', '.join(CONVENTIONS)}.")
