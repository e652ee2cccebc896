"""``retrocypher questions|passages|vectors build``: builds data from a graph and questions."""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import get_args

import click

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.loading import load
from retrocypher.kg.graph.passages import build_passages, open_passages
from retrocypher.kg.paths import in_checkout
from retrocypher.kg.questions.gold import check_gold
from retrocypher.kg.questions.plan import SHIPPED_PLAN, Plan, read_plan, with_counts
from retrocypher.kg.questions.question import PARAPHRASE_COUNT, paraphrase
from retrocypher.kg.questions.question_set import BuiltQuestions, Targets, build_questions
from retrocypher.kg.questions.reading import DEFAULT_QUESTIONS, load_questions
from retrocypher.kg.questions.unanswerable import unanswerable
from retrocypher.kg.server.endpoint import connect
from retrocypher.kg.server.open import open_server
from retrocypher.plugins.cli.console import EXISTING_FILE, FILE, FOLDER, emit, former_option, json_option
from retrocypher.plugins.formatting.text import counted
from retrocypher.prompts.answering.passages import PASSAGE_ENCODER, build_index
from retrocypher.prompts.templates.encoder import build_vectors, load_encoder
from retrocypher.prompts.templates.exemplars import SHOT_ENCODER as QUESTION_ENCODER
from retrocypher.prompts.templates.exemplars import load_banks, texts_to_encode

_logger = logging.getLogger(__name__)

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
    help="Folder of a graph built by `retrocypher graph build`, or default.",
)
@click.option(
    "--plan",
    "plan_file",
    metavar="FILE",
    type=EXISTING_FILE,
    help="YAML file with the number of questions of each kind (default: the plan of the shipped set).",
)
@click.option(
    "--counts",
    metavar="TASK=N,...",
    help="Build only these tasks, with so many questions each, in the proportions of the plan.",
)
@click.option(
    "--targets",
    type=click.Choice(get_args(Targets)),
    default="telling",
    show_default=True,
    help="Choose the targets that tell most about a query, or choose them at random, as the paper did.",
)
@click.option(
    "--out", type=FOLDER, help="Folder for the questions; required unless the default set is rebuilt."
)
@click.option(
    "--server",
    metavar="SPEC",
    default="auto",
    show_default=True,
    help="The Neo4j that checks the gold answers: auto, docker, local, or a URI with the graph.",
)
@json_option
def questions_build_command(
    seed: int,
    graph: str,
    plan_file: Path | None,
    counts: str | None,
    targets: Targets,
    out: Path | None,
    server: str,
    as_json: bool,
) -> None:
    """Choose questions, and compute their gold answers twice: with Cypher and by graph traversal.

    A task that the graph cannot serve is skipped, and one that it can serve only in part has fewer questions;
    both are reported before the server starts, and recorded in the manifest.
    """
    is_default = (seed, graph, plan_file, counts, targets) == (
        _DEFAULT_SEED,
        _DEFAULT_GRAPH,
        None,
        None,
        "telling",
    )
    folder = _folder(is_default, out)
    plan = read_plan(plan_file or SHIPPED_PLAN)
    plan = plan if counts is None else with_counts(plan, counts)
    reactions = read_graph(None if graph == _DEFAULT_GRAPH else Path(graph))
    built = build_questions(reactions, seed, plan, targets)
    for line in _lacking(plan, built.manifest["counts"]):
        _logger.warning(line)
    running = open_server(
        server,
        graph_fingerprint=fingerprint_of(reactions),
        load_graph=lambda driver: load(driver, reactions),
    )
    with running, connect(running.endpoint) as driver:
        check_gold(driver, built.questions, running.endpoint.database)
    built.write(folder)
    value = {"folder": str(folder), "questions": len(built.questions), "manifest": built.manifest}
    emit(as_json, value, _report(built), f"written to {folder}")


def _folder(is_default: bool, out: Path | None) -> Path:
    if out is not None:
        return out
    # Anything but the default would replace the committed set, and an installed package is not changed.
    if not is_default or not in_checkout():
        raise InputError(
            "Name a folder for the questions with --out FOLDER: only the default set of a checkout has one."
        )
    return DEFAULT_QUESTIONS


def _lacking(plan: Plan, made: Mapping[str, int]) -> Iterator[str]:
    """Yield which tasks the graph cannot serve, and which only in part; ``made`` is by kind."""
    planned, found = Counter[str](), Counter[str]()
    for kind, count in plan.items():
        planned[kind.task] += count
        found[kind.task] += made[str(kind)]
    if skipped := [task for task in planned if not found[task]]:
        yield f"Skipped, because the graph has no such question: {', '.join(skipped)}"
    if fewer := [task for task in planned if 0 < found[task] < planned[task]]:
        shares = ", ".join(f"{task} ({found[task]} of {planned[task]})" for task in fewer)
        yield f"Fewer questions than planned, because the graph has no more: {shares}"


def _report(built: BuiltQuestions) -> str:
    lines = [f"{count:5,}  {kind}" for kind, count in built.manifest["counts"].items()]
    trivial = sum(each["questions"] for each in built.manifest["trivial"].values())
    targets = built.manifest["targets"]
    distinct = counted(targets["distinct"], "target")
    lines.append(
        f"{len(built.questions):5,}  questions on {distinct}; {trivial} trivial, "
        f"{targets['questions_sharing_a_target']:,} share their target"
    )
    return "\n".join(lines)


@click.command("build")
@click.option(
    "--vectors", is_flag=True, help="Also compute their vectors (needs the extra [semantic]; takes minutes)."
)
@click.option(
    "--encoder",
    "name",
    metavar="NAME",
    default=PASSAGE_ENCODER,
    show_default=True,
    help="Encoder of the vectors.",
)
@json_option
def passages_build_command(vectors: bool, name: str, as_json: bool) -> None:
    """Store the procedure texts of the default graph's patents in the cache folder for search."""
    encoder = load_encoder(name) if vectors else None
    file = build_passages()
    with open_passages(file) as passages:
        count = len(passages)
        made = None if encoder is None else build_index(passages, encoder)
    vectors_file = None if made is None else str(made)
    value = {
        "passages": count,
        "file": str(file),
        "encoder": name if made else None,
        "vectors": vectors_file,
    }
    lines = [f"{count:,} passages in {file}"] + ([f"vectors of {name} in {made}"] if made else [])
    emit(as_json, value, *lines)


@click.command("build")
@click.option("--questions", type=FOLDER, help="Folder with the questions (default: the committed ones).")
@click.option("--out", type=FILE, help="File to write (default: that of the shipped vectors).")
@former_option("--output", "--out")
@json_option
def vectors_build_command(questions: Path | None, out: Path | None, as_json: bool) -> None:
    """Compute the vectors of questions and exemplars for the shot 1S-D-S (needs the extra [semantic])."""
    originals = load_questions(questions).questions
    numbers = range(1, PARAPHRASE_COUNT + 1)
    asked = (paraphrase(each, number) for each in originals for number in numbers)
    texts = texts_to_encode(chain(asked, unanswerable(originals)), load_banks().values())
    count = build_vectors(texts, QUESTION_ENCODER, out)
    file = None if out is None else str(out)
    value = {"vectors": count, "encoder": QUESTION_ENCODER, "file": file}
    emit(as_json, value, f"{counted(count, 'vector')} of {QUESTION_ENCODER} written")
