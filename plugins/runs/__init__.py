"""The runs that lie in a folder, and how each ended."""

from plugins.runs._entry import RunEntry, read_entry
from plugins.runs._find import find_runs
from plugins.runs._table import runs_table

__all__ = ["RunEntry", "find_runs", "read_entry", "runs_table"]
