"""``retrocypher graph build``: makes a graph from reactions."""

from pathlib import Path

import click

from kg.errors import InputError
from kg.reactions import DEFAULT_GRAPH, Built, Rules, build_graph, open_source, read_manifest
from plugins.command._json import json_option, print_json
from plugins.terminal import counted

_DEFAULT_SOURCES = ("orderly",)


@click.command("build")
@click.option(
    "--source",
    "specs",
    metavar="SPEC",
    multiple=True,
    default=_DEFAULT_SOURCES,
    show_default=True,
    help="orderly (the published wheel), orderly:FOLDER (an ORDerly export), smiles:FILE (mapped reaction "
    "SMILES), csv:FILE or jsonl:FILE; may be given several times.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the graph; needed unless the default graph is made again.",
)
@click.option("--sample", metavar="N", type=click.IntRange(min=1), help="Keep N reactions, chosen by --seed.")
@click.option("--seed", default=0, show_default=True, help="Seed of --sample.")
@click.option(
    "--min-count",
    metavar="K",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Drop reactions with molecules that are in fewer than K reactions, until none is left.",
)
@json_option
def build_command(
    specs: tuple[str, ...], out: Path | None, sample: int | None, seed: int, min_count: int, as_json: bool
) -> None:
    """Make a graph from reactions, and say what each rule dropped."""
    rules = Rules(min_count=min_count, sample=sample, seed=seed)
    folder = _folder(specs, rules, out)
    built = build_graph([open_source(spec) for spec in specs], rules)
    built.write(folder)
    manifest = read_manifest(folder)
    counts, fingerprint = manifest["counts"], manifest["fingerprint"]
    if as_json:
        print_json(
            {"folder": str(folder), "fingerprint": fingerprint, "counts": counts, **built.report.to_json()}
        )
        return
    click.echo(_report(built))
    click.echo(
        f"{counted(counts['reactions'], 'reaction')}, {counted(counts['molecules'], 'molecule')}, "
        f"{counted(counts['yields'], 'yield')}\nfingerprint {fingerprint}\nwritten to {folder}"
    )


def _folder(specs: tuple[str, ...], rules: Rules, out: Path | None) -> Path:
    if out is not None:
        return out
    # Anything but the default would replace the committed graph, which the committed questions were made for.
    if specs != _DEFAULT_SOURCES or rules != Rules():
        raise InputError(
            "Say where the graph goes with --out FOLDER: only the default graph has a place of its own."
        )
    return DEFAULT_GRAPH


def _report(built: Built) -> str:
    rows = [("records read", built.report.read)]
    rows += [(f"dropped: {name}", count) for name, count in built.report.dropped().items()]
    rows += [(f"changed: {name}", count) for name, count in built.report.changed().items()]
    rows += [("reactions kept", len(built.reactions))]
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:<{width}}  {count:>9,}" for name, count in rows]
    # Quoted as Python does: the names come from the file, and may hold what a terminal should not see.
    for file, names in built.report.ignored_columns().items():
        lines.append(f"ignored columns of {file}: {', '.join(map(repr, names))}")
    return "\n".join(lines)
