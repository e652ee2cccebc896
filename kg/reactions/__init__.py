"""Reactions in: readers, cleaning, and the compact form the default graph is kept in."""

from kg.reactions._build import Built, build_graph
from kg.reactions._canonical import Canonicaliser
from kg.reactions._compact import DEFAULT_GRAPH, read_graph, read_manifest, write_graph
from kg.reactions._fingerprint import fingerprint_of, fingerprint_of_lines, node_line, relationship_line
from kg.reactions._model import Reaction, Source
from kg.reactions._record import Record, RecordSource
from kg.reactions._report import Report
from kg.reactions._rules import Rules
from kg.reactions._specs import open_source
from kg.reactions._wheel import orderly_wheel

__all__ = [
    "DEFAULT_GRAPH",
    "Built",
    "Canonicaliser",
    "Reaction",
    "Record",
    "RecordSource",
    "Report",
    "Rules",
    "Source",
    "build_graph",
    "fingerprint_of",
    "fingerprint_of_lines",
    "node_line",
    "open_source",
    "orderly_wheel",
    "read_graph",
    "read_manifest",
    "relationship_line",
    "write_graph",
]
