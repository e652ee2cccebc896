"""Questions that a graph cannot answer, and ambiguous ones.

An unanswerable one has an entry of ``special.yaml``, no word of which is in a name of the schema or the
lexicon, so that nothing else in the graph answers it; or it asks since when something is so that has no time.
An ambiguous one has a phrase that fits every relationship between two labels, or the head word that several
properties share.
"""

import math
import random
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeAlias

import msgspec

from retrocypher.kg.questions.question import UNANSWERABLE
from retrocypher.kg.suites.english import English
from retrocypher.kg.suites.graph import GraphSchema, PropertyGraph
from retrocypher.kg.suites.instances import Hop, Match, Return
from retrocypher.kg.suites.lexicon import (
    Kind,
    LabelWords,
    Lexicon,
    Phrase,
    PropertyWords,
    RelationshipWords,
)
from retrocypher.kg.suites.matcher import Answer, Matcher
from retrocypher.kg.suites.patterns import Sampler, Shape
from retrocypher.kg.suites.questions import STORED_ROWS, TableQuestion
from retrocypher.kg.suites.reference import match_text, query_text
from retrocypher.kg.suites.suite import Generation, suite_data

AMBIGUOUS = "ambiguous"

_TRIES = 40
"""Attempts in a row without a new question after which a kind of question is given up."""
_COUNT = Return("aggregate", aggregate="count")
_Reading: TypeAlias = tuple[Match, Return]


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A phrase for something that a schema may lack, and parts of words that show that it does not."""

    one: str
    many: str
    words: tuple[str, ...]
    kind: Kind = "name"


class Entries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of ``special.yaml``."""

    properties: list[Entry]
    relationships: list[Entry]
    labels: list[Entry]
    connections: list[Entry]
    time: list[str]


class Special:
    """Writes questions that have no answer, or several."""

    def __init__(
        self,
        graph: PropertyGraph,
        generation: Generation,
        lexicon: Lexicon,
        served: Mapping[str, Sequence[Shape]],
        sampler: Sampler,
        matcher: Matcher,
    ) -> None:
        self.matches: set[str] = set()
        """The instantiated MATCH of each reading."""
        self._rng = random.Random(f"{generation.seed} special")
        self._schema, self._keys, self._lexicon = graph.schema, generation.keys, lexicon
        self._served, self._sampler, self._matcher = served, sampler, matcher
        self._lacking = lacking(graph.schema, lexicon)
        self._heads = _heads(lexicon, generation.keys)
        self._timed = {each.type for each in generation.relationships if each.time}
        pairs = product(self._keys, repeat=2)
        self._pairs = [each for each in pairs if len({hop.type for hop in self._between(*each)}) > 1]
        self._english = self._with_more_words(generation)

    def unanswerable(self, n: int) -> list[TableQuestion]:
        """Return up to ``n`` questions, even over what is lacking."""
        draws = {
            "property": self._property,
            "relationship": lambda: self._linked(self._lacking.relationships, list(self._keys)),
            "label": self._label,
            "time": self._time,
        }

        def question(lacks: str) -> TableQuestion | None:
            if not (drawn := draws[lacks]()):
                return None
            match, text = drawn
            return TableQuestion("", UNANSWERABLE, text, None, entities=_named(match), facts={"lacks": lacks})

        return _in_turn(n, list(draws), question)

    def ambiguous(self, n: int, confirmed: Callable[[TableQuestion, Answer], bool]) -> list[TableQuestion]:
        """Return up to ``n`` questions; ``confirmed`` compares the answer to each reading with Neo4j's."""
        draws = {"relationship": self._connected, "property": self._headed}

        def question(word_for: str) -> TableQuestion | None:
            if not (drawn := draws[word_for]()):
                return None
            text, readings = drawn
            # Readings with one answer count once, and those without an answer not at all.
            found: dict[str, tuple[TableQuestion, Answer]] = {}
            for match, wanted in readings:
                answer = self._matcher.answer(match, wanted)
                if answer and answer.rows:
                    made = TableQuestion(
                        "",
                        AMBIGUOUS,
                        text,
                        query_text(match, wanted, self._keys),
                        match=match_text(match, self._keys),
                        entities=_named(match),
                        facts={"word_for": word_for},
                        rows=len(answer.rows),
                        answer=answer.rows if len(answer.rows) <= STORED_ROWS else None,
                    )
                    found.setdefault(repr(answer.rows), (made, answer))
            if len(found) < 2 or not all(confirmed(*each) for each in found.values()):
                return None
            first, *others = (made for made, _ in found.values())
            self.matches.update(each.match for each in (first, *others))
            return msgspec.structs.replace(first, readings=[str(each.cypher) for each in others])

        return _in_turn(n, list(draws), question)

    def _property(self) -> tuple[Match, str] | None:
        match = self._drawn(("named_node", "all_nodes", "one_hop_named", "two_hops"))
        if match is None or not self._lacking.properties:
            return None
        words = self._rng.choice(self._lacking.properties)
        one = Return("property", words.one)
        if "n" in match.named:
            return match, self._english.question(match, one)
        wanted = [replace(one, columns="key_and_value")]
        if words.kind == "quantity":
            wanted += [replace(one, template=each, order="desc") for each in ("sort", "argmax")]
            wanted.append(replace(one, template="aggregate", aggregate="avg"))
        return match, self._english.question(match, self._rng.choice(wanted))

    def _label(self) -> tuple[Match, str] | None:
        labels = [each.one for each in self._lacking.labels]
        if not labels or self._rng.random() < 0.5:
            return self._linked(self._lacking.connections, labels)
        match = Match("all_nodes", {"n": self._rng.choice(labels)})
        return match, self._english.question(match, self._rng.choice([Return("name"), _COUNT]))

    def _time(self) -> tuple[Match, str] | None:
        match = self._drawn(("one_hop_named",))
        if match is None or self._may_have_time(match):
            return None
        text = self._english.question(match, Return("name"))
        return match, f"{text} For each of them, also give the year since when this has been so."

    def _linked(self, types: Sequence[Entry], labels: Sequence[str]) -> tuple[Match, str] | None:
        node = self._drawn(("named_node",))
        if node is None or not types or not labels:
            return None
        hop = Hop("r0", self._rng.choice(types).one, "n", "m0")
        ends = {"n": self._rng.choice(labels), "m0": node.label}
        match = Match("one_hop_named", ends, (hop,), {"m0": node.named["n"]})
        return match, self._english.question(match, self._rng.choice([Return("name"), _COUNT]))

    def _connected(self) -> tuple[str, list[_Reading]] | None:
        if not self._pairs or not self._lacking.connections:
            return None
        label, other = self._rng.choice(self._pairs)
        node = self._drawn(("named_node",), other)
        if node is None:
            return None
        word = Hop("r0", self._rng.choice(self._lacking.connections).one, "n", "m0")
        common = Match("one_hop_named", {"n": label, "m0": other}, (word,), {"m0": node.named["n"]})
        hops = self._between(label, other)
        # The word may also be taken for any of the relationships.
        ends = [f"m{place}" for place in range(len(hops))]
        arms = (
            Hop(
                f"r{place}", hop.type, *("n" if each == "n" else ends[place] for each in (hop.start, hop.end))
            )
            for place, hop in enumerate(hops)
        )
        any_of = replace(
            common,
            task="union",
            labels={"n": label, **dict.fromkeys(ends, other)},
            hops=tuple(arms),
            named=dict.fromkeys(ends, node.named["n"]),
        )
        matches = [*(replace(common, hops=(hop,)) for hop in hops), any_of]
        return self._english.question(common, Return("name")), [(each, Return("name")) for each in matches]

    def _headed(self) -> tuple[str, list[_Reading]] | None:
        if not self._heads:
            return None
        (label, head), names = self._rng.choice(list(self._heads.items()))
        match = self._drawn(("named_node", "all_nodes", "one_hop_named"), label)
        if match is None:
            return None
        by_name = [set(self._matcher.values(match, name)) for name in names]
        values = set().union(*by_name)
        if {None} in by_name or any(isinstance(each, float) and not math.isfinite(each) for each in values):
            return None
        one = Return("property", head, known_only=None in values)
        wanted = [replace(one, columns="key_and_value")]
        if "n" in match.named:
            if one.known_only:
                return None
            wanted = [one]
        elif self._lexicon.properties[label][names[0]].kind in ("quantity", "year", "date"):
            wanted += [replace(one, template=each, order="desc") for each in ("sort", "argmax")]
            wanted += [Return("aggregate", head, aggregate=each) for each in ("min", "max")]
        chosen = self._rng.choice(wanted)
        return self._english.question(match, chosen), [
            (match, replace(chosen, property=name)) for name in names
        ]

    def _drawn(self, tasks: Sequence[str], label: str = "") -> Match | None:
        """Return an instance of one of some patterns, about nodes of a label or of any with a key."""
        labels = (label,) if label else self._keys
        found = [each for each in self._served.get(self._rng.choice(tasks), ()) if each.labels["n"] in labels]
        return self._sampler.draw(self._rng.choice(found), self._rng) if found else None

    def _between(self, label: str, other: str) -> list[Hop]:
        """Return every hop that the schema has between n with a label and m0 with another, both ways."""
        both = (("n", "m0", label, other), ("m0", "n", other, label))
        return [
            Hop("r0", each.type, start, end)
            for each in self._schema.relationships
            for start, end, *labels in both
            if labels == [each.start, each.end]
        ]

    def _may_have_time(self, match: Match) -> bool:
        """Whether a property of the relationship or of its ends may tell since when it holds."""
        hop = match.hops[0]
        found = [each for each in self._schema.relationships if each.type == hop.type]
        names: list[str] = [name for each in found for name in each.properties]
        for label in match.labels.values():
            for name, words in self._lexicon.properties[label].items():
                names += [name, words.one, words.kind]
        told = any(word in _plain(name) for name in names for word in self._lacking.time)
        return told or hop.type in self._timed

    def _with_more_words(self, generation: Generation) -> English:
        """Return English that also has the words for what the schema lacks, and the shared heads."""
        lack, own = self._lacking, self._lexicon
        asked = {each.one: PropertyWords(each.one, each.many, each.kind) for each in lack.properties}
        properties = {label: {**words, **asked} for label, words in own.properties.items()}
        for (label, head), names in self._heads.items():
            words = own.properties[label][names[0]]
            properties[label][head] = PropertyWords(
                _head(words.one), _head(words.many), words.kind, words.unit
            )
        labels = {each.one: LabelWords(each.one, each.many) for each in lack.labels}
        properties |= {label: {"name": PropertyWords("name", "names", "name")} for label in labels}
        types = [
            RelationshipWords(each.one, Phrase(each.one, each.many), Phrase(each.one, each.many))
            for each in (*lack.relationships, *lack.connections)
        ]
        return English(
            Lexicon({**own.labels, **labels}, [*own.relationships, *types], properties),
            msgspec.structs.replace(generation, keys={**self._keys, **dict.fromkeys(labels, "name")}),
        )


def lacking(schema: GraphSchema, lexicon: Lexicon) -> Entries:
    """Return the entries of ``special.yaml`` that fit no name in a schema and its lexicon."""
    words = [
        *lexicon.labels.values(),
        *(each for own in lexicon.properties.values() for each in own.values()),
        *(way for each in lexicon.relationships for way in (each.forward, each.backward)),
    ]
    names = [*schema.labels, *(name for own in schema.labels.values() for name in own)]
    names += [name for each in schema.relationships for name in (each.type, *each.properties)]
    names += [text for each in words for text in msgspec.structs.astuple(each)]
    plain = {_plain(name) for name in names}

    def left(entries: Sequence[Entry]) -> list[Entry]:
        # The phrase is one of its words.
        found = ({_plain(word) for word in (each.one, *each.words)} for each in entries)
        used = [any(word in name for word in words for name in plain) for words in found]
        return [each for each, is_used in zip(entries, used, strict=True) if not is_used]

    every = suite_data("special.yaml", Entries)
    return Entries(
        left(every.properties),
        left(every.relationships),
        left(every.labels),
        left(every.connections),
        every.time,
    )


def _named(match: Match) -> list[str]:
    return list(dict.fromkeys(f"{match.labels[node]}:{name}" for node, name in match.named.items()))


def _in_turn(n: int, kinds: list[str], draw: Callable[[str], TableQuestion | None]) -> list[TableQuestion]:
    """Return ``n`` different questions, one of each kind in turn while it has more."""
    found: dict[str, TableQuestion] = {}
    while kinds and len(found) < n:
        kind = kinds.pop(0)
        drawn = (draw(kind) for _ in range(_TRIES))
        new = next((each for each in drawn if each and each.question not in found), None)
        if new:
            found[new.question] = new
            kinds.append(kind)
    return list(found.values())


def _heads(lexicon: Lexicon, keys: Mapping[str, str]) -> dict[tuple[str, str], list[str]]:
    """Return the properties of a label whose phrases share their head word, by label and head."""
    shared: dict[tuple[str, str], list[str]] = {}
    for label, own in lexicon.properties.items():
        names: defaultdict[str, list[str]] = defaultdict(list)
        for name, words in own.items():
            names[_head(words.one)].append(name)
        for head, those in names.items():
            alike = len(those) > 1 and len({(own[name].kind, own[name].unit) for name in those}) == 1
            # What is called by the head alone, or names the node, is what is meant.
            clear = head == "number" or any(
                name == keys.get(label) or own[name].one == head for name in those
            )
            if alike and not clear and own[those[0]].kind != "list":
                # In this form a head is no name of a property.
                shared[label, f"the {head}"] = those
    return shared


def _head(phrase: str) -> str:
    return phrase.partition(" of ")[0].rpartition(" ")[2]


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()
