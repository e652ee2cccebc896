"""``retrocypher suite``: makes and checks suites."""

import tempfile
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import click

from retrocypher.kg.errors import InputError
from retrocypher.kg.execution.execution import Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.graph.loading import schema_text
from retrocypher.kg.server.endpoint import connect
from retrocypher.kg.server.open import is_uri, open_uri
from retrocypher.kg.suites.cypherbench import make_suites
from retrocypher.kg.suites.suite import suite_folder
from retrocypher.plugins.cli.console import FOLDER, emit, former_option, json_option, server_option
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.operations.suite_check import PROBLEMS, SuiteChecker
from retrocypher.plugins.operations.suite_new import write_skeleton
from retrocypher.plugins.session.manifest import graph_of_suite
from retrocypher.plugins.session.suites import read_table_suite

_FOUND = 1
_LIMIT_S = 30.0


@click.command("check")
@click.argument("suite")
@server_option("that runs the queries")
@click.option(
    "--limit", metavar="S", default=_LIMIT_S, show_default=True, help="Seconds that a query may take."
)
@json_option
@click.pass_context
def suite_check_command(context: click.Context, suite: str, server: str, limit: float, as_json: bool) -> None:
    """Run the reference queries of SUITE, a name or a folder, and list those with a problem.

    The exit status is 1 if there is one.
    """
    read = read_table_suite(suite_folder(suite))
    running = graph_of_suite(read.graph_spec(server), read)
    try:
        assert running.endpoint is not None
        with (
            tempfile.TemporaryDirectory() as coordination,
            GuardedExecutor(running.endpoint, Limits(timeout_s=limit), Path(coordination)) as executor,
        ):
            found = list(SuiteChecker(executor).problems(read.entries))
    finally:
        running.stop()
    counts = Counter(each.problem for each in found)
    lines = [f"{each.question}: {each.problem}{f' ({each.detail})' if each.detail else ''}" for each in found]
    lines += [f"{counted(counts[name], 'question')}: {PROBLEMS[name]}" for name in PROBLEMS if counts[name]]
    lines.append(f"{counted(len(read.entries), 'question')} checked, {counted(len(found), 'problem')}")
    emit(as_json, {"questions": len(read.entries), "problems": found}, *lines)
    context.exit(_FOUND if found else 0)


@click.command("new")
@click.argument("folder", type=FOLDER)
@click.option("--server", metavar="URI", required=True, help="Address of the server with the graph.")
@former_option("--graph", "--server")
@json_option
def suite_new_command(folder: Path, server: str, as_json: bool) -> None:
    """Write the skeleton of a suite for a live graph to FOLDER: schema, a prompt, three example questions."""
    if not is_uri(server):
        raise InputError(f"--server {server}: give the address of a server, such as bolt://localhost:7687")
    endpoint = open_uri(server)
    with connect(endpoint) as driver:
        files = write_skeleton(folder, server, schema_text(driver, endpoint.database))
    emit(
        as_json,
        {"folder": str(folder), "files": [str(file.relative_to(folder)) for file in files]},
        *(f"wrote {file}" for file in files),
        f"next: edit questions.jsonl, then `retrocypher suite check {folder}`",
    )


@click.command("cypherbench")
@click.argument("dataset", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--out", type=FOLDER, required=True, help="Folder for the suites, one folder for each graph.")
@click.option(
    "--graphs", metavar="NAME,...", default="", help="Only these graphs (default: those with tests)."
)
@json_option
def suite_cypherbench_command(dataset: Path, out: Path, graphs: str, as_json: bool) -> None:
    """Make a suite of each test graph in DATASET, a clone of the CypherBench data set."""
    names = [name.strip() for name in graphs.split(",") if name.strip()]
    made = make_suites(dataset, out, names)
    lines = [
        f"{each.graph:<20} {each.nodes:>10,} nodes {each.relationships:>10,} relationships "
        f"{each.test:>6,} questions {each.train:>6,} exemplars"
        for each in made
    ]
    emit(
        as_json, {"folder": str(out), "suites": [asdict(each) for each in made]}, *lines, f"written to {out}"
    )
