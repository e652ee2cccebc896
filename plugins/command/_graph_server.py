"""``retrocypher graph up|down|status|load``: a Neo4j that holds the graph for many runs."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from kg.errors import GraphError, InputError
from kg.reactions import Reaction, fingerprint_of, read_graph
from kg.server import (
    Background,
    Endpoint,
    RunningServer,
    ServerError,
    background_server,
    connect,
    end_background,
    is_uri,
    leave_running,
    open_server,
    start_server,
    state_file,
    status,
)
from kg.store import LoadReport, load
from plugins.command._json import announcer, json_option, print_json
from plugins.terminal import counted

if TYPE_CHECKING:
    import neo4j

_graph_option = click.option(
    "--graph",
    "folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Graph made by `retrocypher graph build`; the default graph where absent.",
)


@click.command("up")
@_graph_option
@click.option(
    "--server",
    "kind",
    type=click.Choice(["auto", "docker", "local"]),
    default="auto",
    show_default=True,
    help="Where Neo4j runs; auto is Docker, or a local process where there is no Docker.",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="Bolt port on the loopback address; any free one where absent.",
)
@json_option
def up_command(folder: Path | None, kind: str, port: int | None, as_json: bool) -> None:
    """Start Neo4j with a graph, and leave it running for many runs."""
    found, outcome = _leave_running(folder, read_graph(folder), kind, port, announcer(as_json))
    if as_json:
        print_json({"outcome": outcome, "server": _facts(found)})
        return
    click.echo(_SAID[outcome])
    _describe(found)


@click.command("down")
@json_option
def down_command(as_json: bool) -> None:
    """Stop the Neo4j that `up` left running."""
    found = end_background(announcer(as_json))
    if as_json:
        print_json({"stopped": _facts(found) if found else None})
        return
    click.echo(f"Stopped the server at {found.endpoint.uri}." if found else "No server is left running.")


@click.command("status")
@json_option
def status_command(as_json: bool) -> None:
    """Say whether a Neo4j is left running, and with which graph."""
    found = background_server(announcer(as_json))
    if not found:
        if as_json:
            print_json({"server": None})
        else:
            click.echo("No server is left running. Start one with `retrocypher graph up`.")
        return
    if as_json:
        state = status(found.endpoint)
        print_json({"server": {**_facts(found), "running": state.running, "replaced": state.generation}})
        return
    _describe(found)
    state = status(found.endpoint)
    click.echo(f"state        {'running' if state.running else 'fallen; the next run starts it again'}")
    click.echo(f"replaced     {state.generation} times")


@click.command("load")
@_graph_option
@click.option("--uri", metavar="URI", help="A server of your own; its database must be empty. Needs --yes.")
@click.option("--yes", is_flag=True, help="Agree that the server given by --uri is written to.")
@json_option
def load_command(folder: Path | None, uri: str | None, yes: bool, as_json: bool) -> None:
    """Load a graph into the Neo4j that `up` left running, in place of its own, or into one of yours."""
    if uri is None:
        made = _replace_graph(folder, announcer(as_json))
        if as_json:
            print_json({"server": _facts(made)})
        else:
            _describe(made)
        return
    if not is_uri(uri):
        raise InputError(f"--uri {uri}: expected an address such as bolt://localhost:7687.")
    if not yes:
        raise InputError("--uri: a graph is written into your own server only with --yes.")
    endpoint, report = _load_into_given(uri, read_graph(folder), announcer(as_json))
    if as_json:
        print_json({"server": {"uri": endpoint.uri, "version": endpoint.version}, **asdict(report)})
        return
    click.echo(
        f"Loaded {counted(report.reactions, 'reaction')} into {endpoint.uri} in {report.seconds:.1f} s."
    )


_SAID = {
    "started": "Started.",
    "restarted": "Started again: it had fallen.",
    "running": "Runs already with this graph.",
}


def _leave_running(
    folder: Path | None,
    reactions: Sequence[Reaction],
    kind: str,
    port: int | None,
    announce: Callable[[str], None],
) -> tuple[Background, str]:
    graph_fingerprint = fingerprint_of(reactions)

    def started() -> RunningServer:
        return start_server(
            kind,
            graph_fingerprint=graph_fingerprint,
            fill=_loader(reactions),
            announce=announce,
            port=port,
        )

    return leave_running(started, graph_fingerprint, _name(folder), announce=announce, kind=kind, port=port)


def _replace_graph(folder: Path | None, announce: Callable[[str], None]) -> Background:
    # Read before anything is ended: a graph that cannot be read must not cost the server.
    reactions = read_graph(folder)
    found = end_background(announce)
    if not found:
        raise InputError(
            "No server is left running. Start one with `retrocypher graph up`, or name yours with --uri."
        )
    # A new server on the new graph's store, at the old one's port: nobody meets a half-loaded graph.
    port = urlsplit(found.endpoint.uri).port
    try:
        made, _ = _leave_running(folder, reactions, found.endpoint.kind, port, announce)
    except GraphError as error:
        raise ServerError(
            f"{error}\nThe server with the former graph ({found.graph}) was stopped for the new one. "
            "No server is left running; start one with `retrocypher graph up`."
        ) from error
    return made


def _load_into_given(
    uri: str, reactions: Sequence[Reaction], announce: Callable[[str], None]
) -> tuple[Endpoint, LoadReport]:
    given = open_server(
        uri, graph_fingerprint=fingerprint_of(reactions), fill=_loader(reactions), announce=announce
    )
    with given, connect(given.endpoint) as driver:
        return given.endpoint, load(driver, reactions, given.endpoint.database)


def _loader(reactions: Sequence[Reaction]) -> "Callable[[neo4j.Driver], object]":
    return lambda driver: load(driver, reactions)


def _name(folder: Path | None) -> str:
    return "the default graph" if folder is None else str(folder.resolve())


def _facts(found: Background) -> dict[str, Any]:
    """Say how a server is reached; the password stays in its file."""
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


def _describe(found: Background) -> None:
    endpoint = found.endpoint
    click.echo(
        f"server       {endpoint.uri} (Neo4j {endpoint.version}, {endpoint.kind})\n"
        f"user         {endpoint.user}; the password is in {state_file()}\n"
        f"graph        {found.graph}\n"
        f"fingerprint  {found.graph_fingerprint}"
    )
