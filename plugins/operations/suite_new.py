"""The skeleton of a suite for a live graph."""

from pathlib import Path

from retrocypher.kg.cypher.edits import quote_name
from retrocypher.kg.errors import InputError
from retrocypher.kg.secrets import without_password
from retrocypher.kg.semantics.schema import parse_schema
from retrocypher.kg.suites.questions import TableQuestion, write_questions
from retrocypher.kg.suites.suite import GraphSource, SuiteFile, write_suite

_PROMPT = Path(__file__).parents[2] / "prompts" / "templates" / "table" / "T1.md"


def write_skeleton(folder: Path, uri: str, schema_text: str) -> list[Path]:
    """Write a suite with a prompt and three example questions, all to be edited, and return its files.

    The questions run as they are. Raises InputError if the folder has files, or the graph no property.
    """
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder}: holds other files; name a new or an empty folder")
    questions = _examples(schema_text)
    (folder / "prompts").mkdir(parents=True, exist_ok=True)
    name = folder.resolve().name
    suite = SuiteFile(name=name, version="0.1", graph=GraphSource(uri=without_password(uri)), prompts=["T1"])
    write_suite(folder, suite)
    write_questions(folder, questions)
    (folder / "schema.txt").write_text(schema_text + "\n", encoding="utf-8")
    (folder / "prompts" / "T1.md").write_text(_PROMPT.read_text(encoding="utf-8"), encoding="utf-8")
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _examples(schema_text: str) -> list[TableQuestion]:
    schema = parse_schema(schema_text)
    label, key = next(
        ((label, key) for label, keys in sorted(schema.labels.items()) for key in sorted(keys)), (None, None)
    )
    if label is None or key is None:
        raise InputError("the graph has no node with a label and a property, so there is nothing to ask")
    node = f"(n:{quote_name(label)})"
    examples = [
        (f"How many {label} nodes are there?", f"MATCH {node} RETURN count(n)"),
        (
            f"List the distinct values of {key} of {label} nodes.",
            f"MATCH {node} WHERE n.{quote_name(key)} IS NOT NULL RETURN DISTINCT n.{quote_name(key)}",
        ),
    ]
    if edges := sorted(schema.edges):
        edge = edges[0]
        pattern = f"(n:{quote_name(edge.start)})-[:{quote_name(edge.type)}]->(m:{quote_name(edge.end)})"
        examples.append(
            (
                f"How many {edge.start} nodes have a {edge.type} relationship to a {edge.end} node?",
                f"MATCH {pattern} RETURN count(DISTINCT n)",
            )
        )
    return [
        TableQuestion(
            id=f"example-{number}",
            task="example",
            question=text,
            cypher=query,
            match=query.partition(" RETURN ")[0],
        )
        for number, (text, query) in enumerate(examples, start=1)
    ]
