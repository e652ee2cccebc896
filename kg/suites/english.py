"""English for a structured question, from sentence forms and a lexicon.

Relative clauses branch to the right, each beginning with "that" and following the noun that it describes, so
none needs brackets. What could be read in two ways stands in a sentence of its own: the order of a list, and
which nodes are left out. Named nodes stand in quotes, to the character.
"""

import datetime
import re

from retrocypher.kg.suites.graph import Value
from retrocypher.kg.suites.instances import Hop, Match, Return
from retrocypher.kg.suites.lexicon import LabelWords, Lexicon, PropertyWords
from retrocypher.kg.suites.suite import Generation

_AN = re.compile(r"(?!uni|use|eu|one)[aeiou]", re.IGNORECASE)
_SIGNS = {
    "quantity": {"<": "less than ", "<=": "at most ", ">": "greater than ", ">=": "at least "},
    "year": {"<": "before ", ">": "after ", "=": ""},
    "date": {"<": "before ", ">": "after ", "=": ""},
    "name": {"=": "", "<>": "not "},
    "flag": {"=": ""},
}
_AGGREGATES = {"min": ("lowest", "earliest"), "max": ("highest", "latest"), "avg": ("average", "average")}


class English:
    """Writes questions with the words of a lexicon."""

    def __init__(self, lexicon: Lexicon, generation: Generation) -> None:
        self._lexicon = lexicon
        self._keys = generation.keys
        self._timed = {(each.type, each.start, each.end) for each in generation.relationships if each.time}

    def question(self, match: Match, wanted: Return) -> str:
        """Return the question for a match and what is returned of it."""
        noun = self._lexicon.labels[match.label]
        many = f"all {self._nodes(match, many=True)}"
        words = self._words(match, wanted.property) if wanted.property else None
        group = self._words(match, wanted.group) if wanted.group else None
        key = self._words(match, self._keys[match.label]) if match.label in self._keys else None
        text = self._sentence(match, wanted, noun, many, words or group, key)
        if wanted.known_only and wanted.template in ("property", "sort", "aggregate"):
            unknown = words or group
            assert unknown
            text += f" Leave out {noun.many} whose {unknown.one} is not known."
        if match.excludes_named:
            text += f" Leave out {self._named(match, 'm1')} itself."
        return text

    def _sentence(
        self,
        match: Match,
        wanted: Return,
        noun: LabelWords,
        many: str,
        words: PropertyWords | None,
        key: PropertyWords | None,
    ) -> str:
        template = wanted.template
        if (
            template in ("union_count", "aggregate")
            and wanted.aggregate in ("", "count")
            and not wanted.group
        ):
            if not match.hops:
                return f"How many {noun.many} are there?"
            return f"What is the number of {self._nodes(match, many=True)}?"
        if template.startswith("comparison"):
            assert words
            assert key
            return self._comparison(match, template, words, key)
        if template == "group_count":
            assert key
            return self._count_for_each(match, noun, key)
        if words is None:
            assert key
            return f"List the {key.many} of {many}."
        value, is_list = _with_unit(words), words.kind == "list"
        low, high = ("lowest", "highest") if words.kind == "quantity" else ("earliest", "latest")
        match template:
            case "property" if wanted.columns == "value":
                verb = f"What are the {words.many}" if is_list else f"What is the {value}"
                return f"{verb} of {self._named(match, 'n')}?"
            case "property" if wanted.columns == "different_values":
                return f"What are the different {words.many} of {many}?"
            case "property":
                assert key
                one = self._nodes(match, many=False)
                return f"For each {one}, give its {key.one} and its {words.many if is_list else value}."
            case "sort":
                assert key
                first = low if wanted.order == "asc" else high
                return f"List the {key.many} of {many}. Sort these {noun.many} by {value}, {first} first."
            case "argmax":
                assert key
                first = low if wanted.order == "asc" else high
                return f"Of {many}, what is the {key.one} of the one with the {first} {value}?"
            case "filter":
                assert key
                return f"Of {many}, list the {key.many} of those whose {_condition(words, wanted)}."
        if wanted.group:
            return (
                f"Group {many} by {words.one}. Give each {words.one} and the number of {noun.many} with it."
            )
        if wanted.aggregate == "count_values":
            return f"How many different {words.many} do {many} have together?"
        which = _AGGREGATES[wanted.aggregate][words.kind != "quantity"]
        return f"What is the {which} {value} of {many}?"

    def _comparison(self, match: Match, template: str, words: PropertyWords, key: PropertyWords) -> str:
        first, second, value = self._named(match, "n"), self._named(match, "m0"), _with_unit(words)
        if template == "comparison_same":
            return f"Do {first} and {second} have the same {words.one}?"
        if template == "comparison_difference":
            return f"What is the {value} of {first} minus the {value} of {second}?"
        higher = "higher" if words.kind == "quantity" else "later"
        return f"Which has the {higher} {words.one}, {first} or {second}? Give its {key.one}."

    def _count_for_each(self, match: Match, noun: LabelWords, key: PropertyWords) -> str:
        counted = self._lexicon.labels[match.labels["m0"]]
        this = f"that {noun.one}"
        first = self._clause(match, match.hops[0], "m0", this, many=True)
        second = match.hops[1]
        if match.task == "optional_match":
            which = (
                f"{noun.one} that {self._clause(match, second, 'n', self._named(match, 'm1'), many=False)}"
            )
            return (
                f"For each {which}, give its {key.one} and the number of {counted.many} that {first}. "
                f"Include {noun.many} with none."
            )
        also = self._clause(match, second, "m0", self._named(match, "m1"), many=True)
        return (
            f"For each {noun.one}, count the {counted.many} that {first} and that {also}. "
            f"Give the {key.one} of the {noun.one} and the count, and leave out {noun.many} with none."
        )

    def _nodes(self, match: Match, *, many: bool) -> str:
        """Return the nodes n with what describes them, such as "flights that depart from an airport"."""
        noun = self._lexicon.labels[match.label]
        head = noun.many if many else noun.one
        clauses: list[str] = []
        if match.task == "same_pair":
            verbs = (self._clause(match, hop, "n", "", many=many).strip() for hop in match.hops)
            same = f"the same {self._lexicon.labels[match.labels['m0']].one}"
            return f"{head} that both {' and '.join(verbs)} {same}"
        for hop in match.hops:
            if "n" not in (hop.start, hop.end):
                continue
            other = hop.other("n")
            clauses.append(self._clause(match, hop, "n", self._object(match, other), many=many))
        joined = f" {'or' if match.task == 'union' else 'and'} that ".join(clauses)
        return f"{head} that {joined}" if joined else head

    def _object(self, match: Match, node: str) -> str:
        if node in match.named:
            return self._named(match, node)
        noun = self._lexicon.labels[match.labels[node]].one
        text = f"{'an' if _AN.match(noun) else 'a'} {noun}"
        for hop in match.hops:
            if node in (hop.start, hop.end) and hop.other(node) != "n":
                farther = self._named(match, hop.other(node))
                text += f" that {self._clause(match, hop, node, farther, many=False)}"
        return text

    def _clause(self, match: Match, hop: Hop, subject: str, target: str, *, many: bool) -> str:
        """Return what follows "that": a verb phrase with one end of the relationship as its subject."""
        start, end = match.labels[hop.start], match.labels[hop.end]
        words = self._lexicon.relationship(hop.type, start, end)
        assert words
        phrase = words.forward if hop.start == subject else words.backward
        present, past = (phrase.many, phrase.past_many) if many else (phrase.one, phrase.past_one)
        if match.period:
            year = match.period.year
            return f"currently {present} {target}" if year is None else f"in {year} {past} {target}"
        if (hop.type, start, end) in self._timed:
            return f"at any time, past or present, {past} {target}"
        return f"{present} {target}"

    def _named(self, match: Match, node: str) -> str:
        label = match.labels[node]
        key = self._lexicon.properties[label][self._keys[label]]
        noun, name = self._lexicon.labels[label].one, _value(match.named[node])
        return f"the {noun} {name}" if key.one == "name" else f"the {noun} with the {key.one} {name}"

    def _words(self, match: Match, name: str) -> PropertyWords:
        return self._lexicon.properties[match.label][name]


def _condition(words: PropertyWords, wanted: Return) -> str:
    assert wanted.value is not None
    value = _value(wanted.value)
    if wanted.operator == "in":
        return f"{words.many} include {value}"
    known = "is known and " if wanted.operator == "<>" and wanted.known_only else ""
    return f"{_with_unit(words)} {known}is {_SIGNS[words.kind][wanted.operator]}{value}"


def _with_unit(words: PropertyWords) -> str:
    return f"{words.one} in {words.unit}" if words.unit else words.one


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.date):
        return value.isoformat()
    return f'"{value}"' if isinstance(value, str) else str(value)
