"""``retrocypher graph``: builds graphs from reactions, and runs Neo4j with one."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from retrocypher.kg.errors import GraphError, InputError
from retrocypher.kg.evidence.compact import fact_properties, read_evidence
from retrocypher.kg.evidence.confidence import default_model
from retrocypher.kg.graph.build import BuiltGraph, build_graph, open_source
from retrocypher.kg.graph.compact import DEFAULT_GRAPH, read_graph, read_manifest
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.loading import LoadReport, load
from retrocypher.kg.graph.reaction import FactProperties, Reaction, Rules
from retrocypher.kg.server.control import status
from retrocypher.kg.server.endpoint import Endpoint, ServerError, connect
from retrocypher.kg.server.engine import RunningServer
from retrocypher.kg.server.open import (
    Background,
    background_server,
    end_background,
    is_uri,
    leave_running,
    open_server,
    start_server,
    state_file,
)
from retrocypher.plugins.cli.console import FOLDER, built_graph_option, emit, former_option, json_option
from retrocypher.plugins.formatting.text import counted

if TYPE_CHECKING:
    import neo4j


_DEFAULT_SOURCES = ("orderly",)


@click.command("build")
@click.option(
    "--source",
    "specs",
    metavar="SPEC",
    multiple=True,
    default=_DEFAULT_SOURCES,
    show_default=True,
    help="orderly (the published wheel), orderly:FOLDER (an ORDerly export), smiles:FILE (mapped reaction "
    "SMILES), csv:FILE or jsonl:FILE; repeatable.",
)
@click.option(
    "--out", type=FOLDER, help="Folder for the graph; required unless the default graph is rebuilt."
)
@click.option("--sample", metavar="N", type=click.IntRange(min=1), help="Keep N reactions, chosen by --seed.")
@click.option("--seed", default=0, show_default=True, help="Seed of --sample.")
@click.option(
    "--min-count",
    metavar="K",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Repeatedly drop reactions with molecules that are in fewer than K reactions.",
)
@json_option
def build_command(
    specs: tuple[str, ...], out: Path | None, sample: int | None, seed: int, min_count: int, as_json: bool
) -> None:
    """Build a graph from reactions, and report what each rule dropped."""
    rules = Rules(min_count=min_count, sample=sample, seed=seed)
    folder = _folder(specs, rules, out)
    built = build_graph([open_source(spec) for spec in specs], rules)
    built.write(folder)
    manifest = read_manifest(folder)
    counts, fingerprint, report = manifest["counts"], manifest["fingerprint"], built.report
    emit(
        as_json,
        {
            "folder": str(folder),
            "fingerprint": fingerprint,
            "counts": counts,
            "read": report.read,
            "dropped": report.dropped(),
            "changed": report.changed(),
            "ignored_columns": report.ignored_columns(),
            "warnings": report.warnings(),
        },
        _report(built),
        ", ".join(counted(counts[f"{each}s"], each) for each in ("reaction", "molecule", "yield")),
        f"fingerprint {fingerprint}",
        f"written to {folder}",
    )


def _folder(specs: tuple[str, ...], rules: Rules, out: Path | None) -> Path:
    if out is not None:
        return out
    # Anything else would replace the committed graph, which the committed questions were made for.
    if specs != _DEFAULT_SOURCES or rules != Rules():
        raise InputError("Name a folder with --out FOLDER: only the default graph has a default folder.")
    return DEFAULT_GRAPH


def _report(built: BuiltGraph) -> str:
    rows = [("records read", built.report.read)]
    rows += [(f"dropped: {name}", count) for name, count in built.report.dropped().items()]
    rows += [(f"changed: {name}", count) for name, count in built.report.changed().items()]
    rows += [("reactions kept", len(built.reactions))]
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:<{width}}  {count:>9,}" for name, count in rows]
    # Quoted, because names from a file can have control characters.
    for file, names in built.report.ignored_columns().items():
        lines.append(f"ignored columns of {file}: {', '.join(map(repr, names))}")
    lines += [f"warning: {each}" for each in built.report.warnings()]
    return "\n".join(lines)


@click.command("up")
@built_graph_option
@click.option(
    "--server",
    "kind",
    type=click.Choice(["auto", "docker", "local"]),
    default="auto",
    show_default=True,
    help="Where Neo4j runs; auto is Docker, or a local process without Docker.",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="Bolt port on the loopback address (default: a free one).",
)
@click.option(
    "--evidence",
    "with_evidence",
    is_flag=True,
    help="Give the default graph's relationships their evidence and confidence as properties. It is then "
    "another graph, which a run with the shipped questions refuses.",
)
@json_option
def up_command(folder: Path | None, kind: str, port: int | None, with_evidence: bool, as_json: bool) -> None:
    """Start Neo4j with a graph, and keep it running for later runs."""
    reactions = read_graph(folder)
    more = None
    if with_evidence:
        more = fact_properties(reactions, read_evidence(reactions=reactions), default_model())
    found, outcome = _leave_running(folder, reactions, kind, port, more)
    emit(as_json, {"outcome": outcome, "server": _facts(found)}, _SAID[outcome], _described(found))


@click.command("down")
@json_option
def down_command(as_json: bool) -> None:
    """Stop the Neo4j that `up` started."""
    found = end_background()
    stopped = f"Stopped the server at {found.endpoint.uri}." if found else "No server is left running."
    emit(as_json, {"stopped": _facts(found) if found else None}, stopped)


@click.command("status")
@json_option
def status_command(as_json: bool) -> None:
    """Report whether Neo4j is running, and with which graph."""
    found = background_server()
    if not found:
        none = "No server is left running. Start one with `retrocypher graph up`."
        emit(as_json, {"server": None}, none)
        return
    state = status(found.endpoint)
    emit(
        as_json,
        {"server": {**_facts(found), "running": state.running, "replaced": state.generation}},
        _described(found),
        f"state        {'running' if state.running else 'crashed; the next run restarts it'}",
        f"replaced     {state.generation} times",
    )


@click.command("load")
@built_graph_option
@click.option("--server", metavar="URI", help="Your own server, with an empty database. Needs --yes.")
@former_option("--uri", "--server")
@click.option("--yes", is_flag=True, help="Confirm that the server given by --server may be written to.")
@json_option
def load_command(folder: Path | None, server: str | None, yes: bool, as_json: bool) -> None:
    """Load a graph into the Neo4j that `up` started, replacing its graph, or into your own server."""
    if server is None:
        made = _replace_graph(folder)
        emit(as_json, {"server": _facts(made)}, _described(made))
        return
    if not is_uri(server):
        raise InputError(f"--server {server}: expected an address such as bolt://localhost:7687.")
    if not yes:
        raise InputError("--server: a graph is written to your own server only with --yes.")
    endpoint, report = _load_into_given(server, read_graph(folder))
    emit(
        as_json,
        {"server": {"uri": endpoint.uri, "version": endpoint.version}, **asdict(report)},
        f"Loaded {counted(report.reactions, 'reaction')} into {endpoint.uri} in {report.seconds:.1f} s.",
    )


_SAID = {
    "started": "Started.",
    "restarted": "Restarted after a crash.",
    "running": "Already running with this graph.",
}


def _leave_running(
    folder: Path | None,
    reactions: Sequence[Reaction],
    kind: str,
    port: int | None,
    more: FactProperties | None = None,
) -> tuple[Background, str]:
    graph_fingerprint = fingerprint_of(reactions, more)

    def started() -> RunningServer:
        return start_server(
            kind,
            graph_fingerprint=graph_fingerprint,
            load_graph=_loader(reactions, more),
            port=port,
        )

    name = "the default graph" if folder is None else str(folder.resolve())
    name += "" if more is None else " with evidence"
    return leave_running(started, graph_fingerprint, name, kind=kind, port=port)


def _replace_graph(folder: Path | None) -> Background:
    # Read first: a graph that cannot be read must not stop the server.
    reactions = read_graph(folder)
    found = end_background()
    if not found:
        raise InputError(
            "No server is left running. Start one with `retrocypher graph up`, or name yours with --server."
        )
    # A new server on the new graph's store, at the same port, so that no client sees a half-loaded graph.
    port = urlsplit(found.endpoint.uri).port
    try:
        made, _ = _leave_running(folder, reactions, found.endpoint.kind, port)
    except GraphError as error:
        raise ServerError(
            f"{error}\nThe server with the former graph ({found.graph}) was stopped for the new one. "
            "No server is left running; start one with `retrocypher graph up`."
        ) from error
    return made


def _load_into_given(uri: str, reactions: Sequence[Reaction]) -> tuple[Endpoint, LoadReport]:
    given = open_server(uri, graph_fingerprint=fingerprint_of(reactions), load_graph=_loader(reactions))
    with given, connect(given.endpoint) as driver:
        return given.endpoint, load(driver, reactions, given.endpoint.database)


def _loader(
    reactions: Sequence[Reaction], more: FactProperties | None = None
) -> "Callable[[neo4j.Driver], object]":
    return lambda driver: load(driver, reactions, more=more)


def _facts(found: Background) -> dict[str, Any]:
    """Return how a server is reached; the password stays in its file."""
    endpoint = found.endpoint
    return {
        "uri": endpoint.uri,
        "version": endpoint.version,
        "kind": endpoint.kind,
        "user": endpoint.user,
        "password_file": str(state_file()),
        "graph": found.graph,
        "fingerprint": found.graph_fingerprint,
    }


def _described(found: Background) -> str:
    endpoint = found.endpoint
    return (
        f"server       {endpoint.uri} (Neo4j {endpoint.version}, {endpoint.kind})\n"
        f"user         {endpoint.user}; the password is in {state_file()}\n"
        f"graph        {found.graph}\n"
        f"fingerprint  {found.graph_fingerprint}"
    )
