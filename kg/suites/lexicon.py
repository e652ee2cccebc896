"""The lexicon of a suite: the English words for labels, relationships and properties, in ``lexicon.yaml``."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
import yaml

from retrocypher.kg.errors import InputError
from retrocypher.kg.suites.graph import GraphSchema, ValueType
from retrocypher.kg.suites.suite import Generation

Kind = Literal["quantity", "year", "date", "name", "flag", "list"]

_HEAD = """\
# The English of generated questions. This skeleton was made from the names of the schema: edit it.
# A phrase of a relationship follows "that" and ends right before the other node, for one node and for
# many: "departs from", "depart from"; backward, from end to start: "is the origin of", "are the origin of".
# Relationships with a time also need past_one and past_many, such as "played for".
# kind of a property: quantity (has a highest, lowest and average), year, date, name (only equal or not),
# flag or list. A property that is no quantity, such as a number that is only a name, should say so.
"""


class Words(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What one is called, and what many are: a noun, such as that for nodes of a label."""

    one: str
    many: str


class Phrase(Words):
    """A verb phrase that ends right before its object."""

    past_one: str = ""
    past_many: str = ""


class RelationshipWords(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Phrases for a relationship, from its start to its end and back."""

    type: str
    forward: Phrase
    backward: Phrase
    start: str = ""
    """Label of the start, where types of one name need phrases of their own."""
    end: str = ""


class PropertyWords(Words):
    """A noun phrase for a property."""

    kind: Kind
    unit: str = ""
    """Such as ``miles``; questions say "distance in miles"."""


class Lexicon(msgspec.Struct, forbid_unknown_fields=True):
    """The content of ``lexicon.yaml``."""

    labels: dict[str, Words]
    relationships: list[RelationshipWords]
    properties: dict[str, dict[str, PropertyWords]]
    """By label and name."""

    def relationship(self, type_name: str, start: str, end: str) -> RelationshipWords | None:
        """Return the words for a relationship type between two labels."""
        fits = (each for each in self.relationships if each.type == type_name)
        return next((each for each in fits if each.start in ("", start) and each.end in ("", end)), None)


def lexicon_skeleton(schema: GraphSchema, generation: Generation) -> Lexicon:
    """Return a first lexicon, made of the words within the names of a schema."""
    timed = {each.type for each in generation.relationships if each.time}
    types = dict.fromkeys(each.type for each in schema.relationships)
    return Lexicon(
        {label: Words(_words(label), _plural(_words(label))) for label in schema.labels},
        [_relationship(name, timed=name in timed) for name in types],
        {
            label: {name: _property(name, kind) for name, kind in properties.items()}
            for label, properties in schema.labels.items()
        },
    )


def write_lexicon(file: Path, lexicon: Lexicon) -> None:
    """Write a lexicon with a word on how to edit it."""
    text = yaml.safe_dump(msgspec.to_builtins(lexicon), sort_keys=False, allow_unicode=True, width=110)
    file.write_text(_HEAD + text, encoding="utf-8")


def read_lexicon(file: Path, schema: GraphSchema, generation: Generation) -> Lexicon:
    """Read a lexicon; raise InputError if it is not valid, or lacks an entry that the schema needs."""
    try:
        lexicon = msgspec.convert(yaml.safe_load(file.read_text(encoding="utf-8")), Lexicon)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, msgspec.ValidationError) as error:
        raise InputError(f"{file}: not a lexicon ({error})") from error
    for problem in _problems(lexicon, schema, generation):
        raise InputError(f"{file}: {problem}; add it, or remove the file for a new skeleton")
    return lexicon


def _problems(lexicon: Lexicon, schema: GraphSchema, generation: Generation) -> Iterator[str]:
    for label, properties in schema.labels.items():
        if label not in lexicon.labels:
            yield f"labels has no entry {label!r}"
        for name, kind in properties.items():
            words = lexicon.properties.get(label, {}).get(name)
            if words is None:
                yield f"properties of {label!r} has no entry {name!r}"
            elif words.kind not in _KINDS[_plain(kind)]:
                yield f"properties of {label!r}: {name!r} of type {kind} cannot have the kind {words.kind}"
    for each in generation.relationships:
        phrase = lexicon.relationship(each.type, each.start, each.end)
        if phrase is None:
            yield f"relationships has no entry {each.type!r} from {each.start!r} to {each.end!r}"
        elif each.time and not (phrase.forward.past_many and phrase.backward.past_many):
            yield f"relationships: {each.type!r} has a time and no past_one and past_many"


_KINDS: dict[str, tuple[Kind, ...]] = {
    "str": ("name",),
    "bool": ("flag",),
    "date": ("date", "name"),
    "int": ("quantity", "year", "name"),
    "float": ("quantity", "name"),
    "list": ("list",),
}
_NUMBERS_THAT_NAME = re.compile(r"(^|\s)(id|number|no|code|zip|index)$")


def _plain(kind: ValueType) -> str:
    return kind.partition("[")[0]


def _property(name: str, type_name: ValueType) -> PropertyWords:
    words = _words(name)
    kind = _KINDS[_plain(type_name)][0]
    if type_name == "int" and words.endswith("year"):
        kind = "year"
    elif type_name == "int" and _NUMBERS_THAT_NAME.search(words):
        kind = "name"
    plural = words if kind == "list" and words.endswith("s") else _plural(words)
    return PropertyWords(words, plural, kind)


def _relationship(name: str, *, timed: bool) -> RelationshipWords:
    words = _words(name)
    first, _, rest = words.partition(" ")
    plural = {"is": "are", "has": "have", "was": "were"}.get(first) or first.removesuffix("s")
    third_person = plural != first and not first.endswith("ss")
    if third_person:
        forward = Phrase(words, f"{plural} {rest}".strip())
    else:
        forward = Phrase(f'is linked by "{words}" to', f'are linked by "{words}" to')
    backward = Phrase(f'is reached by "{words}" from', f'are reached by "{words}" from')
    if timed:
        past = {"is": ("was", "were"), "has": ("had", "had")}.get(first, ("", ""))
        for phrase in (forward, backward):
            past_one, past_many = ("was", "were") if phrase.one.startswith("is ") else past
            tail = phrase.one.partition(" ")[2]
            phrase.past_one = f"{past_one} {tail}" if past_one else f"did {phrase.many}"
            phrase.past_many = f"{past_many} {tail}" if past_many else f"did {phrase.many}"
    return RelationshipWords(name, forward, backward)


def _words(name: str) -> str:
    """Cut a name in camelCase, snake_case or capitals into words in lower case."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return " ".join(re.split(r"[\W_]+", spaced)).strip().lower() or name


def _plural(words: str) -> str:
    if re.search(r"[^aeiou]y$", words):
        return f"{words[:-1]}ies"
    return f"{words}es" if re.search(r"(s|x|z|ch|sh)$", words) else f"{words}s"
