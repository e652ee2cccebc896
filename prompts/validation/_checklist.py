"""The checklist validator: what a model is to check, and what its answer says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from kg.errors import InputError
from kg.labels import is_label
from kg.questions import Setting
from prompts.extraction import extract_json, texts, yes_or_no
from prompts.validation._model import Finding, Intent

_FILE = "checklists.yaml"
_UNNAMED = "The validator calls the query invalid and does not say why."


@dataclass(frozen=True, slots=True)
class CheckItem:
    """One point of a checklist.

    Attributes:
        label: Error label of a query that fails it.
        text: What holds for a right query.
    """

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class ChecklistVerdict:
    """What a model said of a query.

    Attributes:
        valid: Whether it passes; None where the answer does not tell.
        findings: What is wrong.
    """

    valid: bool | None
    findings: tuple[Finding, ...] = ()


def checklist_for(setting: Setting, intent: Intent | None) -> tuple[CheckItem, ...]:
    """Return the checklist for a question.

    Args:
        setting: The setting of the prompt that asked.
        intent: What the question's words ask for; None where they do not tell, which leaves the points that
            hold for all questions of the setting.
    """
    lists = _checklists()
    specific = lists["tasks"].get(intent, ()) if intent else ()
    return (*lists["always"], *lists["settings"][setting], *specific)


def read_checklist_answer(answer: str, items: Sequence[CheckItem]) -> ChecklistVerdict:
    """Return what a model said of a query; anything that is not understood tells nothing.

    Errors count whatever ``valid`` says beside them.

    Args:
        answer: The answer as it came.
        items: The checklist it was given.
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
    items = tuple(CheckItem(entry["label"], entry["text"]) for entry in entries)
    for item in items:
        if not is_label(item.label):
            raise InputError(f"{_FILE}: {item.label!r} is no error label; kg/labels/labels.yaml lists them.")
    return items
