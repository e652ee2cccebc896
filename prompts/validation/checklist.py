"""The checklist for a question, and what a model says of a query by it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import is_label
from retrocypher.kg.questions.question import Setting
from retrocypher.prompts.extraction.extract import extract_json, texts, yes_or_no
from retrocypher.prompts.validation.finding import CONVENTIONS, Convention, Finding, Intent

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
