"""RETURN templates: what a question may ask of the nodes that its pattern matches.

The kind of a property in the lexicon decides: only quantities have an average; quantities, years and dates
have an order; the rest is equal or not. No answer depends on where Neo4j sorts null, and none on a tie:

- a property that some matched node lacks is asked for those that have it. Sorting and listing say so; the
  highest, lowest and average, and all conditions, leave null out in English as in Cypher;
- argmax with a tie at the top is dropped; a sorted list may have ties, which may permute;
- a condition keeps some of the matched nodes and drops some.
"""

import math
import operator
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from retrocypher.kg.suites.graph import Value
from retrocypher.kg.suites.instances import Aggregate, Match, Order, Return
from retrocypher.kg.suites.lexicon import Lexicon
from retrocypher.kg.suites.matcher import Matcher

_ORDERED = ("quantity", "year", "date")
_MOST_CATEGORIES = 50
_DIGITS = 2
_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_CANCELLED = 1e-6
"""An average so much smaller than its values is left to the rounding of floats."""


class ReturnChooser:
    """Chooses what is returned of a match; uses the matcher to look at the values of matched nodes."""

    def __init__(self, matcher: Matcher, lexicon: Lexicon, keys: Mapping[str, str]) -> None:
        self._matcher = matcher
        self._lexicon = lexicon
        self._keys = keys
        self._categories: dict[tuple[str, str], bool] = {}

    def choose(self, template: str, match: Match, count: int, rng: random.Random) -> Return | None:
        """Return one choice for a template, None if this match has none; ``count`` nodes are matched."""
        keyed = match.label in self._keys
        match template:
            case "name" | "time_name" | "union_name" | "union_count" | "group_count":
                return Return(template) if keyed or template == "union_count" else None
            case "property" | "aggregate":
                pass
            case _ if not keyed:
                return None
        if template in ("sort", "argmax", "filter", "aggregate") and count < 2:
            return None
        found = self._choices(template, match, count, rng)
        choices = [choice for choice in found if choice]
        return rng.choice(choices) if choices else None

    def _choices(
        self, template: str, match: Match, count: int, rng: random.Random
    ) -> Iterator[Return | None]:
        if template == "aggregate":
            yield Return(template, aggregate="count")
        for name, words in self._lexicon.properties[match.label].items():
            if name == self._keys.get(match.label):
                continue
            values = self._values(match, name)
            lacking = values.pop(None, 0)
            if not values or any(isinstance(each, float) and not math.isfinite(each) for each in values):
                continue
            ordered = words.kind in _ORDERED
            known_only = lacking > 0
            match template:
                case "property":
                    yield self._property(match, name, count, known_only)
                case "sort" | "argmax" if ordered and len(values) > 1:
                    order: Order = "asc" if rng.random() < 0.5 else "desc"
                    yield Return(template, name, order=order, known_only=known_only)
                case "filter":
                    yield self._filter(match, name, words.kind, values, known_only, rng)
                case "aggregate":
                    yield from self._aggregates(match, name, words.kind, values, known_only)
                case _ if template.startswith("comparison") and not lacking:
                    fits = {
                        "comparison_argmax": ordered and len(values) == 2,
                        "comparison_same": words.kind in ("year", "flag")
                        or self._is_category(match.label, name),
                        "comparison_difference": words.kind in ("quantity", "year"),
                    }
                    yield Return(template, name) if fits[template] else None

    def _property(self, match: Match, name: str, count: int, known_only: bool) -> Return | None:
        if "n" in match.named:
            return None if known_only else Return("property", name)
        if count > 1 and self._is_category(match.label, name):
            return Return("property", name, columns="different_values", known_only=known_only)
        if match.label not in self._keys:
            return None
        return Return("property", name, columns="key_and_value", known_only=known_only)

    def _values(self, match: Match, name: str) -> Counter[Any]:
        if match.task != "comparison":
            return self._matcher.values(match, name)
        compared = (Match("named_node", {"n": match.label}, (), {"n": key}) for key in match.named.values())
        return sum((self._matcher.values(each, name) for each in compared), Counter())

    def _aggregates(
        self, match: Match, name: str, kind: str, values: Counter[Any], known_only: bool
    ) -> Iterator[Return]:
        of_values: list[Aggregate] = ["min", "max"] if kind in _ORDERED and len(values) > 1 else []
        if kind == "quantity" and len(values) > 1 and _well_conditioned(values):
            of_values.append("avg")
        for aggregate in of_values:
            yield Return("aggregate", name, aggregate=aggregate)
        if not self._is_category(match.label, name) or len(values) < 2:
            return
        yield Return("aggregate", name, aggregate="count_values")
        yield Return("aggregate", aggregate="count", group=name, known_only=known_only)

    def _filter(
        self,
        match: Match,
        name: str,
        kind: str,
        values: Counter[Any],
        known_only: bool,
        rng: random.Random,
    ) -> Return | None:
        if kind == "list":
            value = rng.choice(sorted(values))
            return Return("filter", name, operator="in", value=value)
        if len(values) < 2:
            return None
        if kind in _ORDERED:
            signs = ["<", ">", "="] if kind != "quantity" else ["<", "<=", ">", ">="]
            if len(values) > _MOST_CATEGORIES and "=" in signs:
                signs.remove("=")
        elif kind == "flag":
            signs = ["="]
        elif self._is_category(match.label, name):
            signs = ["=", "<>"]
        else:
            return None
        sign = rng.choice(signs)
        value = rng.choice(sorted(values))
        for threshold in (_rounded(value) if kind == "quantity" else value, value):
            kept = sum(number for each, number in values.items() if _COMPARE[sign](each, threshold))
            if 0 < kept < sum(values.values()):
                return Return("filter", name, operator=sign, value=threshold, known_only=known_only)
        return None

    def _is_category(self, label: str, name: str) -> bool:
        """Whether a property puts the nodes of a label into a few groups."""
        if (label, name) not in self._categories:
            values = self._matcher.values(Match("all_nodes", {"n": label}), name)
            values.pop(None, 0)
            kind = self._lexicon.properties[label][name].kind
            few = len(values) <= min(_MOST_CATEGORIES, sum(values.values()) / 2)
            self._categories[label, name] = few and kind == "name"
        return self._categories[label, name]


def _well_conditioned(values: Counter[Any]) -> bool:
    mean = math.fsum(value * number for value, number in values.items()) / sum(values.values())
    return bool(abs(mean) > _CANCELLED * max(abs(value) for value in values))


def _rounded(value: Value) -> Value:
    assert isinstance(value, (int, float))
    if not value:
        return value
    digits = _DIGITS - 1 - math.floor(math.log10(abs(value)))
    if isinstance(value, int):
        return round(value, min(digits, 0))
    short = round(value, digits)
    return int(short) if short.is_integer() and abs(short) >= 10 ** (_DIGITS - 1) else short
