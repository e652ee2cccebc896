"""``retrocypher study``: the figures and tables of the papers, from runs."""

from pathlib import Path

import click

from retrocypher.plugins.cli.console import PATH, emit, json_option
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.reporting.study.reaction import reaction_parts
from retrocypher.plugins.reporting.study.writing import PartsOf, write_study
from retrocypher.plugins.runs.parallel import spare_collections

_OUT = click.option("--out", type=PATH, required=True, help="Folder of the page, the figures and the tables.")


@click.command("reaction")
@click.argument("runs", nargs=-1, required=True, type=PATH)
@_OUT
@json_option
def study_reaction_command(runs: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Write the figures and tables of the reaction Text2Cypher paper from RUNS."""
    _write(runs, out, "The reaction Text2Cypher paper, repeated", reaction_parts, as_json)


def _write(runs: tuple[Path, ...], out: Path, title: str, parts_of: PartsOf, as_json: bool) -> None:
    spare_collections()
    written = write_study(runs, out, title, parts_of)
    missing = [
        f"missing: {each.number}{f' ({each.model})' if each.model else ''}: {each.why}"
        + "".join(f"\n  {command}" for command in each.commands)
        for each in written.missing
    ]
    value = {
        "page": str(written.page),
        "files": [str(file) for file in written.files],
        "cases": written.cases,
        "missing": written.missing,
    }
    emit(
        as_json,
        value,
        f"{counted(written.cases, 'case')}, {counted(len(written.files), 'file')}",
        *missing,
        f"page: {written.page}",
    )
