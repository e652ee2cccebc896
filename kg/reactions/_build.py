"""From sources to a graph."""

import importlib.metadata
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from kg.errors import InputError
from kg.reactions._clean import clean
from kg.reactions._compact import write_graph
from kg.reactions._model import Reaction
from kg.reactions._record import RecordSource
from kg.reactions._report import DROP_RULES, Report
from kg.reactions._rules import Rules


@dataclass(frozen=True, slots=True)
class Built:
    """A graph that was built, with what is known about how.

    Attributes:
        reactions: The graph, numbered from 1.
        report: What was read, dropped and changed.
        about: Sources, rules and software, for the manifest.
    """

    reactions: tuple[Reaction, ...]
    report: Report
    about: dict[str, object]

    def write(self, folder: Path) -> None:
        """Write the graph in its compact form, as `kg.reactions.read_graph` reads it."""
        write_graph(folder, self.reactions, self.report, self.about)


def _nothing_left(report: Report) -> str:
    counts = ", ".join(f"{count} {rule}" for rule, count in report.dropped().items() if count)
    text = f"No reaction is left of {report.read} records ({counts})."
    if report.drops:
        first = report.drops[0]
        text += f" The first, {first.file} row {first.row}: {DROP_RULES[first.rule]} {first.detail}".rstrip()
        text += ". Correct the source, or give another one or fewer rules."
    return text


def build_graph(sources: Sequence[RecordSource], rules: Rules | None = None) -> Built:
    """Read all sources, clean them as one, and return the graph.

    Args:
        sources: Read in this order; of duplicates the first with a yield is kept.
        rules: What a person may set; the defaults when None.

    Raises:
        InputError: A source cannot be read, or no reaction is left.
    """
    rules = rules or Rules()
    report = Report()
    reactions = clean(chain.from_iterable(source.records() for source in sources), rules, report)
    if not reactions:
        raise InputError(_nothing_left(report))
    about: dict[str, object] = {
        "rules": asdict(rules),
        "sources": [source.provenance() for source in sources],
        "software": {"rdkit": importlib.metadata.version("rdkit")},
    }
    return Built(tuple(reactions), report, about)
