"""English for a structured question, from the sentences of ``returns.yaml`` and a lexicon.

Relative clauses branch to the right, each beginning with "that" and following the noun that it describes, so
none needs brackets. What could be read in two ways stands in a sentence of its own: the order of a list, and
which nodes are left out. Named nodes stand in quotes, to the character.
"""

import datetime
import re
from typing import Any

from retrocypher.kg.suites.graph import Value
from retrocypher.kg.suites.instances import Hop, Match, Return
from retrocypher.kg.suites.lexicon import Lexicon, PropertyWords
from retrocypher.kg.suites.suite import Generation

_AN = re.compile(r"(?!uni|use|eu|one)[aeiou]", re.IGNORECASE)
_SIGNS = {
    "quantity": {"<": "less than ", "<=": "at most ", ">": "greater than ", ">=": "at least "},
    "year": {"<": "before ", ">": "after ", "=": ""},
    "date": {"<": "before ", ">": "after ", "=": ""},
    "name": {"=": "", "<>": "not "},
    "flag": {"=": ""},
}


class English:
    """Writes questions with the words of a lexicon."""

    def __init__(self, lexicon: Lexicon, generation: Generation) -> None:
        self._lexicon = lexicon
        self._keys = generation.keys
        self._timed = {(each.type, each.start, each.end) for each in generation.relationships if each.time}

    def question(self, match: Match, wanted: Return) -> str:
        """Return the question for a match and what is returned of it."""
        noun, own = self._lexicon.labels[match.label], self._lexicon.properties[match.label]
        words = own.get(wanted.subject())
        many = self._nodes(match, many=True)
        fields: dict[str, Any] = {
            "noun": noun,
            "words": words,
            "key_words": own.get(self._keys.get(match.label, "")),
            "nodes": many,
            "all": f"all {many}",
            "one": self._nodes(match, many=False),
            "known": "",
            **{node: self._named(match, node) for node in match.named},
            **(_value_fields(words, wanted) if words else {}),
            **(self._counting_fields(match) if wanted.template == "group_count" else {}),
        }
        if words and wanted.known_only:
            fields["known"] = f" Leave out {noun.many} whose {words.one} is not known."
        form = wanted.form()
        text = form.english_of.get(match.task, form.english).format(**fields)
        return f"{text} Leave out {fields['m1']} itself." if match.excludes_named else text

    def _counting_fields(self, match: Match) -> dict[str, object]:
        """Return what a count for each node n says of both relationships."""
        first, second = match.hops
        is_optional = match.task == "optional_match"
        near, noun = "n" if is_optional else "m0", self._lexicon.labels[match.label].one
        return {
            "counted": self._lexicon.labels[match.labels["m0"]],
            "clause": self._clause(match, first, "m0", f"that {noun}", many=True),
            "also": self._clause(match, second, near, self._named(match, "m1"), many=not is_optional),
        }

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


def _value_fields(words: PropertyWords, wanted: Return) -> dict[str, str]:
    """Return what sentences say of a property and its values."""
    is_list, is_quantity = words.kind == "list", words.kind == "quantity"
    low, high = ("lowest", "highest") if is_quantity else ("earliest", "latest")
    fields = {
        "value": words.many if is_list else f"{words.one} in {words.unit}" if words.unit else words.one,
        "verb": "are" if is_list else "is",
        "which": {"min": low, "max": high}.get(wanted.aggregate, "average"),
        "first": low if wanted.order == "asc" else high,
        "higher": "higher" if is_quantity else "later",
    }
    if wanted.value is not None:
        fields["literal"] = _value(wanted.value)
        fields["sign"] = _SIGNS.get(words.kind, {}).get(wanted.operator, "")
        fields["is_known"] = "is known and " if wanted.operator == "<>" and wanted.known_only else ""
    return fields


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.date):
        return value.isoformat()
    return f'"{value}"' if isinstance(value, str) else str(value)
