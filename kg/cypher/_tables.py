"""The ANTLR tables of the server's lexer and parser, and their cache on disk."""

import io
import json
import os
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from kg.cypher._class_file import read_class
from kg.cypher._jar import GRAMMAR_VERSION, JAR_SHA256, jar_bytes
from kg.errors import GraphError
from kg.paths import cache_dir

_FOLDER_IN_JAR = "org/neo4j/cypher/internal/parser/v5/"
_ATN_VERSION = 4


@dataclass(frozen=True, slots=True)
class RecognizerTables:
    """The static data of one generated recognizer.

    ``atn`` is the serialized network, ``rules`` the rule names by index, ``symbols`` and ``literals`` the
    token names by token type (None where a type has none).
    """

    atn: list[int]
    rules: list[str]
    literals: list[str | None]
    symbols: list[str | None]


@dataclass(frozen=True, slots=True)
class GrammarTables:
    """The tables of the lexer and the parser of one grammar version."""

    lexer: RecognizerTables
    parser: RecognizerTables


def load_tables() -> GrammarTables:
    """Return the grammar's tables, from the cache or else from the jar.

    The cache holds plain integers and names, keyed by the jar's hash. Any number of processes may load at
    the same time: one of them fetches, and readers never see a file half written.

    Raises:
        GraphError: The jar can't be had, or is not the grammar it should be.
    """
    path = cache_dir() / "cypher-grammar" / f"{GRAMMAR_VERSION}-{JAR_SHA256[:16]}.json"
    tables = _read_cache(path)
    if tables is None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock")):
            tables = _read_cache(path)
            if tables is None:
                tables = read_jar(jar_bytes())
                _write_cache(path, tables)
    return tables


def read_jar(content: bytes) -> GrammarTables:
    """Return the tables that a grammar jar holds.

    Args:
        content: The bytes of the jar.

    Raises:
        GraphError: The jar does not hold the Cypher 5 recognizers in a form that is known here.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as jar:
            return GrammarTables(
                lexer=_recognizer(jar.read(f"{_FOLDER_IN_JAR}Cypher5Lexer.class")),
                parser=_recognizer(jar.read(f"{_FOLDER_IN_JAR}Cypher5Parser.class")),
            )
    except (zipfile.BadZipFile, KeyError, ValueError, IndexError) as error:
        raise GraphError(
            f"The Cypher grammar jar cannot be read ({error}). Delete it from the Maven repository so that it"
            " is fetched again."
        ) from error


def _recognizer(class_file: bytes) -> RecognizerTables:
    strings = read_class(class_file)
    segments = {
        int(name.removeprefix("_serializedATN").removeprefix("Segment") or 0): value
        for name, value in strings.constants.items()
        if name.startswith("_serializedATN")
    }
    atn = _integers("".join(segments[number] for number in sorted(segments)))
    if not atn or atn[0] != _ATN_VERSION:
        raise ValueError(f"serialized network of version {atn[0] if atn else 'none'}")
    return RecognizerTables(
        atn=atn,
        rules=[rule or "" for rule in strings.arrays["makeRuleNames"]],
        literals=strings.arrays["makeLiteralNames"],
        symbols=strings.arrays["makeSymbolicNames"],
    )


def _integers(words: str) -> list[int]:
    """Undo ANTLR's packing into 16-bit units (``ATNDeserializer.decodeIntsEncodedAs16BitWords``)."""
    integers: list[int] = []
    units = iter(map(ord, words))
    for high in units:
        if high & 0x8000:
            low = next(units)
            integers.append(-1 if high == low == 0xFFFF else (high & 0x7FFF) << 16 | low)
        else:
            integers.append(high)
    return integers


def _read_cache(path: Path) -> GrammarTables | None:
    try:
        stored: dict[str, Any] = json.loads(path.read_bytes())
        return GrammarTables(RecognizerTables(**stored["lexer"]), RecognizerTables(**stored["parser"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        return None  # damaged, or left by another version: made again


def _write_cache(path: Path, tables: GrammarTables) -> None:
    stored = {
        part: {name: getattr(recognizer, name) for name in RecognizerTables.__slots__}
        for part, recognizer in (("lexer", tables.lexer), ("parser", tables.parser))
    }
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(stored, file, separators=(",", ":"))
    Path(temporary).replace(path)
