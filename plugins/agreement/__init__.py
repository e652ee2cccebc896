"""How far a judge agrees with execution, from the records of a run."""

from plugins.agreement._agreement import (
    Agreement,
    VariantAgreement,
    agreement,
    agreements,
    by_judge,
    disagreements,
)
from plugins.agreement._issues import NO_REASON, UNCLEAR, load_issues, parse_issues
from plugins.agreement._opinions import ACCEPTED, Opinion, opinions, opinions_of
from plugins.agreement._table import agreement_table

__all__ = [
    "ACCEPTED",
    "NO_REASON",
    "UNCLEAR",
    "Agreement",
    "Opinion",
    "VariantAgreement",
    "agreement",
    "agreement_table",
    "agreements",
    "by_judge",
    "disagreements",
    "load_issues",
    "opinions",
    "opinions_of",
    "parse_issues",
]
