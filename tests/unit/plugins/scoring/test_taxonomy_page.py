"""The page of labels says what the data file says."""

from pathlib import Path

from retrocypher.kg.labels.error_labels import LABELS, Label

PAGE = Path(__file__).parents[4] / "docs" / "errors-and-loops.md"
SOURCES = {"paper": "reaction Text2Cypher paper", "cypherbench": "CypherBench", "ours": "ours"}


def row(label: Label) -> str:
    details = ": " + ", ".join(f"`{detail}`" for detail in label.details) if label.details else ""
    example = label.example.replace("|", "&#124;")
    where = f"{SOURCES[label.source]}: {label.where}"
    return f"| `{label.name}`{details} | {label.meaning} | {example} | {where} |"


def test_the_table_has_every_label_in_order() -> None:
    head = "| label | meaning | example | definition |\n|---|---|---|---|\n"
    assert head + "\n".join(map(row, LABELS.values())) + "\n\n" in PAGE.read_text("utf-8")
