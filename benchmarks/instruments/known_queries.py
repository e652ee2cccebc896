"""How well the schema validator tells right queries from wrong ones that were made without knowing it."""

import gzip
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Literal

import click
from rich.table import Table

from retrocypher.benchmarks.instruments.options import misses_option
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.cli.console import json_option, print_json, table_console
from retrocypher.plugins.reporting.run_tables import counted_table
from retrocypher.plugins.validation.validator import SchemaValidator
from retrocypher.prompts.validation.finding import CONVENTIONS, Convention

Half = Literal["held_out", "seen"]
HALVES: tuple[Half, ...] = ("held_out", "seen")


@dataclass(frozen=True, slots=True)
class KnownQuery:
    """A query that is known to be right or wrong.

    Attributes:
        mistake: The kind of its planted mistake; None for a right query.
        row_count: Rows that it returns on the default graph.
    """

    id: str
    question_id: str
    convention: Convention
    mistake: str | None
    cypher: str
    row_count: int


@dataclass(slots=True)
class QueryCounts:
    """Verdicts on known queries.

    Attributes:
        right: Right queries.
        alarms: Ids of the right queries that were called wrong.
        wrong: Wrong queries by kind of mistake.
        missed: Wrong queries that were not called wrong, by kind of mistake.
        missed_with_rows: Those of them that return rows, so that no empty result tells either.
        not_read: Queries that were neither called wrong nor read, by whether they are right.
        milliseconds: CPU time of all verdicts.
    """

    right: int = 0
    alarms: list[str] = field(default_factory=list)
    wrong: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    missed_with_rows: int = 0
    not_read: Counter[bool] = field(default_factory=Counter)
    milliseconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the counts as one JSON object, the most frequent misses first."""
        wrong, missed = self.wrong.total(), self.missed.total()
        return {
            "right": self.right,
            "false_alarms": len(self.alarms),
            "wrong": wrong,
            "found": wrong - missed,
            "found_or_without_rows": wrong - self.missed_with_rows,
            "not_read": {"right": self.not_read[True], "wrong": self.not_read[False]},
            "mean_ms": round(self.milliseconds / max(1, self.right + wrong), 1),
            "alarms": self.alarms,
            "missed": [
                {"mistake": mistake, "missed": count, "queries": self.wrong[mistake]}
                for mistake, count in self.missed.most_common()
            ],
        }


def known_queries(half: Half) -> Iterator[KnownQuery]:
    """Yield the queries of a half."""
    file = resources.files("retrocypher.benchmarks.instruments").joinpath(f"queries/{half}.jsonl.gz")
    for line in gzip.decompress(file.read_bytes()).decode("utf-8").splitlines():
        entry = json.loads(line)
        yield KnownQuery(
            entry["id"],
            entry["question_id"],
            entry["convention"],
            entry.get("mistake"),
            entry["cypher"],
            entry["row_count"],
        )


def count_verdicts(queries: Iterable[KnownQuery]) -> QueryCounts:
    """Validate queries, each with the text of its question and for its convention, and count the verdicts."""
    texts = {question.id: question.text for question in load_questions().questions}
    validators = {each: SchemaValidator(default_schema(), each) for each in CONVENTIONS}
    counts = QueryCounts()
    for query in queries:
        begun = time.process_time()
        said = validators[query.convention].validate(query.cypher, texts[query.question_id])
        counts.milliseconds += 1000 * (time.process_time() - begun)
        counts.not_read[query.mistake is None] += said.verdict == "not_read"
        if query.mistake is None:
            counts.right += 1
            counts.alarms += [] if said.valid else [query.id]
            continue
        counts.wrong[query.mistake] += 1
        if said.valid:
            counts.missed[query.mistake] += 1
            counts.missed_with_rows += query.row_count > 0
    return counts


@click.command("queries")
@misses_option
@json_option
def queries_command(misses: int, as_json: bool) -> None:
    """Validate right and wrong queries of many forms, and count errors found and false alarms.

    Half of the queries are held out from whoever writes checks; their kinds of mistake are not listed.
    """
    counts = {half: count_verdicts(known_queries(half)) for half in HALVES}
    if as_json:
        print_json({half: each.to_json() for half, each in counts.items()})
        return
    console = table_console()
    console.print(_table(counts))
    for mistake, count in counts["seen"].missed.most_common(misses):
        console.print(f"{count:5,} of {counts['seen'].wrong[mistake]:,}  {mistake}: not found (seen half)")


def _table(counts: dict[Half, QueryCounts]) -> Table:
    table = counted_table(
        "queries", "half", "right", "false alarms", "", "wrong", "found", "", "or no rows", ""
    )
    for half, each in counts.items():
        wrong, right = each.wrong.total(), each.right
        found, told = wrong - each.missed.total(), wrong - each.missed_with_rows
        table.add_row(
            half.replace("_", " "),
            f"{right:,}",
            f"{len(each.alarms):,}",
            f"{len(each.alarms) / right:.1%}",
            f"{wrong:,}",
            f"{found:,}",
            f"{found / wrong:.1%}",
            f"{told:,}",
            f"{told / wrong:.1%}",
        )
    return table
