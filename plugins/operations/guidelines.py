"""Has a model distil guidelines from the labelled failures of a run's training part, batch by batch.

After MAGIC, with one role in place of its three: a model compares each wrong query with the reference and
revises the guidelines that it wrote before.
"""

import logging
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, zip_longest
from pathlib import Path

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import TASKS, seeded_rank
from retrocypher.kg.questions.split import TargetSplit, targets_of
from retrocypher.plugins.formatting.text import counted, one_line
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Record
from retrocypher.prompts.extraction.candidates import visible_text
from retrocypher.prompts.loops.guidelines import Source
from retrocypher.prompts.models.calls import GatewaySettings
from retrocypher.prompts.models.gateway_client import GatewayModel, choice_of
from retrocypher.prompts.models.interface import Chat, ModelError
from retrocypher.prompts.models.pool import UnfinishedError, open_pool
from retrocypher.prompts.models.spec import ModelSpec
from retrocypher.prompts.templates.template import Texts

_logger = logging.getLogger(__name__)

MOST_FAILURES = 40
_BATCH = 10
_LONGEST = 2_000
_NOTHING = "(there are none yet)"
_TEXTS = Texts(Path(__file__).with_name("texts"))


def training_failures(log: RunLog, split: TargetSplit, most: int = MOST_FAILURES) -> list[Record]:
    """Return records of wrong queries whose targets are all in the training part, at most so many.

    Of each question and primary label one is taken, and labels take turns; the seed of the split orders both.

    Raises InputError if there is none.
    """
    by_label: dict[str, dict[str, Record]] = defaultdict(dict)
    for record in log.records():
        question = log.questions.get(record.question_id)
        if question is None or question.task not in TASKS or not record.errors or not record.was_run:
            continue
        if split.part_of(question) == "train":
            of_label = by_label[record.errors[0]]
            # The same one, whatever the order of the records.
            of_label[record.question_id] = min(
                record, of_label.get(record.question_id, record), key=lambda each: each.case_id
            )
    ordered = [
        sorted(found.values(), key=lambda each: seeded_rank(split.seed, each.question_id))
        for _, found in sorted(by_label.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
    in_turn = [each for each in chain.from_iterable(zip_longest(*ordered)) if each is not None]
    if not in_turn:
        raise InputError(
            f"{log}: no question about reactions with its targets in the training part ({split}) failed, so "
            f"there is nothing to learn from. Give another --split, or a run with --split train:{split}."
        )
    return in_turn[:most]


def _text(record: Record, number: int) -> str:
    """Return a failure as the model reads it."""
    execution = record.execution
    result = "unknown"
    if execution is not None:
        rows = counted(execution.row_count, "row")
        result = rows if execution.status == "ok" else f"{execution.status}: {execution.message or ''}"
    values = {
        "number": str(number),
        "question": record.question,
        "query": (record.cypher or "(there is none)")[:_LONGEST],
        "result": one_line(result)[:_LONGEST],
        "labels": ", ".join(record.errors),
        "reference": record.reference_cypher[:_LONGEST],
    }
    return _TEXTS.text("failure", values)


def distil(failures: Sequence[Record], spec: ModelSpec, settings: GatewaySettings) -> str:
    """Return the guidelines that a model writes from failures; what was answered before is in the cache.

    Raises InputError if the model cannot be started, RefusedError if its API refuses the key or the name,
    UnfinishedError if it could not be asked or wrote none.
    """
    guidelines = ""
    with open_pool(spec, settings) as pool:
        model = GatewayModel(choice_of(spec), pool.connections)

        def revise(asked: tuple[str, str]) -> str | ModelError:
            values = {"guidelines": asked[0] or _NOTHING, "failures": asked[1]}
            try:
                completion = model.answer(Chat(_TEXTS.messages("guidelines", values), "guidelines"))
            except ModelError as error:
                return error
            return visible_text(completion.text).strip()

        for start in range(0, len(failures), _BATCH):
            batch = failures[start : start + _BATCH]
            # One at a time: each call revises what the last one wrote.
            texts = [_text(each, number) for number, each in enumerate(batch, start + 1)]
            (revised,) = pool.run(revise, [(guidelines, "\n\n".join(texts))])
            if isinstance(revised, ModelError):
                raise UnfinishedError(
                    f"{spec.label} could not be asked: {one_line(str(revised))}. Repeat the command to go on."
                )
            if not revised:
                raise UnfinishedError(f"{spec.label} wrote no guidelines. Name another model.")
            guidelines = revised
            _logger.info(f"guidelines from {start + len(batch):,} of {counted(len(failures), 'failure')}")
    return guidelines


def source_of(log: RunLog, split: TargetSplit, failures: Sequence[Record], model: str) -> Source:
    """Return what guidelines rest on, for the front of their file."""
    targets = sorted({name for each in failures for name in targets_of(log.questions[each.question_id])})
    return Source(run=str(log), model=model, split=str(split), failures=len(failures), targets=targets)
