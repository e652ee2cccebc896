"""What a terminal is shown: tables, amounts, and text of others without what would steer it."""

from plugins.terminal._counted_table import counted_table
from plugins.terminal._safe import one_line, safe
from plugins.terminal._usd import usd

__all__ = ["counted_table", "one_line", "safe", "usd"]
