"""The claims of a written answer, as a model lists them: a JSON array, read strictly."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from retrocypher.prompts.extraction.json_fields import sole_json

_MOST = 500
_KEYS = {"subject", "predicate", "object"}
_OF_YIELD = {"product"}
_MOLECULE_FIRST = ("REACTS_IN",)
_REACTION_FIRST = ("PRODUCES", "USES_AGENT", "USES_SOLVENT")
_YIELD = "YIELD"
_LINK = "LEADS_TO"


@dataclass(frozen=True, slots=True)
class Triple:
    """One claim as a model states it, true or not.

    Attributes:
        subject: A molecule, or a reaction by its id (a text where the answer gives none).
        predicate: ``REACTS_IN``, ``PRODUCES``, ``USES_AGENT``, ``USES_SOLVENT``, ``YIELD`` or ``LEADS_TO``.
        object: A reaction, a molecule, or a yield in percent.
        product: For a yield, its molecule, where the claim names one.
    """

    subject: str | int
    predicate: str
    object: str | int | float
    product: str | None = None


@dataclass(frozen=True, slots=True)
class StatedClaims:
    """The claims of an answer as a model lists them.

    Attributes:
        triples: Those in the form asked for, each once.
        refused: For each of the others, why it is left out.
        malformed: Why the whole list cannot be read; None where it can.
    """

    triples: tuple[Triple, ...] = ()
    refused: tuple[str, ...] = ()
    malformed: str | None = None

    @property
    def verdict(self) -> str:
        """``listed``, ``partly`` (some claims refused) or ``malformed``."""
        return "malformed" if self.malformed else "partly" if self.refused else "listed"

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What a record says of the refused claims; empty where there are none."""
        told = {"malformed": self.malformed, "refused": list(self.refused)}
        kept = {name: value for name, value in told.items() if value}
        return [kept] if kept else []


class _MalformedError(ValueError):
    """The list cannot be read."""


def read_stated(reply: str) -> StatedClaims:
    """Read a list of claims: one JSON array and nothing else (`sole_json`).

    Text that the reply quotes from a question or a patent is thus not taken for the model's list.
    """
    try:
        entries = _array(reply)
    except ValueError as error:
        return StatedClaims(malformed=str(error))
    triples: dict[Triple, None] = {}
    refused: list[str] = []
    for number, entry in enumerate(entries, 1):
        try:
            triples[_triple(entry)] = None
        except _MalformedError as error:
            refused.append(f"claim {number}: {error}")
    return StatedClaims(tuple(triples), tuple(refused))


def _array(reply: str) -> list[Any]:
    found = sole_json(reply)
    if not isinstance(found, list):
        raise _MalformedError("not a JSON array")
    if len(found) > _MOST:
        raise _MalformedError(f"more than {_MOST} claims")
    return found


def _triple(entry: Any) -> Triple:
    if not isinstance(entry, Mapping):
        raise _MalformedError("not an object")
    predicate = entry.get("predicate")
    if predicate not in (*_MOLECULE_FIRST, *_REACTION_FIRST, _YIELD, _LINK):
        raise _MalformedError(f"no predicate {str(predicate)[:40]!r}")
    allowed = _KEYS | (_OF_YIELD if predicate == _YIELD else set())
    if wrong := [*_differing(set(entry), allowed)]:
        raise _MalformedError(", ".join(wrong))
    subject, value = entry["subject"], entry["object"]
    if predicate in _MOLECULE_FIRST:
        return Triple(_molecule(subject, "subject"), predicate, _reaction(value, "object"))
    if predicate in _REACTION_FIRST:
        return Triple(_reaction(subject, "subject"), predicate, _molecule(value, "object"))
    if predicate == _LINK:
        return Triple(_reaction(subject, "subject"), predicate, _reaction(value, "object"))
    product = entry.get("product")
    told = None if product is None else _molecule(product, "product")
    return Triple(_reaction(subject, "subject"), predicate, _percentage(value), told)


def _differing(found: set[str], allowed: set[str]) -> Iterator[str]:
    if missing := _KEYS - found:
        yield f"without {', '.join(sorted(missing))}"
    if more := found - allowed:
        yield f"with {', '.join(sorted(name[:40] for name in more))}"


def _molecule(value: Any, where: str) -> str:
    if isinstance(value, str) and value.strip() and not any(map(str.isspace, value.strip())):
        return value.strip()
    raise _MalformedError(f"the {where} is no SMILES")


def _reaction(value: Any, where: str) -> str | int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if isinstance(value, str) and 0 < len(value.strip()) <= 40:
        text = value.strip()
        return int(text) if text.isascii() and text.isdecimal() else text
    raise _MalformedError(f"the {where} is no reaction")


def _percentage(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise _MalformedError("the object is no number")
