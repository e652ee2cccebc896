"""The page of an audit."""

from pathlib import Path

from retrocypher.kg.paths import write_whole
from retrocypher.plugins.analysis.graph_audit import GraphAudit
from retrocypher.plugins.reporting.html.rendering import page

MOST = 200
"""Findings of a rule that the page lists; JSON has all."""


def write_audit(found: GraphAudit, name: str, file: Path) -> None:
    """Write the page of an audit; raise InputError if the file cannot be written."""
    write_whole(file, page("audit.html", f"Audit of {name}", audit=found, most=MOST))
