"""``retrocypher check``: checks queries against their questions and the schema, without a run."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich import box
from rich.table import Table

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.loading import schema_text
from retrocypher.kg.labels.error_labels import LABELS
from retrocypher.kg.semantics.direction import Corrected, correct_directions
from retrocypher.kg.semantics.schema import Schema, default_schema, parse_schema
from retrocypher.kg.server.endpoint import connect
from retrocypher.kg.server.open import is_uri, open_server
from retrocypher.plugins.cli.console import (
    EXISTING_FILE,
    former_option,
    json_option,
    print_json,
    table_console,
)
from retrocypher.plugins.validation.validator import SchemaValidator
from retrocypher.prompts.extraction.extract import extract_cypher
from retrocypher.prompts.validation.finding import CONVENTIONS, Convention, Validation

_REMEDY = 'Give one JSON object a line, such as {"question": "...", "cypher": "..."}.'


class _Line(NamedTuple):
    number: int
    question: str
    cypher: str | None
    """The query, or the completion that contains it, as given."""
    query: str
    """The query to check; empty if there is none."""

    @property
    def within(self) -> bool:
        """Whether the query is only a part of the completion."""
        return self.query != (self.cypher or "")


@click.command("check")
@click.argument("file", type=EXISTING_FILE)
@click.option(
    "--schema",
    "schema_file",
    metavar="FILE",
    type=EXISTING_FILE,
    help="Schema as prompts show it (default: that of the default graph).",
)
@click.option("--server", metavar="URI", help="Read the schema from this server, such as bolt://host:7687.")
@former_option("--uri", "--server")
@click.option(
    "--convention",
    type=click.Choice(CONVENTIONS),
    default="as-asked",
    show_default=True,
    help="What must be returned: as-asked for what the question asks for, benchmark for whole reactions "
    "or routes.",
)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object a line.")
@click.pass_context
def check_command(
    context: click.Context,
    file: Path,
    schema_file: Path | None,
    server: str | None,
    convention: Convention,
    as_json: bool,
) -> None:
    """Report what is wrong with the queries in FILE, lines of JSON with "question" and "cypher".

    The records.jsonl of a run is such a file. A "cypher" of null is a completion without a query. A query is
    extracted from a longer completion, such as a fenced block, as in a run. No server is asked: queries are
    tried on small graphs in memory. The exit status is 0 if nothing is found, 1 if anything is, and 2 if
    FILE or an option cannot be used.
    """
    lines = list(_lines(file))
    validator = SchemaValidator(_schema(schema_file, server), convention)
    wrong = unread = 0
    for line in lines:
        validation = validator.validate(line.query, line.question)
        corrected = correct_directions(line.query, validator.schema)
        wrong += not validation.valid
        unread += validation.verdict == "not_read"
        shown = (
            _as_json(line, validation, corrected) if as_json else _as_text(file, line, validation, corrected)
        )
        click.echo(shown)
    if not as_json:
        have = "query has" if len(lines) == 1 else "queries have"
        also = f", {unread} not read" if unread else ""
        click.echo(f"{wrong} of {len(lines)} {have} findings{also}." if lines else f"{file}: no queries.")
    context.exit(1 if wrong else 0)


def _lines(file: Path) -> Iterator[_Line]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}. Make it readable.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 at byte {error.start}. Save it as UTF-8.") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield _line(f"{file}, line {number}", number, line)


def _line(where: str, number: int, text: str) -> _Line:
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON ({str(error)[:100]}). {_REMEDY}") from error
    if not isinstance(entry, dict):
        raise InputError(f"{where}: not an object. {_REMEDY}")
    for name in ("question", "cypher"):
        if name not in entry:
            raise InputError(f'{where}: "{name}" is missing. {_REMEDY}')
        if not isinstance(entry[name], str) and (name, entry[name]) != ("cypher", None):
            raise InputError(f'{where}: "{name}" is no text. {_REMEDY}')
    return _Line(number, entry["question"], entry["cypher"], _query(entry["cypher"]))


def _query(given: str | None) -> str:
    """Return the query in a completion; a text that parses, or contains no query, is the query itself."""
    if given is None or not parse(given).errors:
        return given or ""
    return extract_cypher(given) or given


def _schema(file: Path | None, server: str | None) -> Schema:
    if file is not None and server is not None:
        raise InputError("Give the schema with --schema or with --server, not both.")
    if server is not None:
        if not is_uri(server):
            raise InputError(f"--server {server}: expected an address such as bolt://localhost:7687.")
        given = open_server(server, graph_fingerprint="", load_graph=lambda driver: None)
        with given, connect(given.endpoint) as driver:
            return parse_schema(schema_text(driver, given.endpoint.database))
    if file is None:
        return default_schema()
    try:
        return parse_schema(file.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 at byte {error.start}. Save it as UTF-8.") from error


def _as_json(line: _Line, validation: Validation, corrected: Corrected) -> str:
    intent = validation.asked
    entry: dict[str, Any] = {
        "line": line.number,
        "question": line.question,
        "cypher": line.cypher,
        "query": line.query,
        "valid": validation.valid,
        "verdict": validation.verdict,
        "findings": [
            {"label": each.label, "message": each.message, "start": each.start, "stop": each.stop}
            for each in validation.findings
        ],
        "asked": {
            "intent": intent.intent,
            "molecules": [{"name": each.name, "role": each.role} for each in intent.molecules],
            "steps": intent.steps,
            "components": sorted(intent.components),
        },
        "note": validation.note,
        "not_read": validation.not_read,
        "corrected": None if line.cypher is None else corrected.query,
        "turned": [each.message for each in corrected.turned],
    }
    return json.dumps(entry)


def _as_text(file: Path, line: _Line, validation: Validation, corrected: Corrected) -> str:
    parts = [f"{file}:{line.number}: {_verdict(validation)}"]
    parts += [
        f"  {_place(line.query, each.start)}: {each.label}: {each.message}" for each in validation.findings
    ]
    if line.within:
        parts.append("  note: Only the query within the completion was checked.")
    if validation.not_read:
        parts.append(f"  not read: {validation.not_read}")
    if validation.note:
        parts.append(f"  note: {validation.note}")
    if corrected.query != line.query:
        parts.append("  with the directions of the schema:")
        parts += [f"    {each}" for each in corrected.query.splitlines()]
    return "\n".join(_printable(part) for part in parts)


def _verdict(validation: Validation) -> str:
    asked = validation.asked
    verdict = {"valid": "ok", "not_read": "ok by the schema alone", "invalid": "wrong"}[validation.verdict]
    if asked.intent is None:
        return f"{verdict} (the intent of the question is unknown)"
    steps = f", {asked.steps} steps" if asked.steps and asked.steps > 1 else ""
    return f"{verdict} ({asked.intent}{steps})"


def _place(text: str, offset: int) -> str:
    """Return line and column within a query, not within the file."""
    return f"query {text.count(chr(10), 0, offset) + 1}:{offset - text.rfind(chr(10), 0, offset)}"


def _printable(text: str) -> str:
    """Return text from a file without control characters."""
    return "".join(character if character.isprintable() else " " for character in text)


@click.command("list")
@json_option
def labels_list_command(as_json: bool) -> None:
    """Print the error labels with their meanings and the sources of the definitions."""
    if as_json:
        print_json({"labels": [asdict(label) for label in LABELS.values()]})
        return
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("label", "meaning", "source"):
        table.add_column(heading)
    for label in LABELS.values():
        table.add_row(label.name, label.meaning, label.source)
    table_console().print(table)
