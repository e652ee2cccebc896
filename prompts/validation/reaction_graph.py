"""The names that the parts of a reaction graph have in a schema, as ``reaction_graph.yaml`` gives them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from retrocypher.kg.semantics.schema import Schema

_FILE = "reaction_graph.yaml"


@dataclass(frozen=True, slots=True)
class Component:
    """A part of a reaction: the type of its relationship, and whether that points to the reaction."""

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

    def fits(self, schema: Schema) -> bool:
        """Whether a schema has all these names."""
        return (
            schema.has_property(self.molecule_name, self.molecule)
            and schema.has_property(self.reaction_id, self.reaction)
            and schema.has_property(self.yield_name, self.yield_type)
            and all(schema.has_type(each.type) for each in self.components.values())
        )


@cache
def load_domain() -> Domain:
    """Return the names, read at the first call."""
    data: dict[str, Any] = yaml.safe_load(resources.files(__package__).joinpath(_FILE).read_text("utf-8"))
    return Domain(
        molecule=data["molecule"]["label"],
        molecule_name=data["molecule"]["property"],
        reaction=data["reaction"]["label"],
        reaction_id=data["reaction"]["property"],
        yield_type=data["yield"]["type"],
        yield_name=data["yield"]["property"],
        components={name: Component(each["type"], each["into"]) for name, each in data["components"].items()},
    )
