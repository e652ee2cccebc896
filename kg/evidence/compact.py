"""The evidence of the default graph on disk: one row a reaction, the same bytes wherever it is made."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from pathlib import Path

import msgspec

from retrocypher.kg.errors import InputError
from retrocypher.kg.evidence.confidence import ConfidenceModel
from retrocypher.kg.evidence.evidence import (
    FACT_KINDS,
    SOURCES,
    Evidence,
    Fact,
    FactKind,
    Source,
    Verdict,
    facts_of,
)
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.reaction import FactProperties, Reaction
from retrocypher.kg.paths import write_whole

DEFAULT_EVIDENCE = Path(__file__).parents[1] / "data" / "evidence"
"""Folder of the committed evidence."""

SCHEMA_VERSION = 1
_FILE = "evidence.csv"
_MANIFEST = "manifest.json"
_CODES = dict(zip(SOURCES, "ldmny", strict=True))
"""In lower case the source agrees, in upper case it differs."""
_VERDICTS: tuple[Verdict, Verdict] = ("agrees", "differs")
_SOURCES = {code: source for source, code in _CODES.items()}
_CELL = re.compile(r"-|(?P<codes>[ldmny]*)(?:(?P<start>\d{1,7})\+(?P<length>\d{1,7}))?", re.IGNORECASE)


def write_evidence(folder: Path, evidence: Sequence[Evidence], about: Mapping[str, object]) -> None:
    """Write evidence in compact form, its manifest with ``about``; raise InputError if that fails.

    The files are ``evidence.csv`` and ``manifest.json``. Evidence has the order of `facts_of`.
    """
    text = "reaction,evidence\n" + "".join(
        f"{reaction},{' '.join(map(_cell, facts))}\n"
        for reaction, facts in groupby(evidence, key=lambda each: each.fact.reaction)
    )
    manifest = {
        "schema_version": SCHEMA_VERSION,
        **about,
        "counts": msgspec.to_builtins(coverage(evidence)),
        "files": {_FILE: sha256(text.encode()).hexdigest()},
    }
    write_whole(folder / _FILE, text)
    write_whole(folder / _MANIFEST, json.dumps(manifest, indent=2) + "\n")


def fact_properties(
    reactions: Sequence[Reaction], evidence: Iterable[Evidence], model: ConfidenceModel
) -> FactProperties:
    """Return evidence as properties of relationships; lists that would be empty are left out.

    ``confidence`` and, of a ``PRODUCES`` with a yield, ``yieldConfidence`` are probabilities from 0 to 1, to
    four places. ``evidence`` and ``disputedBy`` name the sources that agree and differ. ``sourceFile``,
    ``sourceRow`` (from 1) and ``grantMonth`` are those of the record, and ``span`` is the place of the name
    in the procedure text: first character and the one after the last, such as ``12-25``.
    """
    records = {each.id: each.source for each in reactions}
    evidence = tuple(evidence)
    confidences = model.confidences(evidence)
    properties: dict[tuple[int, str, str], dict[str, object]] = {}
    for each in evidence:
        fact = each.fact
        # Rounded, so that the fingerprint does not depend on the machine's logarithm.
        confidence = round(confidences[fact], 4)
        if fact.kind == "yield":
            properties[fact.reaction, "PRODUCES", fact.molecule]["yieldConfidence"] = confidence
            continue
        source = records[fact.reaction]
        values: dict[str, object] = {
            "confidence": confidence,
            "evidence": [name for name, verdict in each.verdicts if verdict == "agrees"] or None,
            "disputedBy": [name for name, verdict in each.verdicts if verdict == "differs"] or None,
            "sourceFile": source and source.file,
            "sourceRow": source and source.row,
            "grantMonth": source and source.grant_date,
            "span": each.span and f"{each.span[0]}-{each.span[1]}",
        }
        key = fact.reaction, fact.kind, fact.molecule
        properties[key] = {name: value for name, value in values.items() if value is not None}
    return properties


class Coverage(msgspec.Struct):
    """How many facts of a kind there are, and have a span, and what the sources say of them."""

    facts: int = 0
    span: int = 0
    agrees: dict[Source, int] = msgspec.field(default_factory=lambda: dict.fromkeys(SOURCES, 0))
    differs: dict[Source, int] = msgspec.field(default_factory=lambda: dict.fromkeys(SOURCES, 0))


def coverage(evidence: Iterable[Evidence]) -> dict[FactKind, Coverage]:
    """Return the coverage of each kind of fact that there is."""
    counts: dict[FactKind, Coverage] = {}
    for each in evidence:
        count = counts.setdefault(each.fact.kind, Coverage())
        count.facts += 1
        count.span += each.span is not None
        for source, verdict in each.verdicts:
            (count.agrees if verdict == "agrees" else count.differs)[source] += 1
    return {kind: counts[kind] for kind in FACT_KINDS if kind in counts}


def read_evidence(
    folder: Path | None = None, reactions: Sequence[Reaction] | None = None
) -> tuple[Evidence, ...]:
    """Return the evidence in a folder (None: the committed one), in the order of `facts_of`.

    Args:
        reactions: The graph that it must belong to; None is the default graph.

    Raises:
        InputError: A file is missing or damaged, or the evidence belongs to another graph.
    """
    folder = folder or DEFAULT_EVIDENCE
    reactions = read_graph() if reactions is None else reactions
    try:
        manifest = json.loads((folder / _MANIFEST).read_bytes())
        if (version := manifest["schema_version"]) != SCHEMA_VERSION:
            raise ValueError(f"it has form {version!r}, this version reads form {SCHEMA_VERSION}")
        content, digest = (folder / _FILE).read_bytes(), manifest["files"][_FILE]
        if sha256(content).hexdigest() != digest:
            raise ValueError(f"{_FILE} is not the file that {_MANIFEST} describes")
        if (found := fingerprint_of(reactions)) != (named := str(manifest["graph_fingerprint"])):
            raise InputError(
                f"The evidence in {folder} belongs to the graph {named[:12]}, not to {found[:12]}. "
                "Evidence is made for the default graph only."
            )
        rows = content.decode().splitlines()[1:]
        pairs = zip(reactions, rows, strict=True)
        return tuple(each for reaction, row in pairs for each in _evidence(reaction, row))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(
            f"The evidence in {folder} cannot be read: {error}. Make it again with "
            "'retrocypher graph evidence', or install RetroCypher again."
        ) from error


def _cell(evidence: Evidence) -> str:
    codes = (_CODES[s] if verdict == "agrees" else _CODES[s].upper() for s, verdict in evidence.verdicts)
    place = f"{evidence.span[0]}+{evidence.span[1] - evidence.span[0]}" if evidence.span else ""
    return "".join(codes) + place or "-"


def _evidence(reaction: Reaction, row: str) -> Iterator[Evidence]:
    number, cells = row.split(",")
    if number != str(reaction.id):
        raise ValueError(f"reaction {number!r} stands where {reaction.id} is expected")
    for fact, cell in zip(facts_of(reaction), cells.split(" "), strict=True):
        yield _read_cell(fact, cell)


def _read_cell(fact: Fact, cell: str) -> Evidence:
    match = _CELL.fullmatch(cell)
    if not cell or match is None:
        raise ValueError(f"{cell!r} of reaction {fact.reaction} is no evidence")
    codes = match["codes"] or ""
    verdicts = tuple((_SOURCES[each.lower()], _VERDICTS[each.isupper()]) for each in codes)
    start = int(match["start"] or 0)
    return Evidence(fact, verdicts, (start, start + int(match["length"])) if match["length"] else None)
