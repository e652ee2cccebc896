"""Question text and reference Cypher from the template files of a task."""

import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from kg.cypher import quote

_HERE = Path(__file__).parents[1]
CANONICAL = "canonical"


@dataclass(frozen=True, slots=True)
class TaskTemplate:
    """How a task is asked in words and answered in Cypher.

    Attributes:
        task: Name of the task.
        slots: What a question of the task has to be filled with.
        phrasings: Wordings by name, with ``{slot}`` fields.
        cypher: The reference query, with ``$slot`` in place of values.
    """

    task: str
    slots: tuple[str, ...]
    phrasings: Mapping[str, str]
    cypher: str

    def text(self, slots: Mapping[str, Any], phrasing: str = CANONICAL) -> str:
        """Return the question in words; lists of molecules read as ``A, B and C``."""
        return self.phrasings[phrasing].format_map({name: _words(slots[name]) for name in self.slots})

    def reference(self, slots: Mapping[str, Any]) -> str:
        """Return the reference query with every value in place as a literal.

        Besides the slots the template may use ``$hops``, the relationships in a route of ``steps``
        reactions, and ``$product_count``.
        """
        values = dict(slots)
        if "steps" in slots:
            values["hops"] = 2 * slots["steps"]
        if "products" in slots:
            values["product_count"] = len(slots["products"])
        return string.Template(self.cypher).substitute(
            {name: _literal(value) for name, value in values.items()}
        )


@cache
def template_of(task: str) -> TaskTemplate:
    """Return the templates of a task, as shipped."""
    words = yaml.safe_load((_HERE / "templates" / f"{task}.yaml").read_text(encoding="utf-8"))
    cypher = (_HERE / "cypher" / f"{task}.cypher").read_text(encoding="utf-8").strip()
    phrasings = {each["id"]: each["text"] for each in words["phrasings"]}
    return TaskTemplate(words["task"], tuple(words["slots"]), phrasings, cypher)


def _words(value: Any) -> str:
    if isinstance(value, list):
        *others, last = value
        return f"{', '.join(others)} and {last}" if others else str(last)
    return str(value)


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return str(value)
