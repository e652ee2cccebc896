"""``retrocypher questions confidence``: how sure the gold of questions is."""

from pathlib import Path

import click

from retrocypher.kg.errors import InputError
from retrocypher.kg.evidence.lookup import evidence_of
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.analysis.gold_confidence import SURE, TaskConfidence, by_task, gold_confidences
from retrocypher.plugins.cli.console import FOLDER, SHARE, emit, json_option


@click.command("confidence")
@click.option("--questions", type=FOLDER, help="Folder with the questions (default: the committed ones).")
@click.option(
    "--least",
    type=SHARE,
    default=SURE,
    show_default=True,
    help="Count the questions of which no fact is less confident.",
)
@json_option
def questions_confidence_command(questions: Path | None, least: float, as_json: bool) -> None:
    """Show how sure the gold of questions is: by task, with --json by question.

    Gold is as sure as the facts of the graph that it rests on. Only the default graph has evidence.
    """
    found = load_questions(questions)
    graph = evidence_of(found.fingerprint)
    if graph is None:
        raise InputError(
            f"{questions}: these questions are not about the default graph, which alone has evidence."
        )
    known = gold_confidences(found.questions, graph)
    rows = by_task(found.questions, known, least)
    emit(
        as_json,
        {"least": least, "tasks": rows, "questions": known},
        f"{'questions':>9}  {'least':>6}  {'whole':>6}  {f'>= {least:g}':>8}  task",
        *map(_line, rows),
        "least: confidence of the least confident fact; whole: probability that all facts are right (means)",
    )


def _line(row: TaskConfidence) -> str:
    share = row.sure / row.questions
    return f"{row.questions:>9,}  {row.least:>6.3f}  {row.whole:>6.3f}  {share:>8.1%}  {row.task}"
