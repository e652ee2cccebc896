"""What the manifest says of a run: before the first case, and after the last."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET, convert

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint, fingerprint_of
from retrocypher.kg.graph.loading import load, schema_text
from retrocypher.kg.questions.reading import QuestionSet
from retrocypher.kg.semantics.schema import parse_schema
from retrocypher.kg.server.endpoint import Endpoint, connect
from retrocypher.kg.server.engine import RunningServer
from retrocypher.kg.server.open import graph_folder, open_server, open_uri
from retrocypher.kg.server.process import java_version
from retrocypher.kg.suites.suite import SUITE_FILE, SuiteFile
from retrocypher.plugins.judge.criteria import judge_facts, model_entry
from retrocypher.plugins.runs.manifest import (
    GraphEntry,
    Manifest,
    Prices,
    PromptSetEntry,
    QuestionsEntry,
    code_facts,
    machine,
)
from retrocypher.plugins.runs.record import fields_of
from retrocypher.plugins.session.plan import Plan
from retrocypher.plugins.session.suites import TableSuite, require_known_names
from retrocypher.prompts.models.openai_client import api_address
from retrocypher.prompts.templates.abstention import addendum_sha256
from retrocypher.prompts.templates.exemplars import bank_sha256
from retrocypher.prompts.templates.template import prompt_set_sha256

if TYPE_CHECKING:
    import neo4j

    from retrocypher.kg.suites.graph import PropertyGraph


@dataclass(frozen=True, slots=True)
class RunGraph:
    """A graph that fits the questions.

    Attributes:
        kind: How its server was started; ``none`` in a replay.
        notes: What cannot be enforced on the server, one sentence each.
        server: The server; None in a replay.
        replayed: The runs that are replayed; empty without a replay.
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
            f"graph: Neo4j {self.version} ({where}), fingerprint {self.fingerprint[:12] or 'not checked'}",
            *(f"note: {note}" for note in self.notes),
        ]

    def described(self) -> GraphEntry:
        """Return the ``graph`` of the manifest."""
        sha256 = hashlib.sha256(self.schema.encode()).hexdigest()
        return GraphEntry(self.kind, self.version, self.fingerprint, self.schema, list(self.notes), sha256)

    def stop(self) -> None:
        """Stop the server where this run has one; may be called again."""
        if self.server:
            self.server.stop()


def graph_of(plan: Plan) -> RunGraph:
    """Return the graph of a run, of a server or of replayed runs; raises as `open_graph` does."""
    runs = plan.replay
    if runs is None and plan.suite is not None:
        return graph_of_suite(plan.options.graph, plan.suite)
    if runs is None:
        return open_graph(plan.options.graph, plan.question_set)
    folders = tuple(log.path for log in runs.logs)
    return RunGraph(runs.schema, runs.fingerprint, "none", runs.version, replayed=folders)


def open_graph(spec: str, question_set: QuestionSet) -> RunGraph:
    """Start or reach the server and check that it holds the questions' graph; ``spec`` may be its folder.

    Raises:
        GraphError: The server cannot be started or reached.
        InputError: It holds another graph, or the folder cannot be read.
    """
    folder = graph_folder(spec)
    reactions = cache(partial(read_graph, folder))

    def require_same() -> None:
        if (found := fingerprint_of(reactions())) != question_set.fingerprint:
            raise InputError(_other_graph(folder, question_set, found))

    def load_into(driver: "neo4j.Driver") -> None:
        load(driver, reactions())

    if folder is not None:
        # A store of the questions' graph may be there already; then nothing else reads the folder.
        require_same()
    server = open_server(
        spec if folder is None else "auto",
        graph_fingerprint=question_set.fingerprint,
        load_graph=load_into,
        before_load=require_same,
    )
    return _checked(server, question_set.fingerprint, partial(_mismatch, question_set.fingerprint))


def graph_of_suite(spec: str, suite: TableSuite) -> RunGraph:
    """Start or reach the server with the graph of a suite; raises as `open_graph` does.

    Also raises InputError if a question has a label or relationship type that the graph lacks: before the
    server starts, where the file of the graph is read, which a kept store saves.
    """
    graph = _graph_of_suite(spec, suite)
    try:
        require_known_names(suite, parse_schema(graph.schema))
    except InputError:
        graph.stop()
        raise
    return graph


def _graph_of_suite(spec: str, suite: TableSuite) -> RunGraph:
    wanted = suite.question_set.fingerprint
    file = suite.graph_file
    if file is None:
        return _checked(RunningServer(open_uri(spec)), wanted, _other_suite(suite.about, wanted))
    # Imported here: most runs have no suite.
    from retrocypher.kg.suites.loading import fingerprint_of_graph, load_graph
    from retrocypher.kg.suites.simplekg import read_simplekg

    @cache
    def read() -> "PropertyGraph":
        graph = read_simplekg(file)
        require_known_names(suite, graph.schema.described())
        return graph

    if not wanted:
        wanted = fingerprint_of_graph(read())

    def require_same() -> None:
        if (found := fingerprint_of_graph(read())) != wanted:
            raise InputError(
                f"{file}: its fingerprint is {found[:12]}, and {SUITE_FILE} names {wanted[:12]}. "
                "Restore the file, or correct graph.fingerprint."
            )

    def load_into(driver: "neo4j.Driver") -> None:
        load_graph(driver, read())

    server = open_server(spec, graph_fingerprint=wanted, load_graph=load_into, before_load=require_same)
    return _checked(server, wanted, _other_suite(suite.about, wanted))


def _checked(server: RunningServer, wanted: str, mismatch: Callable[[Endpoint, str], str]) -> RunGraph:
    """Return the graph of a server; stop it and raise if it holds another. Without a fingerprint any will do.

    A graph that is not checked is not read whole: it may be large.
    """
    try:
        with connect(server.endpoint) as driver:
            endpoint = server.endpoint
            found = fingerprint(driver, endpoint.database) if wanted else ""
            if found != wanted:
                raise InputError(mismatch(endpoint, found))
            schema = schema_text(driver, endpoint.database)
            return RunGraph(schema, found, endpoint.kind, endpoint.version, endpoint.notes, server)
    except BaseException:
        server.stop()
        raise


def _other_suite(about: SuiteFile, wanted: str) -> Callable[[Endpoint, str], str]:
    return lambda endpoint, found: (
        f"the graph at {endpoint.uri} (fingerprint {found[:12]}) is not that of the suite {about.name} "
        f"({wanted[:12]}); name a server with that graph, or correct graph.fingerprint in {SUITE_FILE}"
    )


def _other_graph(folder: Path | None, question_set: QuestionSet, found: str) -> str:
    wanted = question_set.fingerprint[:12]
    if folder is None:
        return (
            f"the questions were made for graph {wanted}, which is not the shipped one; name the folder "
            "of that graph with --graph DIR"
        )
    return (
        f"--graph {folder}: its fingerprint is {found[:12]}, and the questions were made for {wanted}; "
        f"build questions for it with `retrocypher questions build --graph {folder} --out QUESTIONS`, and "
        "name them with --questions QUESTIONS"
    )


def _mismatch(wanted: str, endpoint: Endpoint, found: str) -> str:
    remedy = "build questions for it with `retrocypher questions build`, or name its set with --questions"
    if not endpoint.owned:
        remedy = f"load the right one with `retrocypher graph load --server URI --yes`, or {remedy}"
    return (
        f"the graph at {endpoint.uri} (fingerprint {found[:12]}) is not the one the questions were made for "
        f"({wanted[:12]}); {remedy}"
    )


def described(
    plan: Plan, graph: RunGraph, contents: Mapping[str, str], started: datetime, root: Path
) -> Manifest:
    """Return the manifest of a run before its first case; `contents` are hashes of model files by path."""
    judge = plan.judge
    return Manifest(
        started=started.astimezone(UTC).isoformat(timespec="seconds"),
        cases=plan.case_count(),
        options=fields_of(plan.options.redacted()),
        models=[model_entry(spec, contents) for spec in plan.models],
        loops=plan.loops.described(),
        judge=None if judge is None else judge_facts(judge.spec, judge.criteria, contents),
        api=api_address(plan.asked),
        prices=None if plan.prices is None else convert(plan.prices, Prices),
        questions=QuestionsEntry(
            len(plan.questions), plan.question_set.sha256, plan.question_set.fingerprint
        ),
        prompts={name: prompt.sha256 for name, prompt in plan.prompts.items()},
        prompt_set=PromptSetEntry(plan.options.prompt_set, prompt_set_sha256(plan.options.prompt_set)),
        exemplars={}
        if plan.suite
        else {
            setting: bank_sha256(setting, Path(own) if (own := plan.options.exemplar_dir) else None)
            for setting in {prompt.setting: None for prompt in plan.prompts.values()}
        },
        suite=plan.suite.described() if plan.suite else UNSET,
        addendum=addendum_sha256() if plan.addendum else UNSET,
        graph=graph.described(),
        **code_facts(root),
        machine=machine(java_version() if graph.kind == "local" else None),
        answering=plan.answering.described() if plan.answering else None,
    )
