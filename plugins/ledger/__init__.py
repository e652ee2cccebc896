"""What loops repaired and broke, and at what cost."""

from plugins.ledger._ledger import Ledger, ledger_of
from plugins.ledger._render import render_ledger
from plugins.ledger._rows import COLUMNS, ledger_rows

__all__ = ["COLUMNS", "Ledger", "ledger_of", "ledger_rows", "render_ledger"]
