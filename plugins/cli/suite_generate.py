"""``retrocypher suite generate``: questions about any property graph."""

import shutil
import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import msgspec

from retrocypher.kg.errors import InputError
from retrocypher.kg.execution.execution import Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.server.endpoint import Endpoint, connect
from retrocypher.kg.server.engine import RunningServer
from retrocypher.kg.server.open import is_uri, open_server, open_uri
from retrocypher.kg.suites.generate import Generated, generate
from retrocypher.kg.suites.graph import PropertyGraph
from retrocypher.kg.suites.lexicon import lexicon_skeleton, read_lexicon, write_lexicon
from retrocypher.kg.suites.loading import export_graph, fingerprint_of_graph, load_graph
from retrocypher.kg.suites.matcher import MOST_ROWS
from retrocypher.kg.suites.proposal import check_generation, propose
from retrocypher.kg.suites.questions import write_questions
from retrocypher.kg.suites.simplekg import read_simplekg
from retrocypher.kg.suites.suite import (
    LEXICON_FILE,
    QUESTIONS_FILE,
    SUITE_FILE,
    GraphSource,
    SuiteFile,
    read_suite,
    write_suite,
)
from retrocypher.plugins.cli.console import FOLDER, SHARE, emit, json_option, needs
from retrocypher.plugins.cli.suite_option import suite_option
from retrocypher.plugins.formatting.text import counted, one_line, usd
from retrocypher.plugins.operations.rewriting import Rewriting, rewrite
from retrocypher.prompts.models.pool import model_to_ask

_LIMITS = Limits(timeout_s=30.0, row_cap=MOST_ROWS, byte_cap=64 * 1024**2)


@click.command("generate")
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option(
    "--graph",
    "file",
    metavar="FILE",
    help="SimpleKG file with the graph (default: the graph of the suite).",
)
@click.option(
    "--server",
    metavar="URI",
    help="Your own server with the graph (default: the graph of the suite).",
)
@click.option(
    "--n", "number", type=click.IntRange(min=1), default=500, show_default=True, help="Test questions."
)
@click.option("--seed", type=int, help="Seed of all choices (default: that of the suite, or 0).")
@click.option("--unanswerable", type=SHARE, default=0, help="Share that the graph cannot answer.")
@click.option("--ambiguous", type=SHARE, default=0, help="Share with several valid readings.")
@click.option(
    "--rewrite",
    "rewriter",
    metavar="MODEL",
    help="Model that rewrites questions in natural words: gguf:PATH, local, or one behind an "
    "OpenAI-compatible API.",
)
@suite_option("concurrency")
@suite_option("max_cost")
@suite_option("cache")
@suite_option("offline")
@json_option
def suite_generate_command(
    folder: Path,
    file: str | None,
    server: str | None,
    number: int,
    seed: int | None,
    unanswerable: float,
    ambiguous: float,
    rewriter: str | None,
    as_json: bool,
    **asking: Any,
) -> None:
    """Write questions about a graph, with their reference queries, into the suite DIR.

    The first time, suite.yaml gets what was measured of the graph, and lexicon.yaml the words of its schema.
    Edit both and run the command again: it keeps them, and writes the questions again.

    With --rewrite, nothing is written until all questions are done. Responses are cached, so repeating an
    interrupted command resumes it. The exit status is 16 if the model could not be asked about some
    questions, 4 if its API refused the key or the model before any completion.
    """
    if unanswerable + ambiguous > 1:
        raise InputError("--unanswerable and --ambiguous are shares: together at most 1")
    needs("--rewrite MODEL", "max_cost", "cache", "offline")
    model = None if rewriter is None else model_to_ask(rewriter, "--rewrite", **asking)
    spec = _given_graph(file, server)
    suite = read_suite(folder) if (folder / SUITE_FILE).is_file() else None
    if spec is None and (suite is None or not (suite.graph.uri or suite.graph.file)):
        raise InputError(
            f"{folder} has no graph yet. Name a SimpleKG file with --graph, or a server with --server."
        )
    if spec is None and suite:
        spec = suite.graph.uri or str(folder / str(suite.graph.file))
    assert spec is not None
    lexicon_file = folder / LEXICON_FILE
    first = not lexicon_file.is_file()
    graph, source, endpoint = read_suite_graph(spec, folder)
    # Ids of questions begin with the name of the suite, wherever its graph comes from.
    name = suite.name if suite else folder.resolve().name
    graph = replace(graph, name=name)
    generation = (suite and suite.generation) or propose(graph)
    if seed is not None:
        generation = msgspec.structs.replace(generation, seed=seed)
    check_generation(graph, generation, str(folder / SUITE_FILE))
    lexicon = (
        lexicon_skeleton(graph.schema, generation)
        if first
        else read_lexicon(lexicon_file, graph.schema, generation)
    )
    with ExitStack() as stack:
        if endpoint is None:
            endpoint = stack.enter_context(_server_with(graph, str(source.fingerprint))).endpoint
        locks = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        executor = stack.enter_context(GuardedExecutor(endpoint, _LIMITS, locks))
        lacking = round(number * unanswerable)
        several = min(round(number * ambiguous), number - lacking)
        made = generate(graph, generation, lexicon, number, executor.run, lacking, several)
    if not any(question.split == "test" for question in made.questions):
        raise InputError(f"{folder}: no question can be made. {_reasons(made)}")
    rewriting = rewrite(made.questions, *model, generation.seed) if model else None
    folder.mkdir(parents=True, exist_ok=True)
    if source.file and not (folder / source.file).exists():
        shutil.copyfile(spec, folder / source.file)
    suite = suite or SuiteFile(name, "1", source)
    write_suite(folder, msgspec.structs.replace(suite, graph=source, generation=generation))
    if first:
        write_lexicon(lexicon_file, lexicon)
    write_questions(folder, made.questions)
    counts = Counter((each.task, each.template, each.split) for each in made.questions)
    emit(
        as_json,
        {
            "folder": str(folder),
            "counts": [
                {"task": task, "template": template, "split": split, "questions": questions}
                for (task, template, split), questions in counts.items()
            ],
            "unserved": made.unserved,
            "short": made.short,
            "dropped": dict(made.dropped),
            "rewriting": rewriting,
        },
        *_table(made),
        *(_rewritten(rewriting) if rewriting else []),
        f"written to {folder / QUESTIONS_FILE}",
        *([f"{lexicon_file} has the words of the schema: edit it, and run this again."] if first else []),
    )


def _given_graph(file: str | None, server: str | None) -> str | None:
    """Return the file or the address of the graph; None if neither was given."""
    if file is not None and server is not None:
        raise InputError("--graph and --server: the graph is in a file or on a server. Give one of them.")
    if server is not None and not is_uri(server):
        raise InputError(f"--server {server}: give the address of a server, such as bolt://localhost:7687")
    if file is not None and is_uri(file):
        click.echo("note: the address of a server is now given with --server; --graph names a file", err=True)
    return file if server is None else server


def read_suite_graph(spec: str, folder: Path) -> tuple[PropertyGraph, GraphSource, Endpoint | None]:
    """Return a graph, where the suite finds it, and the server that holds it if that was named."""
    if is_uri(spec):
        endpoint = open_uri(spec)
        with connect(endpoint) as driver:
            graph = export_graph(driver, folder.resolve().name)
        # The address of the endpoint has no password.
        return graph, GraphSource(uri=endpoint.uri, fingerprint=fingerprint_of_graph(graph)), endpoint
    file = Path(spec).expanduser()
    if not file.is_file():
        raise InputError(f"--graph {spec}: no such file. Name a SimpleKG file, or a server with --server.")
    graph = read_simplekg(file)
    name = "graph.json.gz" if file.suffix == ".gz" else "graph.json"
    if file.parent.resolve() == folder.resolve():
        name = file.name
    elif (folder / name).exists() and (folder / name).read_bytes() != file.read_bytes():
        raise InputError(
            f"--graph {file}: {folder / name} holds another graph. Remove it, or name another DIR."
        )
    return graph, GraphSource(file=name, fingerprint=fingerprint_of_graph(graph)), None


def _server_with(graph: PropertyGraph, fingerprint: str) -> RunningServer:
    return open_server(
        "auto", graph_fingerprint=fingerprint, load_graph=lambda driver: load_graph(driver, graph)
    )


def _table(made: Generated) -> list[str]:
    lines = [f"{'pattern':<15} {'test':>5} {'train':>5}  RETURN templates"]
    for task in dict.fromkeys(each.task for each in made.questions):
        own = [each for each in made.questions if each.task == task]
        splits = Counter(each.split for each in own)
        templates = Counter(each.template for each in own)
        shown = ", ".join(f"{name} {number}" for name, number in sorted(templates.items()))
        lines.append(f"{task:<15} {splits['test']:>5} {splits['train']:>5}  {shown}")
    total = Counter(each.split for each in made.questions)
    lines.append(f"{'total':<15} {total['test']:>5} {total['train']:>5}")
    if made.unserved:
        lines.append(_reasons(made))
    lines += [f"Fewer than asked for: {task}, {reason}" for task, reason in made.short.items()]
    if made.dropped:
        shown = ", ".join(f"{reason} ({number})" for reason, number in made.dropped.most_common())
        lines.append(f"Of {counted(made.dropped.total(), 'dropped draw')}: {shown}")
    return lines


def _rewritten(found: Rewriting) -> list[str]:
    by_round = ", ".join(f"{number:,} in round {place}" for place, number in enumerate(found.rounds, 1))
    lines = [
        f"Rewritten by {one_line(found.model)}: {sum(found.rounds):,} of "
        f"{counted(found.questions, 'question')} ({by_round})"
    ]
    if found.kept:
        shown = ", ".join(f"{reason} {number:,}" for reason, number in found.kept.items())
        lines.append(f"Kept their template text: {sum(found.kept.values()):,} ({shown})")
    sent, back = (found.tokens.get(name, 0) for name in ("prompt", "completion"))
    lines.append(
        f"Completions: {found.requested:,} requested ({sent:,} tokens sent, {back:,} back"
        f"{'' if found.cost is None else f', {usd(found.cost)}'}), {found.from_cache:,} from the cache"
    )
    return lines


def _reasons(made: Generated) -> str:
    return "No question of " + "; ".join(f"{task}: {reason}" for task, reason in made.unserved.items())
