"""What frequent values of a graph of reactions could be named by its schema, and are not."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml
from msgspec import Struct, convert
from rdkit import Chem

from retrocypher.kg.graph.molecules import molecule_of
from retrocypher.kg.graph.reaction import Reaction

_FILE = Path(__file__).with_suffix(".yaml")
_SHOWN = 5
OTHER = "other"


class AgentClass(Struct, frozen=True):
    """A class of agents: those that match one of the SMARTS and none of a class before it."""

    name: str
    smarts: list[str]


class TextProperty(Struct, frozen=True):
    """A property of a reaction that procedure texts state."""

    name: str
    unit: str
    pattern: str


class Rules(Struct, frozen=True):
    """The classes and properties that are looked for."""

    agents: list[AgentClass]
    texts: list[TextProperty]


class Suggestion(Struct, frozen=True):
    """Something that the schema could name."""

    name: str
    place: str
    """Where it would be named: the relationship, or the node of a property."""
    count: int
    """Relationships, or reactions whose procedure text states it."""
    of: int
    """How many there are in all."""
    examples: list[str]
    """The most frequent values, with their counts."""


@cache
def _rules() -> Rules:
    return convert(yaml.safe_load(_FILE.read_text()), Rules)


def suggestions(reactions: Sequence[Reaction], texts: Mapping[int, str]) -> Iterator[Suggestion]:
    """Yield the classes of agents by frequency, then the properties that texts state."""
    used = Counter(name for reaction in reactions for name in reaction.agents)
    by_class: dict[str, Counter[str]] = {}
    for name, count in used.items():
        by_class.setdefault(agent_class(name), Counter())[name] = count
    for kind, found in sorted(by_class.items(), key=lambda each: (each[0] == OTHER, -each[1].total())):
        yield Suggestion(kind, "USES_AGENT", found.total(), used.total(), _examples(found))
    for each in _rules().texts if texts else ():
        values: Counter[str] = Counter()
        stating = 0
        for text in texts.values():
            matches = re.finditer(each.pattern, text, re.IGNORECASE)
            stated = dict.fromkeys(match.group().lower() for match in matches)
            stating += bool(stated)
            values.update(stated.keys())
        yield Suggestion(f"{each.name} ({each.unit})", "Reaction", stating, len(texts), _examples(values))


def _examples(values: Counter[str]) -> list[str]:
    return [f"{value} ({count:,})" for value, count in values.most_common(_SHOWN)]


def agent_class(name: str) -> str:
    """Return the class of an agent, `OTHER` if it has none; raise ValueError if it is no molecule."""
    molecule = molecule_of(name)
    kinds = (kind for kind, patterns in _patterns() if any(map(molecule.HasSubstructMatch, patterns)))
    return next(kinds, OTHER)


@cache
def _patterns() -> tuple[tuple[str, tuple[Chem.Mol, ...]], ...]:
    return tuple((each.name, tuple(map(Chem.MolFromSmarts, each.smarts))) for each in _rules().agents)
