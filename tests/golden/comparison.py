"""Compares the outputs of two checkouts field by field."""

import fnmatch
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outputs import digest, read_entries

ABSENT = "(absent)"
OPTIONAL = frozenset({"explanation"})
"""Fields that newer versions add; they are compared only if both sides have them."""
LONGEST_VALUE = 160


@dataclass(frozen=True)
class Difference:
    """A value that differs between the two sides."""

    output: str
    entry: str
    field: str
    old: Any
    new: Any

    def __str__(self) -> str:
        return " | ".join([self.output, self.entry, self.field, _short(self.old), _short(self.new)])


def print_differences(old: Path, new: Path, ignored: Path, most: int) -> int:
    """Print the differences and their numbers; return 1 if there are any.

    Args:
        old: Folder that ``make`` wrote for one checkout.
        new: The same for the other.
        ignored: File with patterns of ``output:field`` that may differ.
        most: How many differences of each output are printed.
    """
    lines = (line.partition("#")[0].strip() for line in ignored.read_text(encoding="utf-8").splitlines())
    patterns = [line for line in lines if line]
    counts: Counter[str] = Counter()
    passed_over = 0
    for difference in find_differences(old, new):
        place = f"{difference.output}:{difference.field}"
        if any(fnmatch.fnmatchcase(place, pattern) for pattern in patterns):
            passed_over += 1
            continue
        counts[difference.output] += 1
        if counts[difference.output] <= most:
            print(difference)
    for output, count in counts.items():
        print(f"{output}: {count} differences")
    print(f"{counts.total()} differences; {passed_over} more in fields of {ignored.name}")
    return 1 if counts else 0


def find_differences(old: Path, new: Path) -> Iterator[Difference]:
    """Yield the differences between two folders that ``make`` wrote."""
    names = {path.name for folder in (old, new) for path in (folder / "outputs").glob("*.jsonl")}
    if not names:
        raise SystemExit(f"There are no outputs in {old} and {new}.")
    for name in sorted(names):
        before, after = (read_entries(folder / "outputs" / name) for folder in (old, new))
        for entry in sorted({*before, *after}):
            values = before.get(entry, ABSENT), after.get(entry, ABSENT)
            for field, one, other in _differing_fields("", *values):
                yield Difference(name.removesuffix(".jsonl"), entry, field, one, other)


def _differing_fields(field: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    # As text, since 1 and 1.0 differ in a file.
    if json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True):
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in sorted({*old, *new}):
            if name in OPTIONAL and (name not in old or name not in new):
                continue
            values = old.get(name, ABSENT), new.get(name, ABSENT)
            yield from _differing_fields(f"{field}.{name}".lstrip("."), *values)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _differing_fields(f"{field}.{number}", one, other)
    else:
        yield field, old, new


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    text = text.replace("\n", "\\n")
    if len(text) <= LONGEST_VALUE:
        return text
    return f"{text[:LONGEST_VALUE]}… ({len(text)} characters, {digest(value)})"
