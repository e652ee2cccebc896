"""The bank of known errors: changed reference queries whose effect was seen on the graph."""

from plugins.bank._build import Bank, build_bank
from plugins.bank._check import is_right
from plugins.bank._counts import counts_json, counts_table, dropped_table, tasks_table, totals
from plugins.bank._entry import BankEntry
from plugins.bank._plan import Size
from plugins.bank._sample import sample
from plugins.bank._store import (
    PARTS,
    Part,
    bank_folder,
    bank_key,
    has_bank,
    load_bank,
    read_entries,
    read_manifest,
    write_bank,
    write_entries,
)

__all__ = [
    "PARTS",
    "Bank",
    "BankEntry",
    "Part",
    "Size",
    "bank_folder",
    "bank_key",
    "build_bank",
    "counts_json",
    "counts_table",
    "dropped_table",
    "has_bank",
    "is_right",
    "load_bank",
    "read_entries",
    "read_manifest",
    "sample",
    "tasks_table",
    "totals",
    "write_bank",
    "write_entries",
]
