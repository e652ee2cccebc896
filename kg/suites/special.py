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
    Lexicon,
    Phrase,
    PropertyWords,
    RelationshipWords,
)
from retrocypher.kg.suites.matcher import Answer, Matcher
from retrocypher.kg.suites.patterns import Sampler, Shape
from retrocypher.kg.suites.questions import TableQuestion
from retrocypher.kg.suites.reference import table_question
from retrocypher.kg.suites.suite import Generation, suite_data

AMBIGUOUS = "ambiguous"

_TRIES = 40
"""Attempts in a row without a new question after which a kind of question is given up."""
_NAMES, _COUNT = Return("name"), Return("aggregate", aggregate="count")
_SINCE = "For each of them, also give the year since when this has been so."
_Reading: TypeAlias = tuple[Match, Return]


class Entry(PropertyWords):
    """A phrase for something that a schema may lack, and parts of words that show that it does not."""

    words: tuple[str, ...] = ()
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
        self._pairs = [each for each in pairs if len({name for name, _ in self._ways(*each)}) > 1]
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
            text = self._english.question(*drawn) + (f" {_SINCE}" if lacks == "time" else "")
            return TableQuestion(
                "", UNANSWERABLE, text, None, entities=drawn[0].entities, facts={"lacks": lacks}
            )

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
                    made = table_question(match, wanted, self._keys, text, answer.rows)
                    made.task, made.template, made.facts = AMBIGUOUS, "", {"word_for": word_for}
                    found.setdefault(repr(answer.rows), (made, answer))
            if len(found) < 2 or not all(confirmed(*each) for each in found.values()):
                return None
            first, *others = (made for made, _ in found.values())
            self.matches.update(each.match for each in (first, *others))
            return msgspec.structs.replace(first, readings=[str(each.cypher) for each in others])

        return _in_turn(n, list(draws), question)

    def _property(self) -> _Reading | None:
        match = self._drawn(("named_node", "all_nodes", "one_hop_named", "two_hops"))
        if match is None or not self._lacking.properties:
            return None
        words = self._rng.choice(self._lacking.properties)
        one = Return("property", words.one)
        if "n" in match.named:
            return match, one
        wanted = [replace(one, columns="key_and_value")]
        if words.kind == "quantity":
            wanted += [replace(one, template=each, order="desc") for each in ("sort", "argmax")]
            wanted.append(replace(one, template="aggregate", aggregate="avg"))
        return match, self._rng.choice(wanted)

    def _label(self) -> _Reading | None:
        labels = [each.one for each in self._lacking.labels]
        if not labels or self._rng.random() < 0.5:
            return self._linked(self._lacking.connections, labels)
        match = Match("all_nodes", {"n": self._rng.choice(labels)})
        return match, self._rng.choice([_NAMES, _COUNT])

    def _time(self) -> _Reading | None:
        match = self._drawn(("one_hop_named",))
        return None if match is None or self._may_have_time(match) else (match, _NAMES)

    def _linked(self, types: Sequence[Entry], labels: Sequence[str]) -> _Reading | None:
        node = self._drawn(("named_node",))
        if node is None or not types or not labels:
            return None
        hop = Hop("r0", self._rng.choice(types).one, "n", "m0")
        ends = {"n": self._rng.choice(labels), "m0": node.label}
        match = Match("one_hop_named", ends, (hop,), {"m0": node.named["n"]})
        return match, self._rng.choice([_NAMES, _COUNT])

    def _connected(self) -> tuple[str, list[_Reading]] | None:
        if not self._pairs or not self._lacking.connections:
            return None
        label, other = self._rng.choice(self._pairs)
        node = self._drawn(("named_node",), other)
        if node is None:
            return None
        word = Hop("r0", self._rng.choice(self._lacking.connections).one, "n", "m0")
        common = Match("one_hop_named", {"n": label, "m0": other}, (word,), {"m0": node.named["n"]})
        ways = self._ways(label, other)
        matches = [replace(common, hops=(_hop(0, *way),)) for way in ways]
        # The word may also be taken for any of the relationships.
        arms = tuple(_hop(place, *way) for place, way in enumerate(ways))
        ends = [f"m{place}" for place in range(len(ways))]
        labels = {"n": label, **dict.fromkeys(ends, other)}
        matches.append(Match("union", labels, arms, dict.fromkeys(ends, node.named["n"])))
        return self._english.question(common, _NAMES), [(each, _NAMES) for each in matches]

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

    def _ways(self, label: str, other: str) -> list[tuple[str, bool]]:
        """Return the types that relate two labels, each with whether it leads from the first to the other."""
        both = ((label, other, True), (other, label, False))
        return [
            (each.type, is_outward)
            for each in self._schema.relationships
            for start, end, is_outward in both
            if (each.start, each.end) == (start, end)
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
        asked = {each.one: each for each in lack.properties}
        properties = {label: {**words, **asked} for label, words in own.properties.items()}
        for (label, head), names in self._heads.items():
            words = own.properties[label][names[0]]
            properties[label][head] = PropertyWords(
                _head(words.one), _head(words.many), words.kind, words.unit
            )
        labels = {each.one: each for each in lack.labels}
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
    plain = "\n".join(map(_plain, names))

    def left(entries: Sequence[Entry]) -> list[Entry]:
        # The phrase is one of its words.
        return [
            each for each in entries if not any(_plain(word) in plain for word in (each.one, *each.words))
        ]

    every = suite_data("special.yaml", Entries)
    groups = ("properties", "relationships", "labels", "connections")
    return msgspec.structs.replace(every, **{group: left(getattr(every, group)) for group in groups})


def _hop(place: int, type_name: str, is_outward: bool) -> Hop:
    """Return a hop between n and the node of its place."""
    ends = ("n", f"m{place}")
    return Hop(f"r{place}", type_name, *(ends if is_outward else reversed(ends)))


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
