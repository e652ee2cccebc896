"""A question before it has words: what it matches in a graph, and what it returns of that.

The reference query, the second computation of the answer and the English text are three readings of these
types and of ``returns.yaml``, and share nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from retrocypher.kg.suites.graph import Value
from retrocypher.kg.suites.suite import suite_data

Order = Literal["", "asc", "desc"]
Aggregate = Literal["", "count", "count_values", "min", "max", "avg"]
Columns = Literal["value", "key_and_value", "different_values"]


@dataclass(frozen=True, slots=True)
class Hop:
    """A relationship of a pattern, from the node variable ``start`` to ``end``; an empty type is any."""

    variable: str
    type: str
    start: str
    end: str

    def other(self, node: str) -> str:
        """Return the node variable at the other end."""
        return self.end if self.start == node else self.start


@dataclass(frozen=True, slots=True)
class Period:
    """When ``r0`` has to hold: in a year, or now, which is where it has a start and no end."""

    start: str
    """Property with the year in which a relationship starts."""
    end: str
    year: int | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """An instantiated matching pattern; ``n`` is the node that is asked for."""

    task: str
    labels: Mapping[str, str]
    """Labels by node variable."""
    hops: tuple[Hop, ...] = ()
    named: Mapping[str, str | int] = field(default_factory=dict)
    """By node variable, the value of the key property."""
    period: Period | None = None

    @property
    def label(self) -> str:
        """The label of ``n``."""
        return self.labels["n"]

    @property
    def entities(self) -> list[str]:
        """The named nodes, as questions list them."""
        return list(dict.fromkeys(f"{self.labels[node]}:{name}" for node, name in self.named.items()))

    @property
    def excludes_named(self) -> bool:
        """Whether the pattern reaches ``n`` as it reaches the named node, so that it leaves that node out.

        A relationship is matched only once, so ``(n)-[:IN]->(m0)<-[:IN]-(m1*)`` never finds ``m1`` itself.
        """
        if self.task not in ("two_hops", "group_by") or self.labels["n"] != self.labels["m1"]:
            return False
        first, second = self.hops
        return first.type == second.type and (first.end == "m0") == (second.end == "m0")


@dataclass(frozen=True, slots=True)
class Return:
    """What a question returns, by its template; a field that the template does not need is empty."""

    template: str
    property: str = ""
    columns: Columns = "value"
    order: Order = ""
    operator: str = ""
    """``=``, ``<>``, ``<``, ``<=``, ``>``, ``>=``, or ``in`` for a list that holds the value."""
    value: Value | None = None
    aggregate: Aggregate = ""
    group: str = ""
    """Property by which an aggregate is grouped."""
    known_only: bool = False
    """Whether nodes without the property (or the group) are left out."""

    def subject(self) -> str:
        """Return the property that is returned, sorted by, compared, counted or grouped by; may be empty."""
        return self.property or self.group

    def form(self) -> "ReturnForm":
        """Return how this is written."""
        name: str = self.template
        if name == "property":
            name = self.columns
        elif name == "filter":
            name = "item" if self.operator == "in" else "condition"
        elif name == "aggregate":
            name = "groups" if self.group else self.aggregate
            name = "statistic" if name in ("min", "max", "avg") else name
        return suite_data("returns.yaml", dict[str, ReturnForm])[name]


class ReturnForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of ``returns.yaml``, which says what its fields in braces stand for."""

    cypher: str
    sql: str
    english: str
    english_of: dict[str, str] = {}
    """By pattern, another sentence."""
