"""``retrocypher guidelines``: writes guidelines for the loop self-review."""

from pathlib import Path

import click

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.split import parse_split
from retrocypher.plugins.cli.console import FILE, FOLDER, emit, json_option
from retrocypher.plugins.cli.suite_option import suite_option
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.operations.guidelines import MOST_FAILURES, distil, source_of, training_failures
from retrocypher.plugins.runs.log import RunLog
from retrocypher.prompts.loops.guidelines import file_text
from retrocypher.prompts.models.pool import model_to_ask


@click.command("build")
@click.argument("run", type=FOLDER)
@click.option("--model", required=True, metavar="SPEC", help="Model that writes the guidelines.")
@click.option("--out", required=True, metavar="FILE", type=FILE, help="File to write; it must not exist.")
@click.option(
    "--split",
    metavar="SHARE[:SEED]",
    default="0.5:0",
    show_default=True,
    help="Share of the target molecules that are for training, and the seed of their choice.",
)
@click.option(
    "--failures",
    metavar="N",
    type=click.IntRange(1),
    default=MOST_FAILURES,
    show_default=True,
    help="Maximum number of failures that the model reads, ten in a call.",
)
@suite_option("max_cost")
@suite_option("cache")
@suite_option("offline")
@json_option
def guidelines_build_command(
    run: Path,
    model: str,
    out: Path,
    split: str,
    failures: int,
    max_cost: float | None,
    cache: str | None,
    offline: bool,
    as_json: bool,
) -> None:
    """Have a model write guidelines from the labelled failures of RUN.

    Only failures whose target molecules are all in the training part are used. The front of the file says
    what the guidelines rest on; the text below it may be edited. Use them with pytest benchmarks --loop
    self-review --guidelines FILE --split test:SHARE:SEED. The exit status is 16 if the model could not be
    asked, 4 if its API refused the key or the model.
    """
    log, chosen = RunLog(run), parse_split(split, "--split")
    if out.exists():
        raise InputError(f"--out {out}: it exists, and may have been edited; name another file, or remove it")
    found = training_failures(log, chosen, failures)
    spec, settings = model_to_ask(
        model, "--model", concurrency=1, cache=cache, offline=offline, max_cost=max_cost
    )
    source = source_of(log, chosen, found, spec.label)
    text = distil(found, spec, settings)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(file_text(source, text), encoding="utf-8")
    emit(
        as_json,
        {"file": str(out), "failures": len(found), "targets": len(source.targets), "split": str(chosen)},
        f"{out}: guidelines from {counted(len(found), 'failure')} with "
        f"{counted(len(source.targets), 'target molecule')}; test them with --split test:{chosen}",
    )
