"""Building a graph from sources."""

import importlib.metadata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.cleaning import DROP_RULES, Report, clean
from retrocypher.kg.graph.compact import write_graph
from retrocypher.kg.graph.orderly import ParquetFolder, orderly_wheel
from retrocypher.kg.graph.reaction import Reaction, RecordSource, Rules
from retrocypher.kg.graph.tables import CsvTable, JsonLines, MappedSmiles


@dataclass(frozen=True, slots=True)
class BuiltGraph:
    """A graph that was built, and how.

    Attributes:
        reactions: The graph, numbered from 1.
        report: What was read, dropped and changed.
        about: Sources, rules and software, for the manifest.
    """

    reactions: tuple[Reaction, ...]
    report: Report
    about: dict[str, object]

    def write(self, folder: Path) -> None:
        """Write the graph in its compact form, as `read_graph` reads it."""
        write_graph(folder, self.reactions, self.report, self.about)


def _nothing_left(report: Report) -> str:
    counts = ", ".join(f"{count} {rule}" for rule, count in report.dropped().items() if count)
    text = f"No reaction is left of {report.read} records ({counts})."
    if report.drops:
        first = report.drops[0]
        text += f" The first, {first.file} row {first.row}: {DROP_RULES[first.rule]} {first.detail}".rstrip()
        text += ". Correct the source, or give another one or fewer rules."
    return text


def build_graph(sources: Sequence[RecordSource], rules: Rules | None = None) -> BuiltGraph:
    """Read all sources, clean them as one, and return the graph.

    Args:
        sources: Read in this order; of duplicates the first with a yield is kept.

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
    return BuiltGraph(tuple(reactions), report, about)


def _orderly(path: Path) -> RecordSource:
    return orderly_wheel(path) if path.suffix == ".whl" else ParquetFolder(path)


_KINDS: Mapping[str, Callable[[Path], RecordSource]] = MappingProxyType(
    {"orderly": _orderly, "smiles": MappedSmiles, "csv": CsvTable, "jsonl": JsonLines}
)


def open_source(spec: str) -> RecordSource:
    """Return the source that a specification names.

    Args:
        spec: ``orderly`` (the wheel, downloaded once), ``orderly:PATH`` (a folder of parquet files, or the
            wheel), ``smiles:FILE``, ``csv:FILE`` or ``jsonl:FILE``.

    Raises:
        InputError: The specification is not one of these, or its path does not exist.
    """
    kind, _, path = spec.partition(":")
    if spec == "orderly":
        return orderly_wheel()
    if kind not in _KINDS or not path:
        raise InputError(
            f"'{spec}' is not a source. Give orderly, orderly:FOLDER, smiles:FILE, csv:FILE or jsonl:FILE."
        )
    if not Path(path).exists():
        raise InputError(f"The source '{spec}' does not exist: there is nothing at {path}.")
    return _KINDS[kind](Path(path))
