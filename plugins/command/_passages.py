"""``retrocypher passages build``: what written answers may draw on beside rows."""

import click

from kg.passages import build_passages, open_passages
from plugins.command._json import json_option, print_json
from prompts.encoders import load_encoder
from prompts.retrieval import ENCODER, build_index

_TELL_EVERY = 1280


@click.command("build")
@click.option(
    "--vectors", is_flag=True, help="Their vectors too (needs the extra [semantic]; takes minutes)."
)
@click.option(
    "--encoder", "name", metavar="NAME", default=ENCODER, show_default=True, help="What makes the vectors."
)
@json_option
def passages_build_command(vectors: bool, name: str, as_json: bool) -> None:
    """Put the procedure texts of the default graph's patents into the cache folder, to be searched."""
    encoder = load_encoder(name) if vectors else None
    file = build_passages()
    with open_passages(file) as passages:
        count = len(passages)
        made = None if encoder is None else build_index(passages, encoder, _told)
    if as_json:
        shown = None if made is None else str(made)
        print_json(
            {"passages": count, "file": str(file), "encoder": name if made else None, "vectors": shown}
        )
        return
    click.echo(f"{count:,} passages in {file}")
    if made is not None:
        click.echo(f"their vectors of {name} in {made}")


def _told(done: int, of: int) -> None:
    if done % _TELL_EVERY == 0 or done == of:
        click.echo(f"{done:,} of {of:,} vectors", err=True)
