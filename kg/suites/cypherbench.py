"""Suites made of a clone of the CypherBench data set: one for each graph that has test questions."""

import json
import os
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.errors import InputError
from retrocypher.kg.semantics.query_model import Constant, NodeTerm, Operation, Property
from retrocypher.kg.semantics.reader import read_draft
from retrocypher.kg.suites.graph import GraphSchema, ValueType
from retrocypher.kg.suites.loading import fingerprint_of_graph
from retrocypher.kg.suites.questions import Split, TableQuestion, write_questions
from retrocypher.kg.suites.simplekg import read_schema, read_simplekg
from retrocypher.kg.suites.suite import GraphSource, SuiteFile, suite_data, write_suite

MOST_EXEMPLARS = 2_000
"""Training questions in a suite, drawn evenly; all 8,817 would make every session read 4 MB more."""

# The paper's figure 4 groups answers by length; its bounds are in a picture only, so these are our own.
_LENGTHS = (0, 1, 10, 100, 1_000)
_GRAPH_FILE = "graph.json"
_LFS_POINTER = b"version https://git-lfs"


class _Names(msgspec.Struct):
    """Our names: of tasks by published match category, of RETURN templates by published return pattern."""

    tasks: dict[str, str]
    templates: dict[str, str]


def published_names() -> _Names:
    """Return our names for what CypherBench publishes."""
    return suite_data("cypherbench.yaml", _Names)


class _Template(msgspec.Struct):
    match_category: str
    return_pattern_id: str


class _Task(msgspec.Struct):
    qid: str
    graph: str
    from_template: _Template
    gold_cypher: str | None = None
    gold_match_cypher: str | None = None
    nl_question: str | None = None
    answer_json: str | None = None


@dataclass(frozen=True, slots=True)
class MadeSuite:
    """A suite that was written, in the folder of its graph's name."""

    graph: str
    nodes: int
    relationships: int
    test: int
    train: int


def make_suites(dataset: Path, out: Path, graphs: Collection[str] = ()) -> list[MadeSuite]:
    """Write a suite into a folder of ``out`` for each graph of the test split, or for those named.

    Raises:
        InputError: The data set cannot be used; nothing was written.
    """
    test, train = (_tasks(dataset / f"{split}.json") for split in ("test", "train"))
    by_graph: dict[str, list[_Task]] = defaultdict(list)
    for task in test:
        by_graph[task.graph].append(task)
    if unknown := sorted(set(graphs) - by_graph.keys()):
        raise InputError(
            f"--graphs {','.join(unknown)}: no test task has it. Graphs: {', '.join(sorted(by_graph))}"
        )
    chosen = sorted(graphs or by_graph)
    exemplars = [_question(each, "train") for each in _drawn_evenly(train)]
    files = {name: _checked_files(dataset, name) for name in chosen}
    for name in chosen:
        if (out / name).exists():
            raise InputError(f"{out / name} is there already. Remove it, or give another folder with --out.")
    out.mkdir(parents=True, exist_ok=True)
    # Written aside and moved at the end: a graph with a fault leaves nothing behind.
    with tempfile.TemporaryDirectory(dir=out, prefix=".new-") as pending:
        made = []
        for name in chosen:
            questions = [_question(each, "test") for each in by_graph[name]]
            made.append(_write(Path(pending) / name, name, files[name], [*questions, *exemplars]))
        for name in chosen:
            (Path(pending) / name).rename(out / name)
    return made


def _tasks(file: Path) -> list[_Task]:
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InputError(
            f"{file} cannot be read: {error.strerror}. Give a clone of the CypherBench data set."
        ) from error
    _refuse_pointer(file, content)
    try:
        tasks = msgspec.json.decode(content, type=list[_Task])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{file} has not the form of CypherBench's tasks: {error}.") from None
    names, seen = published_names(), set[str]()
    for task in tasks:
        for field in ("gold_cypher", "nl_question"):
            if not (getattr(task, field) or "").strip():
                raise InputError(f"{file}: the task {task.qid!r} has no {field}. Add it, or remove the task.")
        template = task.from_template
        if template.match_category not in names.tasks or template.return_pattern_id not in names.templates:
            raise InputError(
                f"{file}: the task {task.qid!r} has the match_category {template.match_category!r} and the "
                f"return_pattern_id {template.return_pattern_id!r}, which CypherBench does not have together."
            )
        if task.qid in seen:
            raise InputError(f"{file}: two tasks have the qid {task.qid!r}. Give each its own.")
        seen.add(task.qid)
    return tasks


def _refuse_pointer(file: Path, content: bytes) -> None:
    if content.startswith(_LFS_POINTER):
        raise InputError(f"{file} is a pointer of Git LFS. Run `git lfs pull` in the clone.")


def _checked_files(dataset: Path, name: str) -> tuple[Path, Path]:
    """Return the graph file and the schema file of a graph."""
    found = []
    for folder, suffix in (("simplekg", "_simplekg"), ("schemas", "_schema")):
        file = dataset / "graphs" / folder / f"{name}{suffix}.json"
        try:
            with file.open("rb") as opened:
                _refuse_pointer(file, opened.read(len(_LFS_POINTER)))
        except OSError as error:
            raise InputError(
                f"{file} cannot be read: {error.strerror}. The graph {name} has test tasks; add the file, or "
                "leave the graph out with --graphs."
            ) from error
        found.append(file)
    return found[0], found[1]


def _write(
    folder: Path, name: str, files: tuple[Path, Path], questions: Sequence[TableQuestion]
) -> MadeSuite:
    graph = read_simplekg(files[0])
    for difference in _differences(graph.schema, read_schema(files[1])):
        raise InputError(f"{files[1]} contradicts {files[0]}: {difference}. Take both from one clone.")
    folder.mkdir()
    source = files[0].resolve()
    try:
        os.link(source, folder / _GRAPH_FILE)
    except OSError:
        shutil.copyfile(source, folder / _GRAPH_FILE)
    write_questions(folder, questions)
    tested = Counter(each.task for each in questions if each.split == "test")
    write_suite(
        folder,
        SuiteFile(
            name=f"cypherbench-{name}",
            version="1",
            graph=GraphSource(file=_GRAPH_FILE, fingerprint=fingerprint_of_graph(graph)),
            licence="Apache-2.0 (CypherBench); the graph is from Wikidata (CC0)",
            source="https://huggingface.co/datasets/megagonlabs/cypherbench",
            description=f"The test questions of CypherBench on the graph {name}.",
            tasks=[each for each in published_names().tasks.values() if each in tested],
        ),
    )
    test = tested.total()
    return MadeSuite(name, len(graph.nodes), len(graph.relationships), test, len(questions) - test)


def _differences(graph: GraphSchema, schema: GraphSchema) -> Iterator[str]:
    def described(each: GraphSchema) -> dict[str, Mapping[str, ValueType]]:
        types = {f"({one.start})-[{one.type}]->({one.end})": one.properties for one in each.relationships}
        return {**each.labels, **types}

    first, second = described(graph), described(schema)
    for name in sorted(first.keys() ^ second.keys()):
        yield f"only the {'graph' if name in first else 'schema'} file has {name}"
    for name in sorted(first.keys() & second.keys()):
        if first[name] != second[name]:
            yield f"{name} has the properties {dict(first[name])} there and {dict(second[name])} here"


def _drawn_evenly(tasks: Iterable[_Task]) -> list[_Task]:
    """At most `MOST_EXEMPLARS`, in turn from each graph, match category and return pattern."""
    groups: dict[tuple[str, str, str], list[_Task]] = defaultdict(list)
    for task in tasks:
        template = task.from_template
        groups[task.graph, template.match_category, template.return_pattern_id].append(task)
    ranked = (entry for key in sorted(groups) for entry in enumerate(groups[key]))
    return [task for _, task in sorted(ranked, key=lambda entry: entry[0])[:MOST_EXEMPLARS]]


def _question(task: _Task, split: Split) -> TableQuestion:
    cypher, template, names = task.gold_cypher or "", task.from_template, published_names()
    rows = _row_count(task)
    facts = {
        "graph": task.graph,
        "match_category": template.match_category,
        "return_pattern": template.return_pattern_id,
        **({} if rows is None else {"answer_length": _length(rows)}),
    }
    return TableQuestion(
        id=task.qid,
        task=names.tasks[template.match_category],
        question=task.nl_question or "",
        cypher=cypher,
        match=task.gold_match_cypher or "",
        template=names.templates[template.return_pattern_id],
        entities=named_entities(cypher),
        facts=facts,
        rows=rows,
        split=split,
    )


def named_entities(cypher: str) -> list[str]:
    """Return the nodes that the patterns and conditions of a query name, as ``Label:name``, each once."""
    draft = read_draft(parse(cypher), statements=1)
    found: dict[str, None] = {}
    for condition in draft.conditions:
        match condition.term:
            case Operation("=", (Property(NodeTerm(key), "name"), Constant(str(name)))):
                for label in sorted(draft.nodes[key].written):
                    found[f"{label}:{name}"] = None
    return list(found)


def _row_count(task: _Task) -> int | None:
    """The number of rows of the published answer, which is not trusted further: its JSON has lost types."""
    try:
        answer: Any = json.loads(task.answer_json or "null")
    except (ValueError, RecursionError):
        return None
    return len(answer) if isinstance(answer, list) else None


def _length(rows: int) -> str:
    for lower, upper in pairwise((-1, *_LENGTHS)):
        if rows <= upper:
            return str(upper) if upper == lower + 1 else f"{lower + 1}-{upper}"
    return f"over {_LENGTHS[-1]}"
