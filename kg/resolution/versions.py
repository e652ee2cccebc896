"""Versions of a graph: made by a proposal, undone from their log, never changed in place."""

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec import Struct

from retrocypher.kg.audit.rules import audit
from retrocypher.kg.errors import InputError
from retrocypher.kg.graph import compact
from retrocypher.kg.graph.compact import read_graph, read_manifest
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.resolution.proposal import (
    Conflict,
    Decision,
    Keep,
    Proposal,
    Strategy,
    check_entries,
    find_conflicts,
)
from retrocypher.kg.yaml_files import read_yaml

LOG = "audit.jsonl"
_EDITABLE = "Only decisions may be edited: {keep: VALUE}, drop or review. Else make the proposal again."


class Change(Struct, frozen=True, omit_defaults=True):
    """A line of the log: one reaction before and after a decision.

    Attributes:
        when: In UTC, ISO 8601.
        version: Number of the version that it is part of, from 1.
        parent: Fingerprint of the graph that the version was made from.
        before: Absent if the reaction came back.
        after: Absent if the reaction was dropped.
        undoes: Number of the version that was reverted; absent if a proposal was applied.
    """

    when: str
    version: int
    parent: str
    rules: tuple[str, ...]
    strategy: Strategy
    decision: Decision
    before: Reaction | None = None
    after: Reaction | None = None
    undoes: int | None = None


def origin_of(folder: Path | None) -> str:
    """Return the fingerprint of the graph that was built, for it or a version of it; ids are the same."""
    log = _read_log(folder or compact.DEFAULT_GRAPH)
    return log[0].parent if log else str(read_manifest(folder)["fingerprint"])


def settled_in(folder: Path | None) -> frozenset[tuple[str, int]]:
    """Return the rules and reactions of the conflicts in which a value was kept, and that stand."""
    return frozenset(
        (rule, each.after.id)
        for each in _standing(_read_log(folder or compact.DEFAULT_GRAPH))
        if each.after is not None and isinstance(each.decision, Keep)
        for rule in each.rules
    )


def _standing(log: Sequence[Change]) -> list[Change]:
    """The changes that proposals made and that were not reverted since."""
    reverted = {each.undoes for each in log}
    return [each for each in log if each.undoes is None and each.version not in reverted]


def apply_proposal(
    folder: Path | None, file: Path, texts: Mapping[int, str], out: Path
) -> tuple[list[Change], int]:
    """Make a new version of a graph, as a proposal decides.

    Args:
        folder: The graph; None for the default one.
        file: The proposal.
        texts: Procedure texts by reaction, as the proposal was made with.
        out: Folder of the new version, absent or empty.

    Returns:
        The changes, and how many entries were left for review.

    Raises:
        InputError: The proposal is not one for this graph, or decides nothing; `out` cannot be used.
    """
    source = folder or compact.DEFAULT_GRAPH
    _require_new(out, source)
    proposal = read_yaml(file, Proposal, _EDITABLE)
    fingerprint = read_manifest(source)["fingerprint"]
    if proposal.graph != fingerprint:
        raise InputError(
            f"{file} is for the graph with fingerprint {proposal.graph[:12]}, and {source} has "
            f"{fingerprint[:12]}. Name its graph with --graph."
        )
    graph = {each.id: each for each in read_graph(source)}
    named = {number for entry in proposal.conflicts for number in entry.reactions}
    members = [each for each in graph.values() if each.id in named]
    records = compact.read_disputed(source)
    known = list(find_conflicts(members, list(audit(members, texts, records)), texts, records))
    check_entries(proposal, known, file)
    decided = [each for each in proposal.conflicts if each.decision != "review"]
    if not decided:
        raise InputError(f"{file} decides nothing: all its entries are left for review.")
    log = _read_log(source)
    start = (_now(), max((each.version for each in log), default=0) + 1, fingerprint)
    changes = []
    for entry, before, after in _decided(graph, decided, known):
        chosen_by = entry.strategy if entry.decision == entry.proposed else "by_hand"
        changes.append(Change(*start, entry.rules, chosen_by, entry.decision, before, after))
    about = {"parent": fingerprint, "proposal": sha256(file.read_bytes()).hexdigest()}
    _write(out, source, list(graph.values()), about, [*log, *changes])
    return changes, len(proposal.conflicts) - len(decided)


def revert(folder: Path, out: Path) -> list[Change]:
    """Make again the version before the last one that was applied and not reverted since, from the log alone.

    Raises:
        InputError: The graph has no such version, its log is damaged, or `out` cannot be used.
    """
    _require_new(out, folder)
    log = _read_log(folder)
    standing = _standing(log)
    if not standing:
        raise InputError(
            f"{folder} has no change to revert: no proposal was applied to it, or all were reverted."
        )
    last = [each for each in standing if each.version == max(each.version for each in standing)]
    fingerprint = read_manifest(folder)["fingerprint"]
    start = (_now(), max(each.version for each in log) + 1, fingerprint)
    graph = {each.id: each for each in read_graph(folder)}
    graph |= {each.before.id: each.before for each in reversed(last) if each.before}
    changes = [
        Change(*start, each.rules, each.strategy, each.decision, each.after, each.before, each.version)
        for each in reversed(last)
    ]
    reactions = sorted(graph.values(), key=lambda each: each.id)
    if fingerprint_of(reactions) != last[0].parent:
        raise InputError(
            f"{folder / LOG} does not lead back to the graph with fingerprint {last[0].parent[:12]}: one of "
            "them was changed. Use the folder of that graph."
        )
    _write(out, folder, reactions, {"parent": fingerprint, "proposal": None}, [*log, *changes])
    return changes


def _decided(
    graph: dict[int, Reaction], entries: Sequence[Conflict], known: Iterable[Conflict]
) -> Iterator[tuple[Conflict, Reaction, Reaction | None]]:
    """Decide conflicts in a graph, those between reactions last; yield each reaction before and after."""
    keys = {each.key for each in entries}
    disputed = {each.reactions[0] for each in known if "record_yields" in each.rules and each.key not in keys}
    between = [each for each in entries if each.about == "reaction"]
    for entry in entries:
        if entry.about != "reaction":
            before = graph[entry.reactions[0]]
            after = _with_yield(before, entry) if entry.about == "yield" else _with_role(before, entry)
            if "record_yields" in entry.rules:
                after = replace(after, yields_disputed=before.id in disputed)
            graph[before.id] = after
            yield entry, before, after
    spared = {entry.kept for entry in between}
    for entry in between:
        for number in entry.reactions:
            if number == entry.kept:
                continue
            if number in spared:
                raise InputError(
                    f"Reaction {number} is kept by one entry and dropped by another: keep or drop it."
                )
            if number in graph:
                yield entry, graph.pop(number), None


def _with_yield(reaction: Reaction, entry: Conflict) -> Reaction:
    value = None if entry.kept is None else float(entry.kept)
    yields = {**reaction.known_yields, entry.molecule: value}
    return replace(reaction, yields=tuple(map(yields.get, reaction.products)))


def _with_role(reaction: Reaction, entry: Conflict) -> Reaction:
    changed = reaction.only(lambda role, name: name != entry.molecule or role == entry.kept)
    if not changed.products or not changed.reactants:
        raise InputError(
            f"The decision about {entry.molecule} leaves reaction {reaction.id} without reactants or "
            "products. Keep another role, or leave it for review."
        )
    return changed


def _write(
    out: Path, source: Path, reactions: Sequence[Reaction], about: Mapping[str, object], log: Sequence[Change]
) -> None:
    """Write a version into a folder beside ``out``, then rename it, so that ``out`` is never half-made."""
    manifest = read_manifest(source)
    copied = [name for name in ("dropped.csv", compact.DISPUTED) if name in manifest.get("files", {})]
    others = {name: compact.listed_text(source, manifest, name) for name in copied}
    others[LOG] = msgspec.json.Encoder().encode_lines(log).decode()
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-", suffix=".partial") as beside:
            folder = Path(beside) / "graph"
            folder.mkdir()
            if (licence := source / "LICENSE").exists():
                shutil.copyfile(licence, folder / licence.name)
            compact.write_files(folder, reactions, {**manifest, **about}, others)
            folder.replace(out)
    except OSError as error:
        raise InputError(f"The graph cannot be written to {out}: {error.strerror}.") from error


def _require_new(out: Path, source: Path) -> None:
    if out.resolve().is_relative_to(source.resolve()):
        raise InputError(
            f"--out {out} is in the folder of the graph, which is never changed. Name another one."
        )
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise InputError(f"--out {out} exists already. Name a folder that is absent or empty.")


def _read_log(folder: Path) -> list[Change]:
    """Return the log of a graph; empty for a graph that was built."""
    manifest = read_manifest(folder)
    if LOG not in manifest.get("files", {}):
        return []
    try:
        return msgspec.json.Decoder(Change).decode_lines(compact.listed_text(folder, manifest, LOG))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{folder / LOG} is not the log of a graph: {error}.") from error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
