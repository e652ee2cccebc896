"""A suite on disk: ``suite.yaml`` describes it, ``questions.jsonl`` has its questions."""

import os
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
import yaml

from retrocypher.kg.errors import InputError
from retrocypher.kg.yaml_files import read_yaml

SUITE_FILE = "suite.yaml"
QUESTIONS_FILE = "questions.jsonl"
LEXICON_FILE = "lexicon.yaml"

Answers = Literal["context", "routes", "table"]
Cardinality = Literal["one", "many"]

_Data = TypeVar("_Data")

SHIPPED_SUITES = Path(__file__).parents[1] / "data" / "suites"
"""Folder of the committed suites; each has a folder of its name."""


class GraphSource(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Where the graph of a suite is: exactly one of ``file``, ``uri`` and ``reactions``."""

    file: str | None = None
    """A SimpleKG file in the folder of the suite, ``.json`` or ``.json.gz``."""
    uri: str | None = None
    """The Bolt address of a server; its password comes from the environment."""
    reactions: str | None = None
    """Folder of a reaction graph, or ``shipped``."""
    fingerprint: str | None = None
    """The fingerprint of the graph that the questions were made for; without it the graph is not checked."""


class RelationshipFacts(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What generation knows of relationships of one type between two labels.

    ``start_per_end`` says how many start nodes an end node has, and ``end_per_start`` the other way round.
    The facts are measured from the graph as a proposal, which the user edits.
    """

    type: str
    start: str
    end: str
    start_per_end: Cardinality = "many"
    end_per_start: Cardinality = "many"
    every_start: bool = False
    """Whether each node with the start label has such a relationship."""
    every_end: bool = False
    """Whether each node with the end label has such a relationship."""
    entails: list[str] = []
    """Types whose relationship between the same two nodes, in the same direction, always exists as well."""
    time: list[str] = []
    """Names of the properties with the year of start and end, for time-sensitive questions."""


class Generation(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """How ``suite generate`` made the questions, and what it may use."""

    keys: dict[str, str]
    """By label, the property that names a node; nodes of other labels are never named in a question."""
    relationships: list[RelationshipFacts] = []
    seed: int = 0


class SuiteFile(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The content of ``suite.yaml``."""

    name: str
    version: str | int | float
    graph: GraphSource
    answers: tuple[Answers, ...] = ("table",)
    """Kinds of answers: the full context of reactions, routes of reactions, or tables."""
    questions: str = ""
    """Of a suite of reactions: the folder of its question set; the default set if empty."""
    licence: str = ""
    source: str = ""
    description: str = ""
    tasks: list[str] = []
    """Tasks in the order in which tables list them; all tasks of the questions if empty."""
    slices: list[str] = []
    """Facts of a question that the summary splits scores by, besides the task."""
    prompts: list[str] = []
    """Prompts that run without ``--prompt``: shipped ones, or files of the folder ``prompts``."""
    shots: list[str] = []
    """Shots that run without ``--shot``."""
    metrics: tuple[str, ...] = ("ex", "psjs", "executable")
    headline: str = "ex"
    """The metric that decides whether a case passes."""
    generation: Generation | None = None


def suite_data(name: str, form: type[_Data]) -> _Data:
    """Return the content of a YAML file beside this module."""
    return msgspec.convert(_parsed(name), form)


@cache
def _parsed(name: str) -> Any:
    return yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def suite_folder(spec: str) -> Path:
    """Return the folder of a shipped suite by its name, or of any folder; raise InputError without one."""
    shipped = SHIPPED_SUITES / spec
    is_name = os.sep not in spec and not spec.startswith(".")
    folder = shipped if is_name and (shipped / SUITE_FILE).is_file() else Path(spec).expanduser()
    if not (folder / SUITE_FILE).is_file():
        names = ", ".join(sorted(each.parent.name for each in SHIPPED_SUITES.glob(f"*/{SUITE_FILE}")))
        what = f"the folder has no {SUITE_FILE}" if folder.is_dir() else "no such suite"
        raise InputError(f"--suite {spec}: {what}. Shipped: {names}; or name a folder with {SUITE_FILE}")
    return folder


def read_suite(folder: Path) -> SuiteFile:
    """Read ``suite.yaml``; raise InputError, with the line where it is known, if it is not valid."""
    file = folder / SUITE_FILE
    suite = read_yaml(file, SuiteFile, "docs/suites.md lists the entries.")
    named = [each for each in ("file", "uri", "reactions") if getattr(suite.graph, each)]
    if len(named) != 1:
        raise InputError(f"{file}: graph must have exactly one of file, uri and reactions")
    if not suite.name.strip() or not str(suite.version).strip():
        raise InputError(f"{file}: name and version must not be empty")
    if ("table" in suite.answers) == (suite.graph.reactions is not None):
        raise InputError(
            f"{file}: answers are [context, routes] for a graph of reactions, and [table] for others; "
            "correct answers or graph"
        )
    if suite.graph.file and not (folder / suite.graph.file).resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{file}: graph.file {suite.graph.file} is outside of the folder; move it there")
    return suite


def write_suite(folder: Path, suite: SuiteFile) -> None:
    """Write ``suite.yaml``."""
    text = yaml.safe_dump(msgspec.to_builtins(suite), sort_keys=False, allow_unicode=True, width=110)
    (folder / SUITE_FILE).write_text(text, encoding="utf-8")
