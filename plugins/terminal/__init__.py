"""What a terminal is shown: tables, amounts, and text of others without what would steer it."""

from plugins.terminal._counted import counted
from plugins.terminal._counted_table import counted_table
from plugins.terminal._duration import duration
from plugins.terminal._safe import one_line, safe
from plugins.terminal._sized import sized
from plugins.terminal._usd import usd

__all__ = ["counted", "counted_table", "duration", "one_line", "safe", "sized", "usd"]
