"""``retrocypher vectors build``: the vectors that ship with the project."""

from pathlib import Path

import click

from kg.questions import PHRASINGS, load_questions, phrase
from plugins.command._json import json_option, print_json
from plugins.terminal import counted
from prompts.encoders import build_vectors
from prompts.shots import ENCODER, texts_to_encode


@click.command("build")
@click.option(
    "--questions",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder with the questions; the committed ones by default.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write; that of the shipped vectors by default.",
)
@json_option
def vectors_build_command(questions: Path | None, output: Path | None, as_json: bool) -> None:
    """Compute the vectors of questions and exemplars for 1S-D-S (needs the extra [semantic])."""
    asked = load_questions(questions).questions
    texts = texts_to_encode(phrase(each, number) for each in asked for number in range(1, PHRASINGS + 1))
    count = build_vectors(texts, ENCODER, output)
    if as_json:
        print_json({"vectors": count, "encoder": ENCODER, "file": None if output is None else str(output)})
        return
    click.echo(f"{counted(count, 'vector')} of {ENCODER} written")
