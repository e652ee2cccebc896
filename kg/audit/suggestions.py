"""What frequent values of a graph of reactions could be named by its schema, and are not."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct
from rdkit import Chem

from retrocypher.kg.graph.molecules import molecule_of
from retrocypher.kg.graph.reaction import Reaction

_SHOWN = 5
OTHER = "other"


class Rules(Struct, frozen=True, forbid_unknown_fields=True):
    """What is looked for."""

    agents: dict[str, list[str]]
    """SMARTS by class; an agent has the first class of which it matches one."""
    texts: dict[str, str]
    """Patterns of what procedure texts state, by property."""


@cache
def _rules() -> Rules:
    return msgspec.yaml.decode(Path(__file__).with_suffix(".yaml").read_bytes(), type=Rules)


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


def suggestions(reactions: Sequence[Reaction], texts: Mapping[int, str]) -> Iterator[Suggestion]:
    """Yield the classes of agents by frequency, then the properties that texts state."""
    used = Counter(name for reaction in reactions for name in reaction.agents)
    by_class: dict[str, Counter[str]] = {}
    for name, count in used.items():
        by_class.setdefault(agent_class(name), Counter())[name] = count
    for kind, found in sorted(by_class.items(), key=lambda each: (each[0] == OTHER, -each[1].total())):
        yield Suggestion(kind, "USES_AGENT", found.total(), used.total(), _examples(found))
    for name, pattern in _rules().texts.items() if texts else ():
        matches = (re.finditer(pattern, text, re.IGNORECASE) for text in texts.values())
        stated = [dict.fromkeys(match.group().lower() for match in found) for found in matches]
        values = Counter(value for each in stated for value in each)
        yield Suggestion(name, "Reaction", sum(map(bool, stated)), len(texts), _examples(values))


def _examples(values: Counter[str]) -> list[str]:
    return [f"{value} ({count:,})" for value, count in values.most_common(_SHOWN)]


def agent_class(name: str) -> str:
    """Return the class of an agent, `OTHER` if it has none; raise ValueError if it is no molecule."""
    matches = molecule_of(name).HasSubstructMatch
    kinds = (kind for kind, smarts in _rules().agents.items() if any(map(matches, map(_pattern, smarts))))
    return next(kinds, OTHER)


_pattern = cache(Chem.MolFromSmarts)
