"""What kinds of error a judge's reason names: ``issues.yaml``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from kg.errors import InputError
from kg.labels import LABELS

NO_REASON = "no reason"
UNCLEAR = "unclear"
"""What a reason is filed under that names no error."""

_FILE = "issues.yaml"
_CUT = re.compile(r"[.;:,!?\n]+(?=\s|$)|\b(?:but|although|though|whereas|while|yet)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Issue:
    """Words that tell one kind of error.

    Attributes:
        label: Its name in ``kg.labels``.
        says: Words that tell it by themselves; None where there are none.
        about: Words that tell it in a clause that says something is wrong; None where there are none.
    """

    label: str
    says: re.Pattern[str] | None
    about: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Issues:
    """All words, as ``issues.yaml`` explains them."""

    faults: re.Pattern[str]
    praise: re.Pattern[str]
    issues: tuple[Issue, ...]

    def of(self, reason: str) -> tuple[str, ...]:
        """Return the labels of the errors that a reason names, in the order in which it names them.

        Args:
            reason: What a judge said.

        Returns:
            `NO_REASON` alone where it said nothing, `UNCLEAR` alone where it names no error.
        """
        if not reason.strip():
            return (NO_REASON,)
        found = (self._of_clause(clause) for clause in _CUT.split(reason))
        return tuple(dict.fromkeys(label for label in found if label)) or (UNCLEAR,)

    def _of_clause(self, clause: str) -> str | None:
        wrong = self.faults.search(clause) is not None
        if not wrong and self.praise.search(clause):
            return None
        said = (each.label for each in self.issues if each.says and each.says.search(clause))
        about = (each.label for each in self.issues if each.about and each.about.search(clause))
        return next(said, None) or (next(about, None) if wrong else None)


@cache
def load_issues() -> Issues:
    """Return the words of ``issues.yaml``.

    Raises:
        InputError: The file does not have the form that its comments describe.
    """
    return parse_issues(resources.files(__package__).joinpath(_FILE).read_text("utf-8"))


def parse_issues(text: str) -> Issues:
    """Return the words of a YAML text; raises as `load_issues`."""
    try:
        body = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"{_FILE} is not YAML: {error}. Restore it from the repository.") from error
    if not isinstance(body, dict) or body.keys() != {"faults", "praise", "issues"}:
        raise InputError(f"{_FILE} must hold faults, praise and issues, and nothing else.")
    faults, praise = (_words(body[name], name) for name in ("faults", "praise"))
    if faults is None or praise is None or not isinstance(body["issues"], list):
        raise InputError(f"{_FILE}: faults, praise and issues must be lists that are not empty.")
    return Issues(faults, praise, tuple(_issue(entry) for entry in body["issues"]))


def _issue(entry: Any) -> Issue:
    if not isinstance(entry, dict) or entry.keys() != {"label", "says", "about"}:
        raise InputError(f"{_FILE}: an issue must hold label, says and about, and nothing else.")
    if entry["label"] not in LABELS:
        raise InputError(f"{_FILE}: {entry['label']!r} is no label of kg/labels/labels.yaml.")
    says, about = (_words(entry[name], f"{entry['label']}, {name}") for name in ("says", "about"))
    return Issue(entry["label"], says, about)


def _words(value: Any, name: str) -> re.Pattern[str] | None:
    if not isinstance(value, list) or not all(isinstance(each, str) and each.strip() for each in value):
        raise InputError(f"{_FILE}: {name} must be a list of words.")
    return re.compile("|".join(map(_pattern, value)), re.IGNORECASE) if value else None


def _pattern(words: Sequence[str] | str) -> str:
    parts = str(words).split()
    spelled = r"\s+".join(re.escape(part).replace(r"\*", r"\w*") for part in parts)
    return rf"(?<!\w){spelled}(?!\w)"
