"""``retrocypher graph up|down|status|load``: a Neo4j that holds the graph for many runs."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from kg.errors import GraphError, InputError
from kg.reactions import Reaction, fingerprint_of, read_graph
from kg.server import (
    Background,
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
from kg.store import load

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
def up_command(folder: Path | None, kind: str, port: int | None) -> None:
    """Start Neo4j with a graph, and leave it running for many runs."""
    found, outcome = _leave_running(folder, read_graph(folder), kind, port)
    click.echo(_SAID[outcome])
    _describe(found)


@click.command("down")
def down_command() -> None:
    """Stop the Neo4j that `up` left running."""
    found = end_background(click.echo)
    click.echo(f"Stopped the server at {found.endpoint.uri}." if found else "No server is left running.")


@click.command("status")
def status_command() -> None:
    """Say whether a Neo4j is left running, and with which graph."""
    found = background_server(click.echo)
    if not found:
        click.echo("No server is left running. Start one with `retrocypher graph up`.")
        return
    _describe(found)
    state = status(found.endpoint)
    click.echo(f"state        {'running' if state.running else 'fallen; the next run starts it again'}")
    click.echo(f"replaced     {state.generation} times")


@click.command("load")
@_graph_option
@click.option("--uri", metavar="URI", help="A server of your own; its database must be empty. Needs --yes.")
@click.option("--yes", is_flag=True, help="Agree that the server given by --uri is written to.")
def load_command(folder: Path | None, uri: str | None, yes: bool) -> None:
    """Load a graph into the Neo4j that `up` left running, in place of its own, or into one of yours."""
    if uri is None:
        _replace_graph(folder)
        return
    if not is_uri(uri):
        raise InputError(f"--uri {uri}: expected an address such as bolt://localhost:7687.")
    if not yes:
        raise InputError("--uri: a graph is written into your own server only with --yes.")
    _load_into_given(uri, read_graph(folder))


_SAID = {
    "started": "Started.",
    "restarted": "Started again: it had fallen.",
    "running": "Runs already with this graph.",
}


def _leave_running(
    folder: Path | None, reactions: Sequence[Reaction], kind: str, port: int | None
) -> tuple[Background, str]:
    graph_fingerprint = fingerprint_of(reactions)

    def started() -> RunningServer:
        return start_server(
            kind,
            graph_fingerprint=graph_fingerprint,
            fill=_loader(reactions),
            announce=click.echo,
            port=port,
        )

    return leave_running(started, graph_fingerprint, _name(folder), announce=click.echo, kind=kind, port=port)


def _replace_graph(folder: Path | None) -> None:
    # Read before anything is ended: a graph that cannot be read must not cost the server.
    reactions = read_graph(folder)
    found = end_background(click.echo)
    if not found:
        raise InputError(
            "No server is left running. Start one with `retrocypher graph up`, or name yours with --uri."
        )
    # A new server on the new graph's store, at the old one's port: nobody meets a half-loaded graph.
    port = urlsplit(found.endpoint.uri).port
    try:
        made, _ = _leave_running(folder, reactions, found.endpoint.kind, port)
    except GraphError as error:
        raise ServerError(
            f"{error}\nThe server with the former graph ({found.graph}) was stopped for the new one. "
            "No server is left running; start one with `retrocypher graph up`."
        ) from error
    _describe(made)


def _load_into_given(uri: str, reactions: Sequence[Reaction]) -> None:
    given = open_server(
        uri, graph_fingerprint=fingerprint_of(reactions), fill=_loader(reactions), announce=click.echo
    )
    with given, connect(given.endpoint) as driver:
        report = load(driver, reactions, given.endpoint.database)
    click.echo(f"Loaded {report.reactions:,} reactions into {given.endpoint.uri} in {report.seconds:.1f} s.")


def _loader(reactions: Sequence[Reaction]) -> "Callable[[neo4j.Driver], object]":
    return lambda driver: load(driver, reactions)


def _name(folder: Path | None) -> str:
    return "the default graph" if folder is None else str(folder.resolve())


def _describe(found: Background) -> None:
    endpoint = found.endpoint
    click.echo(
        f"server       {endpoint.uri} (Neo4j {endpoint.version}, {endpoint.kind})\n"
        f"user         {endpoint.user}; the password is in {state_file()}\n"
        f"graph        {found.graph}\n"
        f"fingerprint  {found.graph_fingerprint}"
    )
