"""What a golden run keeps of the outputs: all but what a clock, the machine or the place decides."""

import csv
import gzip
import hashlib
import html
import io
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

Entries = dict[str, Any]
"""Values by id: of a case, a command, a file."""

ROWS_KEPT = 20
"""Rows of a result that are kept as they are; of all there is the hash."""

DROPPED = frozenset(
    {
        *(
            "time_s",
            "seconds",
            "started",
            "ended",
            "at",
            "made",
            "oldest",
            "newest",
            "standstill",
            "ms_a_case",
        ),
        *("versions", "git", "machine", "executor", "commit", "changed", "retrocypher", "password_file"),
        *("bytes", "bytes_before", "bytes_after", "page_bytes", "pages_bytes", "pages"),
    }
)
"""Names of fields, at any depth of JSON, that differ from run to run."""

TIMES = (
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00|Z)?"), "<time>"),
    (re.compile(r"\b\d+(\.\d+)? (?=(s|ms|min|h)\b)"), "# "),
    (re.compile(r"\b\d+(\.\d+)?s \(\d+:\d\d:\d\d\)"), "#s"),
    (re.compile(r"\bin \d+(\.\d+)?s\b"), "in #s"),
    (re.compile(r"\b\d+(\.\d+)? (cases|judgements|answers|records)/s"), "# \\2/s"),
    (re.compile(r"\b\d+(\.\d+)? (KB|MB|bytes)\b"), "# \\2"),
    (re.compile(r"\b[0-9a-f]{8}\b(?=\+?\s*$)", re.MULTILINE), "<commit>"),
    (re.compile(r"\bprocess \d+ on \S+"), "process # on <host>"),
    (re.compile(r"(?<=\]|\d)( +[\d.,]+ +[\d.,]+) +[\d.]+$", re.MULTILINE), "\\1 #"),
    (re.compile(r"\b\d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC"), "<time>"),
)
PROGRESS = re.compile(
    r"^([.FEsx]+( +\[ *\d+%\])?|bringing up nodes.*|gw\d.*| *\[ *\d+%\]"
    r"|[\d,]+ of [\d,]+ (cases|queries|judgements).*)$"
)


class Normaliser:
    """Takes out of texts and JSON values what says where and when a run was made.

    Args:
        places: What stands for a text, such as a folder's path, by that text.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = dict(sorted(places.items(), key=lambda each: -len(each[0])))

    def text(self, text: str) -> str:
        """Return a text with names for places."""
        for place, name in self._places.items():
            text = text.replace(place, name)
        return text

    def prose(self, text: str) -> str:
        """Return what a program printed, without times, sizes and lines about its progress."""
        text = self.text(text)
        for pattern, name in TIMES:
            text = pattern.sub(name, text)
        lines = [line.rstrip() for line in text.splitlines() if not PROGRESS.match(line.strip())]
        return "\n".join(line for line in lines if line)

    def value(self, value: Any) -> Any:
        """Return a JSON value without fields that differ from run to run."""
        if isinstance(value, Mapping):
            return {self.text(name): self.value(part) for name, part in value.items() if name not in DROPPED}
        if isinstance(value, list):
            return [self.value(part) for part in value]
        return self.text(value) if isinstance(value, str) else value


def digest(value: Any) -> str:
    """Return a hash of a JSON value."""
    told = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def read_lines(path: Path) -> Iterator[Any]:
    """Yield the values of a file of JSON lines; of none where it does not exist."""
    if path.exists():
        opened: Callable[..., Any] = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf-8") as file:
            yield from (json.loads(line) for line in file if line.strip())


def shortened(value: Any) -> Any:
    """Cut long lists of rows, and say by a hash what they held."""
    if isinstance(value, Mapping):
        kept = {name: shortened(part) for name, part in value.items()}
        rows = value.get("rows")
        if isinstance(rows, list) and len(rows) > ROWS_KEPT:
            kept["rows"] = [*rows[:ROWS_KEPT], f"{len(rows)} rows {digest(rows)}"]
        return kept
    return [shortened(part) for part in value] if isinstance(value, list) else value


def records(run: Path, normaliser: Normaliser) -> Entries:
    """Return the records of a run by case."""
    found = {}
    for record in read_lines(run / "records.jsonl"):
        name = record["case_id"]
        found[f"{name} (again)" if name in found else name] = normaliser.value(shortened(record))
    return found


def questions(run: Path, normaliser: Normaliser) -> Entries:
    """Return the questions of a run by id."""
    return {each["id"]: normaliser.value(each) for each in read_lines(run / "questions.jsonl")}


def messages(run: Path, normaliser: Normaliser) -> Entries:
    """Return the messages of a run by hash."""
    return {each["sha256"]: normaliser.value(each["messages"]) for each in read_lines(run / "messages.jsonl")}


def summary(run: Path, normaliser: Normaliser) -> Entries:
    """Return the summary of a run, by its fields."""
    path = run / "summary.json"
    return normaliser.value(json.loads(path.read_text())) if path.exists() else {}


def manifest(run: Path, normaliser: Normaliser) -> Entries:
    """Return the manifest of a run, by its fields; of its keys all but what the code decides."""
    path = run / "manifest.json"
    return _without_code(normaliser.value(json.loads(path.read_text()))) if path.exists() else {}


def _without_code(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_code(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    kept = {name: _without_code(part) for name, part in value.items()}
    if "sha256" in kept and isinstance(kept.get("parts"), Mapping):
        parts = {name: part for name, part in kept["parts"].items() if name not in ("code", "libraries")}
        return {"parts": {**parts, "loops": sorted(parts.get("loops") or ())}}
    return kept


def junit(path: Path, normaliser: Normaliser) -> Entries:
    """Return what a JUnit file says, by case."""
    if not path.exists():
        return {}
    found: Entries = {}
    for suite in ElementTree.parse(path).getroot().iter("testsuite"):
        counts = {name: suite.get(name) for name in ("errors", "failures", "skipped", "tests")}
        found["(suite)"] = {"counts": counts, "properties": _properties(suite, normaliser)}
        for case in suite.iter("testcase"):
            ended = {
                each.tag: {
                    "message": normaliser.prose(each.get("message") or ""),
                    "text": normaliser.prose(each.text or ""),
                }
                for each in case
                if each.tag in ("failure", "error", "skipped")
            }
            told = {"classname": case.get("classname"), "properties": _properties(case, normaliser), **ended}
            found[str(case.get("name"))] = told
    return found


def _properties(element: ElementTree.Element, normaliser: Normaliser) -> dict[str, str]:
    held = element.find("properties")
    return {
        str(each.get("name")): normaliser.text(str(each.get("value")))
        for each in (() if held is None else held)
    }


def allure(folder: Path, normaliser: Normaliser) -> Entries:
    """Return results of Allure by case, with the hash of what is attached."""
    found: Entries = {}
    for path in sorted(folder.glob("*-result.json")):
        result = json.loads(path.read_text())
        parameters = [f"{each['name']}={each['value']}" for each in result.get("parameters", ())]
        labels = (f"{each['name']}={each['value']}" for each in result.get("labels", ()))
        name = next((each for each in parameters if each.startswith("case=")), result["name"])
        found[f"{name} (again)" if name in found else name] = {
            **{key: result.get(key) for key in ("name", "status", "historyId", "testCaseId", "fullName")},
            "titlePath": result.get("titlePath"),
            "labels": sorted(each for each in labels if not each.startswith(("host=", "thread="))),
            "parameters": parameters,
            "details": {
                name: normaliser.prose(str(text)) for name, text in result.get("statusDetails", {}).items()
            },
            "description": normaliser.prose(result.get("descriptionHtml") or result.get("description") or ""),
            "parts": list(_parts(result, folder, normaliser)),
        }
    return found


def _parts(holder: Mapping[str, Any], folder: Path, normaliser: Normaliser) -> Iterator[dict[str, Any]]:
    """Yield steps and attachments in their order, each with where it stands."""
    for each in holder.get("attachments", ()):
        content = (folder / each["source"]).read_bytes().decode("utf-8", "replace")
        yield {
            "attachment": each["name"],
            "type": each.get("type"),
            "content": digest(normaliser.prose(content)),
        }
    for step in holder.get("steps", ()):
        yield {"step": normaliser.prose(step["name"]), "status": step.get("status")}
        yield from _parts(step, folder, normaliser)


def allure_files(folder: Path, normaliser: Normaliser) -> Entries:
    """Return what the results of Allure say about the run as a whole."""
    categories = folder / "categories.json"
    environment = folder / "environment.properties"
    return {
        "categories": json.loads(categories.read_text()) if categories.exists() else None,
        "environment": sorted(
            line.partition("=")[0]
            for line in (environment.read_text().splitlines() if environment.exists() else ())
        ),
    }


def figures(folder: Path, normaliser: Normaliser) -> Entries:
    """Return the tables of a report by file, and the names of its figures."""
    found: Entries = {"(files)": sorted(path.name for path in folder.glob("*"))}
    for path in sorted(folder.glob("*.csv")):
        text = normaliser.text(path.read_text(encoding="utf-8"))
        rows = list(csv.DictReader(io.StringIO(text)))
        found[path.name] = [
            {name: value for name, value in row.items() if name and not name.startswith("seconds")}
            for row in rows
        ]
    # The table of loops has a column of seconds.
    for path in sorted(each for each in folder.glob("*.tex") if each.name != "loops.tex"):
        found[path.name] = {"latex": normaliser.text(path.read_text(encoding="utf-8"))}
    return found


def page(path: Path, normaliser: Normaliser) -> Any:
    """Return what a page of HTML says, line by line."""
    if not path.exists():
        return None
    text = re.sub(r"<(script|style)\b.*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r'<section id="costly".*?</section>', "", text, flags=re.DOTALL)
    text = html.unescape(re.sub(r"<[^>]+>", "\n", text))
    return {"page": normaliser.prose(text).splitlines()}


def options_in(text: str) -> list[str]:
    """Return the options that a help text lists."""
    return sorted(set(re.findall(r"^ +(?:-\w, )?(--[a-z][a-z-]*)", text, re.MULTILINE)))


def pytest_counts(text: str) -> str:
    """Return how many cases passed, failed and so on, as pytest says it."""
    counts = re.findall(r"^=*\s*((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s", text, re.MULTILINE)
    return counts[-1] if counts else ""


def write_entries(path: Path, entries: Mapping[str, Any]) -> None:
    """Write values by id, a line each, in the order of their ids."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        for name in sorted(entries):
            line = json.dumps([name, entries[name]], sort_keys=True)
            file.write(line.encode() + b"\n")


def read_entries(path: Path) -> Entries:
    """Read what `write_entries` wrote."""
    return dict(read_lines(path))


def by_line(values: Iterable[Any], normaliser: Normaliser) -> Entries:
    """Return values by their number."""
    return {f"{number:05}": normaliser.value(value) for number, value in enumerate(values, 1)}
