"""Compares two golden runs, or one with a digest of another."""

import fnmatch
import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from normalise import digest, read_entries

ABSENT = "(absent)"
NO_FIELD = "----"
"""In a digest, of an entry that lacks a field."""
OPTIONAL = frozenset({"explanation"})
"""Fields of a record that one side may lack."""

Path_ = tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """A value that is not the same on both sides."""

    section: str
    entry: str
    field: str
    old: Any
    new: Any

    @property
    def place(self) -> str:
        """What a line of display_texts.txt is matched with."""
        return f"{self.section}:{self.field}"

    def line(self, longest: int) -> str:
        """Return it in a line, with values cut to a length."""
        old, new = (_short(value, longest) for value in (self.old, self.new))
        return f"{self.section} | {self.entry} | {self.field} | {old} | {new}"


def _short(value: Any, longest: int) -> str:
    told = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    told = told.replace("\n", "\\n")
    return told if len(told) <= longest else f"{told[:longest]}… ({len(told)} characters, {digest(value)})"


class DisplayTexts:
    """Which fields hold texts for people."""

    def __init__(self, path: Path) -> None:
        lines = (line.partition("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
        self._patterns = [line for line in lines if line]

    def holds(self, place: str) -> bool:
        """Tell whether a place is that of a text for people."""
        return any(fnmatch.fnmatchcase(place, pattern) for pattern in self._patterns)

    def without(self, section: str, value: Any, field: str = "") -> Any:
        """Return a value without texts for people."""
        if isinstance(value, Mapping):
            kept = {}
            for name, part in value.items():
                place = f"{field}.{name}" if field else name
                if name not in OPTIONAL and not self.holds(f"{section}:{place}"):
                    kept[name] = self.without(section, part, place)
            return kept
        if isinstance(value, list):
            places = [f"{field}.{number}" for number in range(len(value))]
            return [
                None if self.holds(f"{section}:{place}") else self.without(section, part, place)
                for part, place in zip(value, places, strict=True)
            ]
        return value


def sections(folder: Path) -> list[str]:
    """Return the names of the parts of a golden run."""
    return sorted(path.name.removesuffix(".jsonl.gz") for path in (folder / "outputs").glob("*.jsonl.gz"))


def _entries(folder: Path, section: str) -> dict[str, Any]:
    return {
        name: _settled(value)
        for name, value in read_entries(folder / "outputs" / f"{section}.jsonl.gz").items()
    }


def _settled(value: Any) -> Any:
    """Round costs: their last digits depend on the order in which cases ended."""
    if isinstance(value, Mapping):
        return {
            name: float(f"{part:.10g}") if name == "cost" and isinstance(part, float) else _settled(part)
            for name, part in value.items()
        }
    return [_settled(each) for each in value] if isinstance(value, list) else value


def differences(old: Path, new: Path) -> Iterator[Difference]:
    """Yield what is not the same in two golden runs."""
    first, second = sections(old), sections(new)
    for section in sorted({*first, *second}):
        if section not in first or section not in second:
            told = ("there", ABSENT) if section in first else (ABSENT, "there")
            yield Difference(section, "(all)", "", *told)
            continue
        before, after = (_entries(each, section) for each in (old, new))
        for entry in sorted({*before, *after}):
            one, other = before.get(entry, ABSENT), after.get(entry, ABSENT)
            yield from _within(section, entry, "", one, other)


def _within(section: str, entry: str, field: str, old: Any, new: Any) -> Iterator[Difference]:
    # As text: 1 and 1.0 are not the same in a file.
    if json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True):
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in [*old, *(name for name in new if name not in old)]:
            if name in OPTIONAL and (name not in old or name not in new):
                continue
            place = f"{field}.{name}" if field else name
            yield from _within(section, entry, place, old.get(name, ABSENT), new.get(name, ABSENT))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _within(section, entry, f"{field}.{number}", one, other)
    else:
        yield Difference(section, entry, field, old, new)


def write_digest(folder: Path, path: Path, display: DisplayTexts) -> None:
    """Write hashes of a golden run: one a field of each entry, and one a field of all records together."""
    found = {section: _hashes(folder, section, display) for section in sections(folder)}
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(json.dumps(found, sort_keys=True, separators=(",", ":")).encode())


def _hashes(folder: Path, section: str, display: DisplayTexts) -> dict[str, Any]:
    """Return short hashes of the entries of a section; of records, of each of their fields."""
    entries = _entries(folder, section)
    shown = {name: each for name, each in entries.items() if not display.holds(f"{section}:{name}")}
    kept = {name: display.without(section, each) for name, each in shown.items()}
    if section.startswith("records."):
        by_entry = {name: {part: digest(each[part])[:4] for part in each} for name, each in kept.items()}
        return _columns(by_entry)
    if section.startswith("messages."):
        # Their names are hashes already.
        return {"(names)": digest(sorted(kept)), "(all)": digest(kept)}
    return {name: digest(each)[:6] for name, each in kept.items()}


def _columns(found: Mapping[str, Any]) -> dict[str, Any]:
    """Put hashes of all entries' fields into one text a field: the names of fields are told once."""
    fields = sorted({field for hashes in found.values() for field in hashes})
    names = sorted(found)
    return {
        "entries": names,
        "fields": {field: "".join(found[name].get(field, NO_FIELD) for name in names) for field in fields},
    }


def digest_differences(folder: Path, path: Path, display: DisplayTexts) -> Iterator[Difference]:
    """Yield in which fields a golden run is not the one that a digest was made of."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        kept = json.load(file)
    made = sections(folder)
    for section in sorted({*kept, *made}):
        if section not in kept or section not in made:
            told = ("there", ABSENT) if section in kept else (ABSENT, "there")
            yield Difference(section, "(all)", "", *told)
            continue
        before, after = (_spread(each) for each in (kept[section], _hashes(folder, section, display)))
        for entry in sorted({*before, *after}):
            yield from _within(section, entry, "", before.get(entry, ABSENT), after.get(entry, ABSENT))


def _spread(hashes: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(hashes.get("fields"), Mapping):
        return hashes
    found: dict[str, dict[str, str]] = {}
    for at, name in enumerate(hashes["entries"]):
        cut = {field: text[4 * at : 4 * at + 4] for field, text in hashes["fields"].items()}
        found[name] = {field: part for field, part in cut.items() if part != NO_FIELD}
    return found
