"""The graph a run is asked of: its server, what it holds, and whether the questions fit it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from kg.errors import InputError
from kg.questions import QuestionSet
from kg.reactions import fingerprint_of, read_graph
from kg.server import Endpoint, RunningServer, connect, open_server
from kg.store import fingerprint, load, schema_text

if TYPE_CHECKING:
    import neo4j


@dataclass(frozen=True, slots=True)
class LiveGraph:
    """A graph that answers and fits the questions.

    Attributes:
        server: The server; stop it when done.
        schema: Schema text, as the prompts show it.
        fingerprint: Hash of the graph's content.
    """

    server: RunningServer
    schema: str
    fingerprint: str


def open_graph(spec: str, question_set: QuestionSet, announce: Callable[[str], None]) -> LiveGraph:
    """Start or reach the server and check that it holds the questions' graph.

    Args:
        spec: ``auto``, ``docker``, ``local`` or a URI.
        question_set: The questions to be asked.
        announce: Called with one line for each thing the user should know.

    Raises:
        GraphError: If the server cannot be started or reached.
        InputError: If the graph is not the one the questions were made for.
    """
    shipped = cache(read_graph)

    def require_shipped() -> None:
        if fingerprint_of(shipped()) != question_set.fingerprint:
            raise InputError(
                f"the questions were made for graph {question_set.fingerprint[:12]}, which is not the "
                "shipped one; start a server that holds it with `retrocypher graph up --graph DIR` first"
            )

    def fill(driver: "neo4j.Driver") -> None:
        load(driver, shipped())

    server = open_server(
        spec,
        graph_fingerprint=question_set.fingerprint,
        fill=fill,
        announce=announce,
        before_fill=require_shipped,
    )
    try:
        with connect(server.endpoint) as driver:
            found = fingerprint(driver, server.endpoint.database)
            if found != question_set.fingerprint:
                raise InputError(_mismatch(server.endpoint, question_set, found))
            return LiveGraph(server, schema_text(driver, server.endpoint.database), found)
    except BaseException:
        server.stop()
        raise


def _mismatch(endpoint: Endpoint, question_set: QuestionSet, found: str) -> str:
    remedy = "build questions for it with `retrocypher questions build`, or name its set with --questions"
    if not endpoint.owned:
        remedy = f"load the right one with `retrocypher graph load --uri URI --yes`, or {remedy}"
    return (
        f"the graph at {endpoint.uri} (fingerprint {found[:12]}) is not the one the questions were made for "
        f"({question_set.fingerprint[:12]}); {remedy}"
    )
