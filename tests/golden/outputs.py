"""Reads the outputs of sessions and commands in a form that can be compared.

Times, sizes, versions, addresses and places are left out: they differ from run to run.
"""

import contextlib
import csv
import hashlib
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

Entries = dict[str, Any]
"""Values by an id: of a case, a run, a command, a file."""

ROWS_KEPT = 20
"""Rows of a result that are kept; a hash stands for the others."""

LEFT_OUT = frozenset(
    {
        *("time_s", "seconds", "started", "ended", "at", "made", "oldest", "newest", "standstill"),
        *("ms_a_case", "versions", "git", "commit", "machine", "executor", "retrocypher", "key"),
        *("bytes", "page_bytes", "pages_bytes", "pages"),
    }
)
"""Names of fields, at any depth."""

NODE_ID = re.compile(r"\b([45]):[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:(?=\d)")
"""The id of a node or relationship: it holds that of the database."""


class Cleaner:
    """Removes what differs from run to run.

    Args:
        names: What is written instead of a path or an address, by that path or address.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = dict(sorted(names.items(), key=lambda item: -len(item[0])))

    def text(self, text: str) -> str:
        """Return a text with names instead of places."""
        for place, name in self._names.items():
            text = text.replace(place, name)
        return NODE_ID.sub(r"\1:DATABASE:", text)

    def value(self, value: Any) -> Any:
        """Return a JSON value without what differs from run to run, and with long results shortened."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(part) for part in value]
        if not isinstance(value, Mapping):
            return value
        kept = {self.text(name): self.value(part) for name, part in value.items() if name not in LEFT_OUT}
        if isinstance(kept.get("cost"), float):
            # The last digits of a sum depend on the order in which the cases ended.
            kept["cost"] = float(f"{kept['cost']:.10g}")
        rows = kept.get("rows")
        if isinstance(rows, list) and len(rows) > ROWS_KEPT:
            kept["rows"] = [*rows[:ROWS_KEPT], f"{len(rows)} rows {digest(rows)}"]
        return kept


def digest(value: Any) -> str:
    """Return a hash of a JSON value."""
    text = json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read_lines(path: Path) -> Iterator[Any]:
    """Yield the values of a file of JSON lines."""
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file)


def write_lines(path: Path, values: Iterable[Any]) -> None:
    """Write values as a file of JSON lines."""
    path.write_text("".join(f"{json.dumps(value, sort_keys=True)}\n" for value in values), encoding="utf-8")


def read_entries(path: Path) -> Entries:
    """Read what `write_entries` wrote; nothing if there is no such file."""
    return dict(read_lines(path)) if path.exists() else {}


def write_entries(path: Path, entries: Mapping[str, Any]) -> None:
    """Write values by their ids, one in a line, in the order of the ids."""
    write_lines(path, [[name, entries[name]] for name in sorted(entries)])


def records(run: Path) -> Entries:
    """Return the records of a run by case."""
    found: Entries = {}
    for record in read_lines(run / "records.jsonl"):
        name = record["case_id"]
        found[f"{name} (again)" if name in found else name] = record
    return found


def json_file(path: Path) -> Any:
    """Return the content of a JSON file; None if there is no such file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def parse_json(text: str) -> Any:
    """Return the JSON value in a text, or the values of its lines; the text itself if it is not JSON."""
    for parse in (json.loads, lambda lines: [json.loads(line) for line in lines.splitlines()]):
        with contextlib.suppress(json.JSONDecodeError):
            return parse(text)
    return text


def junit(path: Path) -> Entries:
    """Return counts, cases, results and properties of a JUnit file."""
    if not path.exists():
        return {}
    found: Entries = {}
    for suite in ElementTree.parse(path).getroot().iter("testsuite"):
        counts = {name: suite.get(name) for name in ("errors", "failures", "skipped", "tests")}
        found["(suite)"] = {"counts": counts, "properties": _properties(suite)}
        for case in suite.iter("testcase"):
            results = [part.tag for part in case if part.tag in ("failure", "error", "skipped")]
            found[str(case.get("name"))] = {
                "classname": case.get("classname"),
                "results": results,
                "properties": _properties(case),
            }
    return found


def _properties(element: ElementTree.Element) -> dict[str, str | None]:
    return {str(each.get("name")): each.get("value") for each in element.iterfind("properties/property")}


def figures(folder: Path) -> Entries:
    """Return the tables of a report by file, and the names of its files."""
    found: Entries = {"(files)": sorted(path.name for path in folder.iterdir())}
    for path in folder.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        found[path.name] = [
            {name: value for name, value in row.items() if name and not name.startswith("seconds")}
            for row in rows
        ]
    return found


def options_in(help_text: str) -> list[str]:
    """Return the options in a help text."""
    return sorted(set(re.findall(r"^ +(?:-\w, )?(--[a-z][a-z-]*)", help_text, re.MULTILINE)))


def case_counts(output: str) -> str:
    """Return how many cases passed and failed, from the output of pytest."""
    counts = re.findall(r"^=*\s*((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s", output, re.MULTILINE)
    return counts[-1] if counts else ""
