"""Nodes as rows of a result hold them."""

from typing import Any


def molecule(name: str) -> dict[str, Any]:
    return {"$node": {"id": f"m{name}", "labels": ["Molecule"], "properties": {"name": name}}}


def reaction(number: int) -> dict[str, Any]:
    return {"$node": {"id": f"r{number}", "labels": ["Reaction"], "properties": {"id": number}}}
