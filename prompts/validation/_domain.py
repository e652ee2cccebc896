"""What the parts of a reaction graph are called."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from kg.schema import Schema

_FILE = "reaction_graph.yaml"
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PARTS = re.compile(r"[^a-z]+")


@dataclass(frozen=True, slots=True)
class Component:
    """A part of a reaction: the type of its relationship, and whether that points to the reaction."""

    name: str
    type: str
    into: bool


@dataclass(frozen=True, slots=True)
class Domain:
    """The names of ``reaction_graph.yaml``."""

    molecule: str
    molecule_name: str
    reaction: str
    reaction_id: str
    yield_type: str
    yield_name: str
    components: Mapping[str, Component]
    words: Mapping[str, frozenset[str]]

    def fits(self, schema: Schema) -> bool:
        """Whether a schema has all these names."""
        return (
            schema.has_property(self.molecule_name, self.molecule)
            and schema.has_property(self.reaction_id, self.reaction)
            and schema.has_property(self.yield_name, self.yield_type)
            and all(schema.has_type(each.type) for each in self.components.values())
        )

    def of_type(self, type_name: str) -> str | None:
        """The component that a relationship type leads to."""
        return next((each.name for each in self.components.values() if each.type == type_name), None)

    def hint(self, name: str | None) -> str | None:
        """The component that a name promises; None where it says nothing."""
        if not name:
            return None
        parts = [_singular(part) for part in _PARTS.split(_CAPITAL.sub("_", name).lower()) if part]
        spelled = {"_".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1)}
        return next((component for component, words in self.words.items() if words & spelled), None)


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


@cache
def load_domain() -> Domain:
    """Return the names, read at the first call."""
    data: dict[str, Any] = yaml.safe_load(
        resources.files("prompts.validation").joinpath(_FILE).read_text("utf-8")
    )
    return Domain(
        molecule=data["molecule"]["label"],
        molecule_name=data["molecule"]["property"],
        reaction=data["reaction"]["label"],
        reaction_id=data["reaction"]["property"],
        yield_type=data["yield"]["type"],
        yield_name=data["yield"]["property"],
        components={
            name: Component(name, each["type"], each["into"]) for name, each in data["components"].items()
        },
        words={name: frozenset(words) for name, words in data["words"].items()},
    )
