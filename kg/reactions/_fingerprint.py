"""The fingerprint: a hash of what a graph holds, the same for reactions in memory and for the live graph."""

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256

from kg.reactions._model import Reaction

_FORM = "reaction-graph-1"
# Values a property may hold but JSON may not (dates, points) are told apart well enough by their repr.
_JSON = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=repr)


def node_line(labels: Iterable[str], properties: Mapping[str, object]) -> str:
    """Return the line that stands for a node: its labels, sorted, and its properties, by name."""
    return _JSON.encode([sorted(labels), _unsigned(properties)])


def relationship_line(start: str, kind: str, properties: Mapping[str, object], end: str) -> str:
    """Return the line that stands for a relationship between the nodes of two `node_line`s."""
    return f"{start} {_JSON.encode([kind, _unsigned(properties)])} {end}"


def _unsigned(properties: Mapping[str, object]) -> dict[str, object]:
    # 0.0 and -0.0 are equal, in Cypher too, but are not written alike.
    return {name: value or 0.0 if isinstance(value, float) else value for name, value in properties.items()}


def fingerprint_of_lines(lines: Iterable[str]) -> str:
    """Return the SHA-256 (hexadecimal) of the lines of all nodes and relationships, in any order."""
    digest = sha256(_FORM.encode())
    for line in sorted(lines):
        digest.update(b"\n")
        digest.update(line.encode())
    return digest.hexdigest()


def fingerprint_of(reactions: Iterable[Reaction]) -> str:
    """Return the fingerprint of the graph that these reactions make.

    It changes with any molecule, role, yield or identifier and with nothing else: neither the order of
    reactions nor that of molecules within a role matters, nor does where a reaction came from. The live
    graph gives the same value (`kg.store.fingerprint`), unless it holds anything besides.
    """
    return fingerprint_of_lines(_lines(reactions))


def _lines(reactions: Iterable[Reaction]) -> Iterator[str]:
    molecules: dict[str, str] = {}

    def line_of(name: str) -> str:
        if name not in molecules:
            molecules[name] = node_line(("Molecule",), {"name": name})
        return molecules[name]

    for reaction in reactions:
        here = node_line(("Reaction",), {"id": reaction.id})
        yield here
        for name in reaction.reactants:
            yield relationship_line(line_of(name), "REACTS_IN", {}, here)
        for name, value in zip(reaction.products, reaction.yields, strict=True):
            properties = {} if value is None else {"yield": float(value)}
            yield relationship_line(here, "PRODUCES", properties, line_of(name))
        for name in reaction.agents:
            yield relationship_line(here, "USES_AGENT", {}, line_of(name))
        for name in reaction.solvents:
            yield relationship_line(here, "USES_SOLVENT", {}, line_of(name))
    yield from molecules.values()
