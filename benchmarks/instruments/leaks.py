"""How often an exemplar gives the answer away, by task and shot, and the table of this that is shipped."""

import json
import logging
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
from msgspec.structs import astuple
from rich.table import Table

from retrocypher.kg.execution.execution import Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.loading import load
from retrocypher.kg.questions.question import TASKS, Question
from retrocypher.kg.questions.reading import QuestionSet, load_questions
from retrocypher.kg.server.open import open_server
from retrocypher.plugins.cli.console import FILE, json_option, print_json, table_console
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.reporting.run_tables import counted_table
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.runs.record import Leak
from retrocypher.plugins.scoring.leak import (
    NO_LEAK,
    STORED,
    StoredLeaks,
    exemplar_key,
    measure_leak,
    shipped_leaks,
)
from retrocypher.prompts.templates.exemplars import (
    SHOTS,
    Exemplar,
    choose_exemplar,
    load_banks,
    shot_encoder,
)

_logger = logging.getLogger(__name__)

_SEED = 0
_EVERY = 200


class LeakShare(NamedTuple):
    """How many of the questions of a task leak with a shot."""

    task: str
    shot: str
    questions: int
    as_is: int
    """Those whose exemplar is right as it is."""
    one_edit: int
    """Those whose exemplar is right with one edit, but not as it is."""


def shares(stored: StoredLeaks, questions: QuestionSet) -> list[LeakShare]:
    """Return the leaks of the shipped exemplars by task and shot; those of 1S-D-R are for seed 0."""
    banks, encoder = load_banks(), shot_encoder()
    known = stored.known(questions.questions, banks.values())
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for question in questions.questions:
        for shot in SHOTS[1:]:
            exemplar = choose_exemplar(shot, question, banks[question.setting], _SEED, encoder)
            assert exemplar is not None
            counts[question.task, shot][known[exemplar.id, question.id].kind] += 1
    return [
        LeakShare(task, shot, found.total(), found["as_is"], found["one_edit"])
        for task in TASKS
        for shot in SHOTS[1:]
        if (found := counts[task, shot])
    ]


def _pairs(questions: QuestionSet) -> Iterator[tuple[Question, Exemplar]]:
    """Yield each question with each exemplar of its setting; of equal exemplars, with the first."""
    for setting, bank in load_banks().items():
        different = {exemplar_key(each): each for each in reversed(bank)}
        for question in questions.questions:
            if question.setting == setting:
                yield from ((question, each) for each in different.values())


def build(questions: QuestionSet, where: str, done: Path | None) -> StoredLeaks:
    """Return the leaks of all pairs, measured on a server; the file `done` keeps those that are known."""
    reactions = read_graph()
    stored = StoredLeaks(questions.fingerprint, questions.sha256, {})
    known: dict[tuple[str, str], Leak] = {}
    for line in done.read_text().splitlines() if done and done.exists() else ():
        question_id, key, *fields = json.loads(line)
        known[question_id, key] = Leak(*fields)
    running = open_server(
        where, graph_fingerprint=fingerprint_of(reactions), load_graph=lambda driver: load(driver, reactions)
    )
    with (
        running,
        tempfile.TemporaryDirectory() as folder,
        GuardedExecutor(running.endpoint, Limits(), Path(folder)) as executor,
    ):
        for number, (question, exemplar) in enumerate(_pairs(questions), 1):
            key = exemplar_key(exemplar)
            leak = known.get((question.id, key))
            if leak is None:
                leak = measure_leak(executor, question, exemplar)
                if done:
                    with done.open("a") as file:
                        file.write(json_line([question.id, key, *astuple(leak)]) + "\n")
            of_exemplar = stored.exemplars.setdefault(key, {})
            if leak != NO_LEAK:
                of_exemplar[question.id] = (leak.as_is, leak.edited, leak.edit)
            if number % _EVERY == 0:
                _logger.info(f"{counted(number, 'pair')} measured")
    return stored


@click.command("leaks")
@click.option("--build", "building", is_flag=True, help="Measure them and write the table that is shipped.")
@click.option("--graph", "where", default="auto", show_default=True, help="Where the server is to run.")
@click.option("--done", type=FILE, help="File that keeps the pairs that are done, to resume --build.")
@json_option
def leaks_command(building: bool, where: str, done: Path | None, as_json: bool) -> None:
    """Count how often the shipped exemplars give the answers of the shipped questions away."""
    questions = load_questions()
    if building:
        build(questions, where, done).write(STORED)
    found = shares(shipped_leaks(), questions)
    if as_json:
        print_json([each._asdict() for each in found])
    else:
        table_console().print(_table(found))


def _table(found: list[LeakShare]) -> Table:
    table = counted_table("leaks", "task", "shot", "questions", "right as is", "right with one edit")
    for each in found:
        table.add_row(each.task, each.shot, *map(str, each[2:]))
    return table
