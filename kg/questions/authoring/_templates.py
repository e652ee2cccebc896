"""Reference Cypher from the template file of a task."""

import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kg.cypher import quote

_FOLDER = Path(__file__).parents[1] / "cypher"


@dataclass(frozen=True, slots=True)
class ReferenceTemplate:
    """How a task is answered in Cypher.

    Attributes:
        cypher: The reference query, with ``$slot`` in place of values.
    """

    cypher: str

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
def reference_template(task: str) -> ReferenceTemplate:
    """Return the reference query of a task, as shipped."""
    return ReferenceTemplate((_FOLDER / f"{task}.cypher").read_text(encoding="utf-8").strip())


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return str(value)
