"""The graph a run is asked of: its server or the runs in its place, and whether the questions fit it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg.errors import InputError
from kg.questions import QuestionSet
from kg.reactions import fingerprint_of, read_graph
from kg.server import Endpoint, RunningServer, connect, open_server
from kg.store import fingerprint, load, schema_text
from plugins.session._plan import Plan

if TYPE_CHECKING:
    import neo4j


@dataclass(frozen=True, slots=True)
class RunGraph:
    """A graph that answers and fits the questions.

    Attributes:
        schema: Schema text, as the prompts show it.
        fingerprint: Hash of the graph's content.
        kind: How its server came to be; ``none`` where rows come from runs that were.
        version: Version of the server that rows are from.
        notes: What cannot be enforced on the server, one sentence each.
        server: The server; None where there is none.
        replayed: Folders of the runs that rows come from, where there is no server.
    """

    schema: str
    fingerprint: str
    kind: str
    version: str
    notes: tuple[str, ...] = ()
    server: RunningServer | None = None
    replayed: tuple[Path, ...] = ()

    @property
    def endpoint(self) -> Endpoint | None:
        """How the server is reached; None where there is none."""
        return self.server.endpoint if self.server else None

    def lines(self) -> list[str]:
        """Return the lines of the terminal's header that say what is asked."""
        where = f"none, rows of {', '.join(map(str, self.replayed))}" if self.replayed else self.kind
        return [
            f"graph: Neo4j {self.version} ({where}), fingerprint {self.fingerprint[:12]}",
            *(f"note: {note}" for note in self.notes),
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the ``graph`` of the manifest."""
        return {
            "kind": self.kind,
            "version": self.version,
            "fingerprint": self.fingerprint,
            "schema": self.schema,
            "notes": list(self.notes),
        }

    def stop(self) -> None:
        """Stop the server where this run has one; may be called again."""
        if self.server:
            self.server.stop()


def graph_of(plan: Plan, announce: Callable[[str], None]) -> RunGraph:
    """Return the graph of a run: the one that replayed runs were asked of, or a server's.

    Args:
        plan: The plan of the run.
        announce: Called with one line for each thing the user should know.

    Raises:
        GraphError: As `open_graph`.
        InputError: As `open_graph`.
    """
    runs = plan.replay
    if runs is None:
        return open_graph(plan.options.graph, plan.question_set, announce)
    return RunGraph(runs.schema, runs.fingerprint, "none", runs.version, replayed=runs.paths)


def open_graph(spec: str, question_set: QuestionSet, announce: Callable[[str], None]) -> RunGraph:
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
            endpoint = server.endpoint
            schema = schema_text(driver, endpoint.database)
            return RunGraph(schema, found, endpoint.kind, endpoint.version, endpoint.notes, server)
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
