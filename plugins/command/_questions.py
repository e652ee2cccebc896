"""``retrocypher questions build``: makes a question set from a graph."""

from pathlib import Path

import click

from kg.errors import InputError
from kg.questions import DEFAULT_QUESTIONS
from kg.questions.authoring import BuiltQuestions, build_questions
from kg.reactions import fingerprint_of, read_graph
from kg.server import connect, open_server
from kg.store import load
from plugins.command._json import announcer, json_option, print_json

_DEFAULT_GRAPH = "default"
_DEFAULT_SEED = 0


@click.command("build")
@click.option(
    "--seed", type=int, default=_DEFAULT_SEED, show_default=True, help="Seed of every random choice."
)
@click.option(
    "--graph",
    metavar="DIR",
    default=_DEFAULT_GRAPH,
    show_default=True,
    help="Folder of a graph that `retrocypher graph build` wrote, or default.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the questions; needed unless the default set is made again.",
)
@click.option(
    "--server",
    metavar="SPEC",
    default="auto",
    show_default=True,
    help="The Neo4j to check gold on: auto, docker, local or a URI that holds the graph.",
)
@json_option
def questions_build_command(seed: int, graph: str, out: Path | None, server: str, as_json: bool) -> None:
    """Choose questions, and compute their gold twice: by Cypher on Neo4j and by graph traversal."""
    folder = _folder(seed, graph, out)
    reactions = read_graph(None if graph == _DEFAULT_GRAPH else Path(graph))
    running = open_server(
        server,
        graph_fingerprint=fingerprint_of(reactions),
        fill=lambda driver: load(driver, reactions),
        announce=announcer(as_json),
    )
    with running, connect(running.endpoint) as driver:
        built = build_questions(reactions, driver, seed, database=running.endpoint.database)
    built.write(folder)
    if as_json:
        print_json({"folder": str(folder), "questions": len(built.questions), "manifest": built.manifest})
        return
    click.echo(_report(built))
    click.echo(f"written to {folder}")


def _folder(seed: int, graph: str, out: Path | None) -> Path:
    if out is not None:
        return out
    # Anything but the default would replace the committed set.
    if (seed, graph) != (_DEFAULT_SEED, _DEFAULT_GRAPH):
        raise InputError(
            "Say where the questions go with --out FOLDER: only the default set has a place of its own."
        )
    return DEFAULT_QUESTIONS


def _report(built: BuiltQuestions) -> str:
    lines = [f"{count:5,}  {kind}" for kind, count in built.manifest["counts"].items()]
    trivial = sum(each["questions"] for each in built.manifest["trivial"].values())
    targets = built.manifest["targets"]
    lines.append(
        f"{len(built.questions):5,}  questions on {targets['distinct']:,} targets; {trivial} trivial, "
        f"{targets['questions_sharing_a_target']:,} share their target"
    )
    return "\n".join(lines)
