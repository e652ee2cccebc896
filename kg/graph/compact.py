"""The compact form of a graph on disk: text files with the same bytes wherever they are made."""

import csv
import io
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.cleaning import Report, key_of
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.reaction import ROLES, Reaction, RecordYield, Source

DEFAULT_GRAPH = Path(__file__).parents[1] / "data" / "graph"
"""Folder of the committed default graph."""

SCHEMA_VERSION = 1
_REACTION_COLUMNS = ("id", *ROLES, "yields")
_SOURCE_COLUMNS = ("id", "file", "row", "grant_date", "original")
_DROP_COLUMNS = ("rule", "file", "row", "detail")
_DISPUTED_COLUMNS = ("id", "product", "yield", "file", "row", "grant_date")
DISPUTED = "disputed.csv"
_READ = ("molecules.txt", "reactions.csv", "sources.csv")
_ABSENT = "-"


def write_graph(
    folder: Path, reactions: Sequence[Reaction], report: Report, about: Mapping[str, object]
) -> None:
    """Write a graph in compact form, its manifest with ``about``; raise InputError if that fails.

    The files are ``molecules.txt``, ``reactions.csv``, ``sources.csv``, ``dropped.csv``, ``disputed.csv``,
    ``manifest.json``.
    """
    entries: dict[str, object] = {
        # What `write_files` sets has its place in the manifest here.
        **dict.fromkeys(("schema_version", "fingerprint", "counts")),
        "records_read": report.read,
        "dropped": report.dropped(),
        "disputed_yields": None,
        "changed": report.changed(),
        **about,
    }
    files = {
        "dropped.csv": _csv(_DROP_COLUMNS, [(d.rule, d.file, d.row, d.detail) for d in report.drops]),
        DISPUTED: _csv(_DISPUTED_COLUMNS, list(_disputed(reactions, report))),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_files(folder, reactions, entries, files)
    except OSError as error:
        raise InputError(f"The graph cannot be written to {folder}: {error.strerror}.") from error


def write_files(
    folder: Path, reactions: Sequence[Reaction], entries: Mapping[str, object], others: Mapping[str, str]
) -> None:
    """Write reactions and other files, by name, into a folder, and the manifest last; raise OSError.

    Args:
        entries: Entries of the manifest; those that reactions and files determine are replaced or added.
    """
    names = sorted({name for reaction in reactions for name in reaction.molecules})
    line = {name: number for number, name in enumerate(names, start=1)}
    sources = [
        (r.id, r.source.file, r.source.row, r.source.grant_date or "", r.source.original)
        for r in reactions
        if r.source
    ]
    files = {
        "molecules.txt": "".join(f"{name}\n" for name in names),
        "reactions.csv": _csv(_REACTION_COLUMNS, [_reaction_row(r, line) for r in reactions]),
        "sources.csv": _csv(_SOURCE_COLUMNS, sources),
        **others,
    }
    manifest = {
        **entries,
        "schema_version": SCHEMA_VERSION,
        "fingerprint": fingerprint_of(reactions),
        "counts": _counts(reactions, len(names)),
        "disputed_yields": [reaction.id for reaction in reactions if reaction.yields_disputed],
        "files": {name: sha256(text.encode()).hexdigest() for name, text in files.items()},
    }
    files["manifest.json"] = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())


def _disputed(reactions: Sequence[Reaction], report: Report) -> Iterator[tuple[object, ...]]:
    for reaction in reactions:
        for record in report.disputed.get(key_of(reaction), ()):
            for product, value in zip(record.products, record.yields, strict=True):
                if value is not None and (source := record.source):
                    place = (source.file, source.row, source.grant_date or "")
                    yield (reaction.id, product, repr(value), *place)


def read_manifest(path: Path | None = None) -> dict[str, Any]:
    """Return the manifest of a graph (None: the default one); raise InputError if it cannot be read."""
    folder = DEFAULT_GRAPH if path is None else path
    try:
        manifest: dict[str, Any] = json.loads(_text(folder, "manifest.json"))
        version = manifest["schema_version"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{folder / 'manifest.json'} is not the manifest of a graph: {error}.") from error
    if version != SCHEMA_VERSION:
        raise InputError(
            f"The graph in {folder} has form {version}, this version reads form {SCHEMA_VERSION}. "
            "Make it again with 'retrocypher graph build'."
        )
    return manifest


def read_graph(path: Path | None = None) -> tuple[Reaction, ...]:
    """Return the reactions of a graph (None: the default one); raise InputError if a file is damaged."""
    folder = DEFAULT_GRAPH if path is None else path
    manifest = read_manifest(folder)
    disputed = frozenset(manifest.get("disputed_yields", ()))
    texts = {name: listed_text(folder, manifest, name) for name in _READ}
    molecules = texts["molecules.txt"].splitlines()
    sources = {
        int(number): Source(file, int(row), original, grant_date or None)
        for number, file, row, grant_date, original in _rows(texts["sources.csv"])
    }
    reactions = (_reaction(row, molecules, sources) for row in _rows(texts["reactions.csv"]))
    return tuple(replace(each, yields_disputed=True) if each.id in disputed else each for each in reactions)


def read_disputed(path: Path | None = None) -> dict[int, list[RecordYield]]:
    """Return the yields that records give, by the reactions whose yields are disputed.

    Empty for graphs that an earlier version has built. Raise InputError if the file is damaged.
    """
    folder = DEFAULT_GRAPH if path is None else path
    manifest = read_manifest(folder)
    found: dict[int, list[RecordYield]] = defaultdict(list)
    if DISPUTED in manifest.get("files", {}):
        for number, product, value, file, row, date in _rows(listed_text(folder, manifest, DISPUTED)):
            each = RecordYield(int(number), product, float(value), file, int(row), date or None)
            found[each.reaction].append(each)
    return dict(found)


def listed_text(folder: Path, manifest: Mapping[str, Any], name: str) -> str:
    """Return the text of a file; raise InputError if it is not the one with the hash in the manifest."""
    text = _text(folder, name)
    if manifest.get("files", {}).get(name) != sha256(text.encode()).hexdigest():
        raise InputError(
            f"{folder / name} is not the file that its manifest describes. "
            "Make the graph again: 'retrocypher graph build', or 'apply' or 'revert' for a version."
        )
    return text


def _text(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_bytes().decode()
    except FileNotFoundError as error:
        raise InputError(
            f"{folder} holds no graph: {name} is missing. "
            "Give a folder that 'retrocypher graph build', 'apply' or 'revert' has written."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{folder / name} cannot be read: {error}.") from error


def _csv(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))[1:]


def _reaction_row(reaction: Reaction, line: Mapping[str, int]) -> tuple[object, ...]:
    numbers = (" ".join(str(line[name]) for name in role) for role in reaction.roles)
    yields = " ".join(_ABSENT if value is None else repr(value) for value in reaction.yields)
    return (reaction.id, *numbers, yields)


def _reaction(row: list[str], molecules: list[str], sources: Mapping[int, Source]) -> Reaction:
    number, *roles, yields = row
    reactants, products, agents, solvents = (
        tuple(molecules[int(line) - 1] for line in role.split()) for role in roles
    )
    values = tuple(None if value == _ABSENT else float(value) for value in yields.split())
    return Reaction(int(number), reactants, products, agents, solvents, values, sources.get(int(number)))


def _counts(reactions: Sequence[Reaction], molecules: int) -> dict[str, object]:
    sizes = Counter(len(reaction.products) for reaction in reactions)
    return {
        "reactions": len(reactions),
        "molecules": molecules,
        "yields": sum(value is not None for r in reactions for value in r.yields),
        "reactions_by_products": {str(size): sizes[size] for size in sorted(sizes)},
    }
